import { indexedSubjects } from '../../../src/domain/commit/named.ts';
import type { Projection } from '../../batch.ts';
import { BLOCK_REVISIONS, bucketOf, hashOfSubject, RANGE_REVISIONS, ROW_ENTRIES } from './shape.ts';

/** The entries come in order, and those of a block are cut out of them: sorting them again took twice the time. */
const APPEND = `
INSERT INTO {subjects} AS s (project, block, hashes, revisions)
SELECT $1, block, hashes[from_at:to_at], revisions[from_at:to_at]
FROM (SELECT ARRAY(SELECT ${hashOfSubject('subject')} FROM unnest($2::text[]) AS u (subject)) AS hashes, $3::bigint[] AS revisions OFFSET 0) e,
  unnest($4::bigint[], $5::int[], $6::int[]) AS b (block, from_at, to_at)
ON CONFLICT (project, block) DO UPDATE SET hashes = s.hashes || excluded.hashes, revisions = s.revisions || excluded.revisions`;

/** Sorts the entries of the blocks from `$2` to before `$3` into buckets. */
const MERGE = `
WITH taken AS (DELETE FROM {subjects} WHERE project = $1 AND block >= $2::bigint AND block < $3::bigint RETURNING hashes, revisions),
sorted AS (
  SELECT ${bucketOf('e.hash')} AS bucket, e.hash, e.revision FROM taken t, unnest(t.hashes, t.revisions) AS e (hash, revision)
  ORDER BY bucket, e.revision, e.hash),
grouped AS (SELECT bucket, array_agg(hash) AS hashes, array_agg(revision) AS revisions FROM sorted GROUP BY bucket)
INSERT INTO {subject_buckets} (project, bucket, first, part, hashes, revisions)
SELECT $1, bucket, revisions[at], at / ${ROW_ENTRIES}, hashes[at:at + ${ROW_ENTRIES - 1}], revisions[at:at + ${ROW_ENTRIES - 1}]
FROM grouped, generate_series(1, cardinality(revisions), ${ROW_ENTRIES}) AS at`;

/** The index of subjects: see shape.ts and domain/commit/named.ts. `range`: revisions of a range, whole blocks. */
export function subjectIndex(range: number): Projection {
  return {
    name: 'subjects',
    kind: 'state',
    derived: false,
    async project({ all, events }, tx) {
      const entries = new Entries();
      for (const event of events) for (const subject of indexedSubjects(event)) entries.add(subject, event.revision);
      if (entries.subjects.length > 0) await tx.run('subjects-append', APPEND, entries.values());
      const end = (all.at(-1)?.revision ?? -1) + 1;
      const blocks = range / BLOCK_REVISIONS;
      for (let complete = Math.floor((all[0]?.revision ?? 0) / range); (complete + 1) * range <= end; complete += 1)
        await tx.run('subjects-merge', MERGE, [complete * blocks, (complete + 1) * blocks]);
    },
  };
}

export const subjects: Projection = subjectIndex(RANGE_REVISIONS);

/** The entries of a batch, and where those of each block begin and end among them. */
class Entries {
  readonly subjects: string[] = [];
  readonly #revisions: number[] = [];
  readonly #blocks: number[] = [];
  readonly #begins: number[] = [];
  readonly #ends: number[] = [];

  add(subject: string, revision: number): void {
    this.subjects.push(subject);
    this.#revisions.push(revision);
    const block = Math.floor(revision / BLOCK_REVISIONS);
    if (this.#blocks.at(-1) !== block) {
      this.#blocks.push(block);
      this.#begins.push(this.subjects.length);
      this.#ends.push(this.subjects.length);
    }
    this.#ends[this.#ends.length - 1] = this.subjects.length;
  }

  values(): readonly (readonly unknown[])[] {
    return [this.subjects, this.#revisions, this.#blocks, this.#begins, this.#ends];
  }
}
