/** Revisions of one row. A full row must stay below about 2 KB, beyond which Postgres stores values apart. */
export const BLOCK_REVISIONS = 64;

/** SQL for the hash of a subject, 64 bits. Postgres partitions tables by this function, so it will not change. */
export function hashOfSubject(subject: string): string {
  return `hashtextextended(${subject}, 0)`;
}
