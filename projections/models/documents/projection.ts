import { evolveDocument, isDocumentEvent, statesBalances } from '../../../src/domain/document/evolve.ts';
import { isThere, storedText } from '../../../src/domain/document/packed.ts';
import type { ProjectEvent } from '../../../src/domain/events.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { documentSubject, type SubjectKey } from '../../../src/domain/subjects.ts';
import { groupBy } from '../../../src/kernel/group.ts';
import { type JsonObject, parseStored } from '../../../src/kernel/json.ts';
import { textArray } from '../../../src/log/postgres/arrays.ts';
import { type DocumentChange, keyOf, type Projection, type StoredDocumentEvent } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';
import { balancesColumn, balancesFrom } from './balances.ts';

const PRIORS = `
SELECT w.i::int AS i, d.version, d.created_at, d.updated_at, d.created_revision, d.document IS NULL AS deleted, d.told::text AS told, d.reached,
       CASE WHEN w.wanted THEN d.document::text END AS text
FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) WITH ORDINALITY AS w (space, collection, key, wanted, i)
JOIN {documents} d ON d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key`;

/** Where the beginning of a document's present life is stated; see {@link DocumentChange.begun}. */
type Begun = DocumentChange['begun'];

/** `null` stands for a deleted document. */
const upsert = (begun: Begun, balances: string) => `
INSERT INTO {documents} AS d
       (project, space, collection, key, document, version, created_at, updated_at, created_revision, revision, told, reached)
SELECT $1, space, collection, key, CASE WHEN json_typeof(document) <> 'null' THEN document END,
       version, created_at, updated_at, created_revision, revision, NULLIF(told, '')::json, NULLIF(reached, '')::jsonb
FROM unnest($2::text[], $3::text[], $4::text[], $5::json[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[],
            $12::text[])
  AS w (space, collection, key, document, version, created_at, updated_at, created_revision, revision, told, reached)
ON CONFLICT (project, space, collection, key) DO UPDATE SET
  document = excluded.document, version = excluded.version, updated_at = excluded.updated_at, revision = excluded.revision,
  created_at = ${CREATED[begun]('created_at')}, created_revision = ${CREATED[begun]('created_revision')}, told = ${balances},
  reached = ${REACHED[begun]}`;

const CREATED: Readonly<Record<Begun, (column: string) => string>> = {
  here: (column) => `excluded.${column}`,
  'live row': (column) => `CASE WHEN d.document IS NULL THEN excluded.${column} ELSE d.${column} END`,
  'any row': (column) => `d.${column}`,
};

/** `any row` is that of a document which the batch deletes. */
const REACHED: Readonly<Record<Begun, string>> = {
  here: 'excluded.reached',
  'live row': `CASE WHEN d.document IS NULL OR d.reached IS NULL OR excluded.document IS NULL THEN excluded.reached
    ELSE d.reached || coalesce(excluded.reached, '{}') END`,
  'any row': 'NULL',
};

/** Statements by {@link upsertName}. */
const UPSERTS: ReadonlyMap<string, string> = new Map(
  (['here', 'live row', 'any row'] as const).flatMap((begun) =>
    [true, false].map((balancesUnchanged) => [
      upsertName({ begun, balancesUnchanged }),
      upsert(begun, balancesUnchanged ? 'd.told' : 'excluded.told'),
    ]),
  ),
);

function upsertName({ begun, balancesUnchanged }: Pick<DocumentChange, 'begun' | 'balancesUnchanged'>): string {
  return `documents-upsert-${begun.replace(' ', '-')}${balancesUnchanged ? '-told' : ''}`;
}

interface PriorRow {
  readonly i: number;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_revision: string;
  readonly deleted: boolean;
  readonly told: string | null;
  readonly reached: Reached | null;
  readonly text: string | null;
}

type Reached = DocumentChange['reached'];

interface Prior {
  readonly state: DocumentState | null;
  readonly createdRevision: number;
  readonly reached: Reached;
}

const NOTHING: Reached = {};
const NO_ROW: Prior = { state: null, createdRevision: -1, reached: NOTHING };

/** A placeholder for a live document whose content the next event replaces. */
const REPLACED: JsonObject = {};

export const documents: Projection = {
  name: 'documents',
  kind: 'state',
  derived: false,
  async project(batch, tx) {
    for (const [name, rows] of groupBy(batch.documents, upsertName)) {
      await tx.run(name, UPSERTS.get(name) ?? '', [
        rows.map((row) => row.space),
        rows.map((row) => row.collection),
        rows.map((row) => row.key),
        textArray(
          rows.map((row) => storedOrNull(row.state)),
          'json',
        ),
        rows.map((row) => row.state.version),
        rows.map((row) => row.state.createdAt),
        rows.map((row) => row.state.updatedAt),
        rows.map((row) => row.createdRevision),
        rows.map((row) => row.revision),
        rows.map((row) => balancesColumn(row.state)),
        rows.map(({ reached }) => (reached === NOTHING ? '' : JSON.stringify(reached))),
      ]);
    }
  },
};

export interface FoldOptions {
  /** Whether existing rows are ignored, as if the table were empty. */
  readonly fresh: boolean;
  /** Collections whose documents need an exact beginning here. In the others the statement takes it from the document's row. */
  readonly exactly: ReadonlySet<string>;
}

/**
 * The last state of every document that the events touch. Rows are read only where the events do not suffice: nearly every write contains the
 * whole document, and the statement takes the time of its beginning from its row.
 */
