/** Revisions of one row. A full row must stay below about 2 KB; Postgres stores larger values separately. */
export const BLOCK_REVISIONS = 64;

/** SQL for the hash of a subject, 64 bits. Postgres partitions tables by this function, so it never changes. */
export function hashOfSubject(subject: string): string {
  return `hashtextextended(${subject}, 0)`;
}
