import { evolveDocument, evolvePosted, isDocumentEvent, keyOf } from '../../../src/domain/document/evolve.ts';
import { isThere, storedText } from '../../../src/domain/document/packed.ts';
import type { Posting, ProjectEvent, Space } from '../../../src/domain/events.ts';
import type { DocumentState } from '../../../src/domain/states.ts';
import { documentSubject, type SubjectKey } from '../../../src/domain/subjects.ts';
import { groupBy } from '../../../src/kernel/group.ts';
import { type JsonObject, parseStored } from '../../../src/kernel/json.ts';
import { textArray } from '../../../src/log/postgres/arrays.ts';
import type { DocumentChange, Projection, StoredDocumentEvent } from '../../batch.ts';
import type { Transaction } from '../../tables.ts';

const PRIORS = `
SELECT w.i::int AS i, d.version, d.created_at, d.updated_at, d.created_revision, d.document IS NULL AS deleted, d.balances::text AS balances, d.parts, d.reached,
       CASE WHEN w.wanted THEN d.document::text END AS text
FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) WITH ORDINALITY AS w (space, collection, key, wanted, i)
JOIN {documents} d ON d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key`;

/** Where the beginning of a document's present life is stated; see {@link DocumentChange.begun}. */
type Begun = DocumentChange['begun'];

/** `null` stands for a deleted document. */
const upsert = (begun: Begun, balances: string) => `
INSERT INTO {documents} AS d
       (project, space, collection, key, document, version, created_at, updated_at, created_revision, revision, balances, reached, parts)
SELECT $1, space, collection, key, CASE WHEN json_typeof(document) <> 'null' THEN document END,
       version, created_at, updated_at, created_revision, revision, NULLIF(balances, '')::json, NULLIF(reached, '')::jsonb, NULLIF(parts, '')::json
FROM unnest($2::text[], $3::text[], $4::text[], $5::json[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[],
            $12::text[], $13::text[])
  AS w (space, collection, key, document, version, created_at, updated_at, created_revision, revision, balances, reached, parts)
ON CONFLICT (project, space, collection, key) DO UPDATE SET
  document = excluded.document, version = excluded.version, updated_at = excluded.updated_at, revision = excluded.revision,
  created_at = ${CREATED[begun]('created_at')}, created_revision = ${CREATED[begun]('created_revision')}, balances = ${balances},
  reached = ${REACHED[begun]}, parts = excluded.parts`;

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
      upsert(begun, balancesUnchanged ? 'd.balances' : 'excluded.balances'),
    ]),
  ),
);

function upsertName({ begun, balancesUnchanged }: Pick<DocumentChange, 'begun' | 'balancesUnchanged'>): string {
  return `documents-upsert-${begun.replace(' ', '-')}${balancesUnchanged ? '-same-balances' : ''}`;
}

interface PriorRow {
  readonly i: number;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_revision: string;
  readonly deleted: boolean;
  readonly balances: string | null;
  readonly parts: DocumentState['parts'] | null;
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
        rows.map(({ state }) => state.balances ?? ''),
        rows.map(({ reached }) => (reached === NOTHING ? '' : JSON.stringify(reached))),
        rows.map(({ state }) => (state.parts === undefined ? '' : JSON.stringify(state.parts))),
      ]);
    }
    await projectLatePostings(batch.events, tx);
  },
};

const BALANCES = `
UPDATE {documents} d SET balances = NULLIF(w.balances, '')::json
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS w (space, collection, key, balances)
WHERE d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key`;

/**
 * Where a batch begins inside a commit, the batch before may have written the document of the posting that ends it. That is the first
 * posting here, and a document that is written again here has it counted already.
 */
async function projectLatePostings(events: readonly ProjectEvent[], tx: Transaction): Promise<void> {
  const place = events.findIndex(({ type }) => type === 'ledger.posted');
  const first = events[place];
  if (first === undefined) return;
  const before = new Set(events.slice(0, place).filter(isDocumentEvent).map(subjectOf));
  const posted = postedBy(first).filter(({ subject }) => !before.has(subject));
  if (posted.length === 0) return;
  const after = new Set(events.slice(place).filter(isDocumentEvent).map(subjectOf));
  const late = [...groupBy(posted, ({ subject }) => subject)].flatMap(([subject, group]) => {
    const [head] = group;
    return head === undefined || after.has(subject) ? [] : [{ ...head, group }];
  });
  if (late.length === 0) return;
  const spaces = late.map(({ space }) => space);
  const collections = late.map(({ posting }) => posting.collection);
  const keys = late.map(({ posting }) => posting.key);
  const rows = await tx.run<PriorRow>('documents-priors', PRIORS, [spaces, collections, keys, late.map(() => false)]);
  const balances = new Map(rows.map((row) => [row.i - 1, afterPostings(priorState(row), late[row.i - 1]?.group ?? []).balances ?? '']));
  await tx.run('documents-balances', BALANCES, [spaces, collections, keys, late.map((_, index) => balances.get(index) ?? '')]);
}