export async function foldDocuments(
  tx: Transaction,
  events: readonly ProjectEvent[],
  { fresh, exactly }: FoldOptions,
): Promise<DocumentChange[]> {
  const groups = groupBy(events.filter(isDocumentEvent), (event) => documentSubject(event.data.space, event.data.collection, keyOf(event)));
  const needsRow = (group: readonly StoredDocumentEvent[]) => {
    const [first] = group;
    return first !== undefined && (needsContent(first) || needsBalances(group) || exactly.has(first.data.collection));
  };
  const needed = fresh ? [] : [...groups].filter(([, group]) => needsRow(group));
  const priors = await loadPriors(tx, new Map(needed));
  return [...groups].flatMap(([subject, group]) => foldOne(group, priors.get(subject) ?? (fresh ? NO_ROW : undefined)));
}

/** `prior`: the row before the events; `undefined` where it was not read. */
function foldOne(events: readonly StoredDocumentEvent[], prior: Prior | undefined): DocumentChange[] {
  const [first, last] = [events[0], events.at(-1)];
  let state = prior?.state ?? null;
  let createdRevision = prior?.createdRevision ?? -1;
  let reached = prior?.reached ?? NOTHING;
  let begun: Begun = prior === undefined && first ? begunBy(first) : 'here';
  for (const event of events) {
    const next = evolveDocument(state, event, event.metadata.recordedAt);
    const begins = !isThere(state) && isThere(next);
    if (begins && event !== first) begun = 'here';
    if (begins || createdRevision < 0) createdRevision = event.revision;
    reached = reachedAfter(begins ? NOTHING : reached, event);
    state = next;
  }
  if (last === undefined || state === null) return [];
  const { space, collection } = last.data;
  const balancesUnchanged = prior === undefined && !events.some(statesBalances);
  return [{ space, collection, key: keyOf(last), state, createdRevision, begun, balancesUnchanged, reached, revision: last.revision }];
}

function reachedAfter(before: Reached, event: StoredDocumentEvent): Reached {
  if (event.type === 'document.deleted') return NOTHING;
  if (event.type !== 'document.written' || event.data.reached === undefined) return before;
  return { ...before, ...Object.fromEntries(event.data.reached.map((path) => [path, event.revision])) };
}

/** Whether the ledger gets an entry before any event states the balances. */
function needsBalances(events: readonly StoredDocumentEvent[]): boolean {
  const first = events.find((event) => statesBalances(event) || event.data.ledger !== undefined);
  return first !== undefined && !statesBalances(first);
}

/** A fork is the first event of its document in that space, and an append the first of its record, so there is no row before them. */
function begunBy({ type, data }: StoredDocumentEvent): Begun {
  if (type === 'record.appended' || data.fork !== undefined) return 'here';
  return type === 'document.written' ? 'live row' : 'any row';
}

/** The rows before these groups of events; every group has an entry, also without a row. */
async function loadPriors(
  tx: Transaction,
  groups: ReadonlyMap<SubjectKey, readonly StoredDocumentEvent[]>,
  isWanted: (event: StoredDocumentEvent) => boolean = needsContent,
): Promise<ReadonlyMap<SubjectKey, Prior>> {
  if (groups.size === 0) return new Map();
  const firsts = [...groups.values()].flatMap((group) => group.slice(0, 1));
  const rows = await tx.run<PriorRow>('documents-priors', PRIORS, [
    firsts.map((event) => event.data.space),
    firsts.map((event) => event.data.collection),
    firsts.map(keyOf),
    firsts.map(isWanted),
  ]);
  const found = new Map(
    rows.map((row) => [
      row.i - 1,
      { state: priorState(row), createdRevision: Number(row.created_revision), reached: row.reached ?? NOTHING },
    ]),
  );
  return new Map([...groups.keys()].map((subject, index) => [subject, found.get(index) ?? NO_ROW]));
}

const GONE: DocumentState = { document: null, version: 0, createdAt: 0, updatedAt: 0 };

/** The documents that the events touch, as their rows are now: for a view that catches up after the state tables. */
export async function loadTouched(tx: Transaction, events: readonly ProjectEvent[]): Promise<DocumentChange[]> {
  const groups = groupBy(events.filter(isDocumentEvent), (event) => documentSubject(event.data.space, event.data.collection, keyOf(event)));
  const priors = await loadPriors(tx, groups, () => true);
  return [...groups].flatMap(([subject, group]) => {
    const last = group.at(-1);
    const { state, createdRevision, reached } = priors.get(subject) ?? NO_ROW;
    if (last === undefined) return [];
    const { space, collection } = last.data;
    return [
      {
        space,
        collection,
        key: keyOf(last),
        state: state ?? GONE,
        createdRevision,
        begun: 'here',
        balancesUnchanged: true,
        reached,
        revision: last.revision,
      },
    ];
  });
}

function needsContent(event: StoredDocumentEvent): boolean {
  if (event.type !== 'document.written' || event.after !== undefined) return false;
  return event.data.changes !== undefined && event.data.fork === undefined;
}

function priorState(row: PriorRow): DocumentState {
  const document = row.deleted ? null : row.text === null ? REPLACED : parseStored(row.text);
  const [version, createdAt, updatedAt] = [Number(row.version), Number(row.created_at), Number(row.updated_at)];
  return { document, version, createdAt, updatedAt, balances: balancesFrom(row.told) };
}

function storedOrNull(state: DocumentState): string {
  return isThere(state) ? storedText(state) : 'null';
}
