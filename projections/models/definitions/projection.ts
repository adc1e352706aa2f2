import { EMPTY_DEFINITIONS, evolveDefinitions } from '../../../src/domain/definition/model/evolve.ts';
import { isPublish, publishDifferences } from '../../../src/domain/definition/release/publish-difference.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { DefinitionItem, DefinitionsState } from '../../../src/domain/states.ts';
import { stringifyJson } from '../../../src/kernel/json.ts';
import type { Projection } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';
import { DEFINITIONS_QUERY, definitionsFrom } from './read.ts';

const SET = `
INSERT INTO {definition_sets} (project, generation, live_hash, next_hash) VALUES ($1, $2, $3, $4)
ON CONFLICT (project) DO UPDATE SET generation = excluded.generation, live_hash = excluded.live_hash, next_hash = excluded.next_hash`;

const PUT_ITEMS = `
INSERT INTO {definitions} (project, layer, kind, id, ordinal, hash, created_at, updated_at)
SELECT $1, layer, kind, id, ordinal, hash, created_at, updated_at
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bigint[], $8::bigint[])
  AS w (layer, kind, id, ordinal, hash, created_at, updated_at)
ON CONFLICT (project, layer, kind, id) DO UPDATE SET
  ordinal = excluded.ordinal, hash = excluded.hash, created_at = excluded.created_at, updated_at = excluded.updated_at`;

const DELETE_ITEMS = `
DELETE FROM {definitions} WHERE project = $1
  AND (layer, kind, id) IN (SELECT layer, kind, id FROM unnest($2::text[], $3::text[], $4::text[]) AS w (layer, kind, id))`;

/** Updates only position and number of parts, because a text never changes. */
const PUT_SOURCES = `
INSERT INTO {definition_sources} (project, hash, part, parts, ordinal, text)
SELECT $1, hash, part, parts, ordinal, body FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::text[])
  AS w (hash, part, parts, ordinal, body)
ON CONFLICT (project, hash, part) DO UPDATE SET parts = excluded.parts, ordinal = excluded.ordinal, text = excluded.text`;

const DELETE_SOURCES = `
DELETE FROM {definition_sources} WHERE project = $1
  AND (hash, part) IN (SELECT hash, part FROM unnest($2::text[], $3::int[]) AS w (hash, part))`;

const PUT_DIFFERENCES = `
INSERT INTO {publish_differences} (project, revision, differences)
SELECT $1, revision, differences::json FROM unnest($2::bigint[], $3::text[]) AS w (revision, differences)
ON CONFLICT DO NOTHING`;

interface ItemRow {
  readonly layer: string;
  readonly item: DefinitionItem;
  readonly ordinal: number;
}

interface SourceRow {
  readonly hash: string;
  readonly part: number;
  readonly parts: number;
  readonly ordinal: number;
  readonly text: string;
}

/** Writes the difference between the state before and after, because publishes are rare and their texts are large. */
export const definitions: Projection = {
  name: 'definitions',
  kind: 'state',
  derived: false,
  async project({ definitions: { before, after }, events, wiped }, tx) {
    if (after === null || before === after) return;
    const old = wiped ? null : before;
    await tx.run('definitions-set', SET, [after.generation, after.liveHash, after.nextHash]);
    await deleteGone(tx, old, after);
    await putItems(tx, old, after);
    await putSources(tx, old, after);
    await putDifferences(tx, old, events);
  },
};

function isDefinitionEvent({ type }: ProjectEvent): boolean {
  return type === 'source.stored' || type.startsWith('definitions.');
}

/** `null` when the project has no definitions yet. */
export function foldDefinitions(state: DefinitionsState | null, events: readonly ProjectEvent[]): DefinitionsState | null {
  const own = events.filter(isDefinitionEvent);
  return own.length === 0 ? state : own.reduce(evolveDefinitions, state ?? EMPTY_DEFINITIONS);
}

export async function loadDefinitions(tx: Transaction): Promise<DefinitionsState | null> {
  const [row] = await tx.run<{ body: string }>('definitions-load', DEFINITIONS_QUERY, []);
  return row ? definitionsFrom(row.body) : null;
}

