import { isThere } from '../../../src/domain/document/packed.ts';
import { isNumber, type Json, type JsonObject, toDouble } from '../../../src/kernel/json.ts';
import type { DocumentChange, Projection } from '../../batch.ts';
import type { Catalog } from '../../catalog.ts';
import { rowsInPages } from '../../rows-in-pages.ts';
import type { Session } from '../../tables.ts';
import { isDefinitionEvent } from '../definitions/project.ts';

const UPSERT = `
INSERT INTO {records} (project, space, collection, record_id, listed_at, sequence)
SELECT $1, space, collection, record_id, listed_at, sequence
FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS w (space, collection, record_id, listed_at, sequence)
ON CONFLICT (project, space, collection, record_id) DO UPDATE SET listed_at = excluded.listed_at, sequence = excluded.sequence`;

const DELETE = `
DELETE FROM {records} WHERE project = $1 AND (space, collection, record_id) IN
  (SELECT space, collection, record_id FROM unnest($2::text[], $3::text[], $4::text[]) AS w (space, collection, record_id))`;

const DELETE_COLLECTIONS = 'DELETE FROM {records} WHERE project = $1 AND collection = ANY ($2)';

const SCAN = `
SELECT space, collection, key, created_revision, document->>'_timestamp' AS stamp, json_typeof(document->'_timestamp') AS kind
FROM {documents} WHERE project = $1 AND collection = ANY ($2::text[]) AND document IS NOT NULL`;

interface Row {
  readonly space: string;
  readonly collection: string;
  readonly id: string;
  readonly listedAt: number;
  readonly sequence: number;
}

interface Scanned {
  readonly space: string;
  readonly collection: string;
  readonly key: string;
  readonly created_revision: string;
  readonly stamp: string | null;
  readonly kind: string | null;
}

/** Follows the documents of collections that the definitions, live or next, call global. */
export const records: Projection = {
  name: 'records',
  kind: 'view',
  derived: true,
  async project({ events, documents, catalog: { before, after }, wiped }, session) {
    if (before === null && (events.length === 0 || events.some(isDefinitionEvent))) return listAnew(session, after);
    const known = wiped ? new Set<string>() : (before ?? after).globals;
    await forget(
      session,
      [...known].filter((collection) => !after.globals.has(collection)),
    );
    const kept = documents.filter(({ collection }) => after.globals.has(collection) && known.has(collection));
    await remove(
      session,
      kept.filter(({ state }) => !isThere(state)),
    );
    await upsert(session, kept.flatMap(rowOf));
    await list(
      session,
      [...after.globals].filter((collection) => !known.has(collection)),
    );
  },
};

/** Nobody knows what was global before. */
async function listAnew(session: Session, { globals }: Catalog): Promise<void> {
  await session.wipe('records');
  await list(session, [...globals]);
}

/** When a record counts as made: its `_timestamp`, in unix ms or ISO text; 0, which sorts last, for any other. */
function listedAt(stamp: Json | undefined): number {
  const time = isNumber(stamp) ? Math.floor(toDouble(stamp)) : typeof stamp === 'string' ? Date.parse(stamp) : 0;
  return Number.isSafeInteger(time) ? time : 0;
}

function rowOf({ space, collection, key, state, createdRevision }: DocumentChange): Row[] {
  const { document } = state;
  if (document === null) return [];
  return [{ space, collection, id: key, listedAt: listedAt(own(document, '_timestamp')), sequence: createdRevision }];
}

function own(document: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

async function upsert(session: Session, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await session.run('records-upsert', UPSERT, [
    rows.map((row) => row.space),
    rows.map((row) => row.collection),
    rows.map((row) => row.id),
    rows.map((row) => row.listedAt),
    rows.map((row) => row.sequence),
  ]);
}

async function remove(session: Session, gone: readonly DocumentChange[]): Promise<void> {
  if (gone.length === 0) return;
  await session.run('records-delete', DELETE, [
    gone.map((row) => row.space),
    gone.map((row) => row.collection),
    gone.map((row) => row.key),
  ]);
}

async function forget(session: Session, collections: readonly string[]): Promise<void> {
  if (collections.length > 0) await session.run('records-forget', DELETE_COLLECTIONS, [collections]);
}

/** A collection that has become global: its documents are in their table already, those of this batch too. */
async function list(session: Session, collections: readonly string[]): Promise<void> {
  if (collections.length === 0) return;
  for await (const page of rowsInPages<Scanned>(session, SCAN, [collections])) {
    await upsert(
      session,
      page.map((row) => ({
        space: row.space,
        collection: row.collection,
        id: row.key,
        listedAt: listedAt(row.kind === 'number' ? Number(row.stamp) : row.kind === 'string' ? (row.stamp ?? '') : undefined),
        sequence: Number(row.created_revision),
      })),
    );
  }
}
