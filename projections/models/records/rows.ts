import { isThere } from '../../../src/domain/document/packed.ts';
import { listedTime } from '../../../src/domain/record/listed-at.ts';
import type { DocumentChange } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

/** The rows of listed records. */

const UPSERT = `
INSERT INTO {records} (project, space, collection, record_id, listed_at, sequence)
SELECT $1, space, collection, record_id, listed_at, sequence
FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS w (space, collection, record_id, listed_at, sequence)
ON CONFLICT (project, space, collection, record_id) DO UPDATE SET listed_at = excluded.listed_at, sequence = excluded.sequence`;

const DELETE = `
DELETE FROM {records} WHERE project = $1 AND (space, collection, record_id) IN
  (SELECT space, collection, record_id FROM unnest($2::text[], $3::text[], $4::text[]) AS w (space, collection, record_id))`;

type Named = Pick<DocumentChange, 'space' | 'collection' | 'key'>;

export interface Row extends Omit<Named, 'space'> {
  readonly space: string;
  readonly listedAt: number;
  readonly sequence: number;
}

/** Writes changed documents into their lists. */
export async function carry(tx: Transaction, documents: readonly DocumentChange[]): Promise<void> {
  await remove(
    tx,
    documents.filter(({ state }) => !isThere(state)),
  );
  await upsert(tx, documents.flatMap(rowOf));
}

function rowOf({ space, collection, key, state: { document }, createdRevision }: DocumentChange): Row[] {
  if (document === null) return [];
  return [{ space, collection, key, listedAt: listedTime(document), sequence: createdRevision }];
}

export async function upsert(tx: Transaction, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run('records-upsert', UPSERT, [
    rows.map((row) => row.space),
    rows.map((row) => row.collection),
    rows.map((row) => row.key),
    rows.map((row) => row.listedAt),
    rows.map((row) => row.sequence),
  ]);
}

export async function remove(tx: Transaction, gone: readonly Omit<Row, 'listedAt' | 'sequence'>[]): Promise<void> {
  if (gone.length === 0) return;
  await tx.run('records-delete', DELETE, [gone.map((row) => row.space), gone.map((row) => row.collection), gone.map((row) => row.key)]);
}