function afterPostings(state: DocumentState, posted: readonly Posted[]): DocumentState {
  return posted.reduce((before, { posting, balances }) => evolvePosted(before, posting, balances), state);
}

export interface FoldOptions {
  /** Whether existing rows are ignored, as if the table were empty. */
  readonly fresh: boolean;
  /** Collections whose documents need an exact beginning here. In the others the statement takes it from the document's row. */
  readonly exactly: ReadonlySet<string>;
}

/**
 * The last state of every document that the events touch. Rows are read only where the events do not suffice: nearly every write contains
 * the whole document, and the statement takes the time of its beginning from its row.
 */
export async function foldDocuments(
  tx: Transaction,
  events: readonly ProjectEvent[],
  { fresh, exactly }: FoldOptions,
): Promise<DocumentChange[]> {
  const groups = groupBy(events.filter(isDocumentEvent), subjectOf);
  const posted = groupBy(events.flatMap(postedBy), ({ subject }) => subject);
  const needsRow = ([subject, [first]]: readonly [SubjectKey, readonly StoredDocumentEvent[]]) => {
    if (first === undefined) return false;
    return needsContent(first) || needsBalances(first, posted.get(subject)) || exactly.has(first.data.collection);
  };
  const needed = fresh ? [] : [...groups].filter(needsRow);
  const priors = await loadPriors(tx, new Map(needed));
  return [...groups].flatMap(([subject, group]) => {
    return foldOne(group, posted.get(subject) ?? NO_POSTINGS, priors.get(subject) ?? (fresh ? NO_ROW : undefined));
  });
}

/** `prior`: the row before the events; `undefined` where it was not read. */
function foldOne(events: readonly StoredDocumentEvent[], posted: readonly Posted[], prior: Prior | undefined): DocumentChange[] {
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
  // A posting changes balances alone, and an event of a document changes them only where it begins the document's life in its space.
  if (state !== null) state = afterPostings(state, posted);
  if (last === undefined || state === null) return [];
  const { space, collection } = last.data;
  const balancesUnchanged = prior === undefined && posted.length === 0 && !beginsBalances(events[0]);
  return [{ space, collection, key: keyOf(last), state, createdRevision, begun, balancesUnchanged, reached, revision: last.revision }];
}

function reachedAfter(before: Reached, event: StoredDocumentEvent): Reached {
  if (event.type === 'document.deleted') return NOTHING;
  if (event.type !== 'document.written' || event.data.reached === undefined) return before;
  return { ...before, ...Object.fromEntries(event.data.reached.map((path) => [path, event.revision])) };
}

/** Whether the balances after these postings depend on those in the row. */
function needsBalances(first: StoredDocumentEvent, posted: readonly Posted[] = NO_POSTINGS): boolean {
  return posted.length > 0 && posted.at(-1)?.balances === undefined && !beginsBalances(first);
}

/** Whether the balances after this event are known without those before it. */
function beginsBalances(event: StoredDocumentEvent | undefined): boolean {
  return event !== undefined && (event.type === 'record.appended' || event.data.fork !== undefined);
}

/** A posting to the ledger of one document. `balances`: those after it, if this process decided it. */
interface Posted {
  readonly subject: SubjectKey;
  readonly space: Space;
  readonly posting: Posting;
  readonly balances: { readonly text: string | undefined } | undefined;
}

const NO_POSTINGS: readonly Posted[] = [];

function postedBy({ type, data, balances }: ProjectEvent): Posted[] {
  if (type !== 'ledger.posted') return [];
  return data.postings.map((posting, place) => ({
    subject: documentSubject(data.space, posting.collection, posting.key),
    space: data.space,
    posting,
    balances: balances && { text: balances[place] },
  }));
}

function subjectOf(event: StoredDocumentEvent): SubjectKey {
  return documentSubject(event.data.space, event.data.collection, keyOf(event));
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
  const groups = groupBy(events.filter(isDocumentEvent), subjectOf);
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
  return { document, version, createdAt, updatedAt, balances: row.balances ?? undefined, parts: row.parts ?? undefined };
}

function storedOrNull(state: DocumentState): string {
  return isThere(state) ? storedText(state) : 'null';
}