function itemRows(state: DefinitionsState | null): Map<string, ItemRow> {
  const rows = new Map<string, ItemRow>();
  for (const layer of ['live', 'next'] as const) {
    for (const items of Object.values(state?.[layer] ?? {})) {
      [...items.values()].forEach((item, ordinal) => {
        rows.set(`${layer}/${item.kind}/${item.id}`, { layer, item, ordinal });
      });
    }
  }
  return rows;
}

function sourceRows(state: DefinitionsState | null): Map<string, SourceRow> {
  const rows = new Map<string, SourceRow>();
  [...(state?.sources ?? [])].forEach(([hash, text], ordinal) => {
    rows.set(`${hash}/0`, { hash, part: 0, parts: 1, ordinal, text });
  });
  [...(state?.partial ?? [])].forEach(([hash, pieces], ordinal) => {
    pieces.forEach((text, part) => {
      if (text !== undefined) rows.set(`${hash}/${part}`, { hash, part, parts: pieces.length, ordinal, text });
    });
  });
  return rows;
}

async function deleteGone(tx: Transaction, before: DefinitionsState | null, after: DefinitionsState): Promise<void> {
  const items = gone(itemRows(before), itemRows(after));
  if (items.length > 0) {
    const columns = [items.map((row) => row.layer), items.map((row) => row.item.kind), items.map((row) => row.item.id)];
    await tx.run('definitions-delete', DELETE_ITEMS, columns);
  }
  const sources = gone(sourceRows(before), sourceRows(after));
  if (sources.length === 0) return;
  await tx.run('sources-delete', DELETE_SOURCES, [sources.map((row) => row.hash), sources.map((row) => row.part)]);
}

async function putItems(tx: Transaction, before: DefinitionsState | null, after: DefinitionsState): Promise<void> {
  const old = itemRows(before);
  const rows = [...itemRows(after)].filter(([name, row]) => !sameItem(old.get(name), row)).map(([, row]) => row);
  if (rows.length === 0) return;
  await tx.run('definitions-put', PUT_ITEMS, [
    rows.map((row) => row.layer),
    rows.map((row) => row.item.kind),
    rows.map((row) => row.item.id),
    rows.map((row) => row.ordinal),
    rows.map((row) => row.item.hash),
    rows.map((row) => row.item.createdAt),
    rows.map((row) => row.item.updatedAt),
  ]);
}

async function putSources(tx: Transaction, before: DefinitionsState | null, after: DefinitionsState): Promise<void> {
  const old = sourceRows(before);
  const rows = [...sourceRows(after)].filter(([name, row]) => !sameSource(old.get(name), row)).map(([, row]) => row);
  if (rows.length === 0) return;
  await tx.run('sources-put', PUT_SOURCES, [
    rows.map((row) => row.hash),
    rows.map((row) => row.part),
    rows.map((row) => row.parts),
    rows.map((row) => row.ordinal),
    rows.map((row) => row.text),
  ]);
}

/** Each publish is compared with the definitions that it met, which the events before it in the batch made. */
async function putDifferences(tx: Transaction, before: DefinitionsState | null, events: readonly ProjectEvent[]): Promise<void> {
  if (!events.some(isPublish)) return;
  let state = before ?? EMPTY_DEFINITIONS;
  const rows: (readonly [revision: number, differences: string])[] = [];
  for (const event of events) {
    if (isPublish(event)) rows.push([event.revision, stringifyJson(publishDifferences(state, event))]);
    state = evolveDefinitions(state, event);
  }
  await tx.run('differences-put', PUT_DIFFERENCES, [rows.map(([revision]) => revision), rows.map(([, differences]) => differences)]);
}

function sameItem(a: ItemRow | undefined, b: ItemRow): boolean {
  return (
    a?.ordinal === b.ordinal &&
    a.item.hash === b.item.hash &&
    a.item.createdAt === b.item.createdAt &&
    a.item.updatedAt === b.item.updatedAt
  );
}

function sameSource(a: SourceRow | undefined, b: SourceRow): boolean {
  return a?.ordinal === b.ordinal && a.parts === b.parts && a.text === b.text;
}

function gone<Row>(before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): Row[] {
  return [...before].filter(([name]) => !after.has(name)).map(([, row]) => row);
}
