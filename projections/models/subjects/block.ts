/** Revisions of one row: it has to stay below what Postgres stores apart, about 2 KB, however full it gets. */
export const BLOCK_REVISIONS = 64;

/** SQL for the hash of a subject, 64 bits. Postgres partitions tables by this function, so it stays what it is. */
export function hashOfSubject(subject: string): string {
  return `hashtextextended(${subject}, 0)`;
}
