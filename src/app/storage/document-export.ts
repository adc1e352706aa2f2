import type { AccessContext } from '../../domain/access/context.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { boardMetric } from '../../domain/query/board-metric.ts';
import { listedTime } from '../../domain/record/listed-at.ts';
import { csvLine } from '../../kernel/csv.ts';
import { type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { AppContext } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { DocumentRow } from '../ports/documents.ts';
import type { Project } from '../project/project.ts';
import { leavesOf } from './list-orders.ts';
import type { Bounds } from './list-walk.ts';
import { documentOf } from './query-runs.ts';

/**
 * All documents of a collection as of one revision, however many there are. They are read by their keys in small pages, with no transaction
 * between them: what changed after the revision is folded from the log as it was. No key is ever gone from the table, so nothing is missed,
 * and what a slow client does not take is not read.
 */

export type ExportFormat = 'ndjson' | 'csv';

/** What is exported. */
export interface Exported {
  readonly project: Project;
  readonly access: AccessContext;
  readonly collection: CollectionModel;
  readonly revision: number;
  readonly bounds: Bounds;
  readonly format: ExportFormat;
  /** Of CSV: dotted paths; `null`: all fields of the schema. */
  readonly columns: readonly string[] | null;
  /** What whoever asks may see of a document just then. */
  shown(document: JsonObject): JsonObject;
  owner(key: string, document: JsonObject): string | undefined;
}

/** A document as of the revision. */
interface ExportedDocument {
  readonly key: string;
  readonly version: number;
  /** Unix ms. */
  readonly updatedAt: number;
  readonly revision: number;
  readonly document: JsonObject;
}

/** Rows and bytes that are read at once. */
const ROWS = 500;
const BYTES = 256 * 1024;
/** The longest pause behind a page, ms: as long as the page took, so that half of what it takes is left to others. */
const LONGEST_PAUSE_MS = 250;

/** Texts that together are the file, a page at a time. `check` throws once whoever asks may not go on. */
export async function* exportedTexts(
  context: AppContext,
  past: Past,
  exported: Exported,
  check: () => Promise<void>,
): AsyncGenerator<string> {
  const { views, scheduler, roundRobin } = context;
  const { project, access, collection, bounds } = exported;
  const line = lineOf(exported);
  const pause = roundRobin.sharing(project.id);
  yield line.head;
  let at = { key: bounds.keys.low ?? '', isIncluded: true };
  for (;;) {
    const began = scheduler.monotonic();
    const rows = await views.documentRows(project.id, access.space, collection.id, { ...at, rows: ROWS, bytes: BYTES });
    let text = '';
    for (const row of rows) {
      if (bounds.keys.high !== null && row.key > bounds.keys.high) return void (yield text);
      const turn = pause();
      if (turn !== null) await turn;
      const document = row.revision > exported.revision ? await thenOf(past, exported, row.key) : nowOf(exported, row);
      if (document !== null && isWithin(exported, document.document)) text += line.of(document);
    }
    if (text !== '') yield text;
    const last = rows.at(-1);
    if (last === undefined) return;
    at = { key: last.key, isIncluded: false };
    await check();
    await scheduler.sleep(Math.min(scheduler.monotonic() - began, LONGEST_PAUSE_MS));
  }
}

function nowOf({ collection, access }: Exported, { text, ...row }: DocumentRow): ExportedDocument | null {
  return text === null ? null : { ...row, document: documentOf(text, collection, access) };
}

/** A document that was changed since, as it was. In a `next` space what was not changed there is live's. */
async function thenOf(past: Past, { project, access, collection, revision }: Exported, key: string): Promise<ExportedDocument | null> {
  const then = await past.documentAt(project, { space: access.space, collection: collection.id, key }, revision);
  if (then === null || then.document === null) return null;
  const document = access.settings.fillDefaults ? fillDefaults(collection.schema, then.document) : then.document;
  return { key, version: then.version, updatedAt: then.updatedAt, revision: then.changedAt, document };
}

/** Bounds of numbers and times, which no index serves here: all documents are passed anyway. */
function isWithin({ bounds: { field, low, high } }: Exported, document: JsonObject): boolean {
  if (field === null) return true;
  const value = field === 'time' ? listedTime(document) : boardMetric(document, field.path, null);
  return value !== null && (low === null || value >= low) && (high === null || value <= high);
}

interface Line {
  /** Before the first document. */
  readonly head: string;
  of(document: ExportedDocument): string;
}

const FACTS = ['_key', '_player', '_version', '_updatedAt', '_revision'] as const;

function lineOf({ format, columns, collection, shown, owner }: Exported): Line {
  const factsOf = ({ key, version, updatedAt, revision, document }: ExportedDocument) => {
    return { key, player: owner(key, document), version, updatedAt: new Date(updatedAt).toISOString(), revision };
  };
  if (format === 'ndjson') {
    const of = (each: ExportedDocument) => {
      const { player, ...facts } = factsOf(each);
      return `${stringifyJson({ ...facts, ...(player === undefined ? {} : { player }), document: shown(each.document) })}\n`;
    };
    return { head: '', of };
  }
  const paths = columns ?? leavesOf(collection.schema).map(({ path }) => path);
  const cells: (document: JsonObject) => readonly (Json | undefined)[] =
    paths.length === 0 ? (document) => [document] : (document) => paths.map((path) => getPath(document, path));
  return {
    head: csvLine([...FACTS, ...(paths.length === 0 ? ['document'] : paths)]),
    of: (each) => csvLine([...Object.values(factsOf(each)), ...cells(shown(each.document))]),
  };
}

/** Whose a document is; of a record, who wrote it. */
export function ownerOf({ type }: CollectionModel, key: string, document: JsonObject): string | undefined {
  if (type !== 'global') return playerOfKey(key) || undefined;
  const writer = document['_writerId'];
  return typeof writer === 'string' && writer !== '' ? writer : undefined;
}

/** A name that says what the file is, and as of which revision. */
export function exportName({ project, access, collection, revision, format }: Exported): string {
  const parts = [project.id, collection.id, ...(access.target === 'next' ? ['next'] : []), `r${revision}`];
  return `${parts.map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, '_')).join('-')}.${format}`;
}
