/**
 * The form of the index of subjects. New entries lie in blocks of consecutive revisions. A full range of blocks is *merged*: its entries
 * are sorted into buckets by the hashes of their subjects, so that a look-up reads one bucket. What is merged at a revision follows from
 * the revision alone, so a rebuild makes the same rows.
 */

/** Revisions of one block. A full row should stay below about 2 KB; Postgres stores larger values separately. */
export const BLOCK_REVISIONS = 32;
/** Most entries of a row that was merged; of the same size. */
export const ROW_ENTRIES = 96;
/** Revisions of a range. A larger one makes look-ups in long logs cheaper, and the batch that completes it slower. */
export const RANGE_REVISIONS = 16_384;
/** Bits of a hash that choose its bucket: about 48 entries of a range come into each. */
const BUCKET_BITS = 10;

/** SQL for the hash of a subject, 64 bits. Postgres partitions tables by this function, so it never changes. */
export function hashOfSubject(subject: string): string {
  return `hashtextextended(${subject}, 0)`;
}

/** SQL for the bucket of a hash: its first bits. */
export function bucketOf(hash: string): string {
  return `((${hash} >> ${64 - BUCKET_BITS}) & ${2 ** BUCKET_BITS - 1})::int`;
}
