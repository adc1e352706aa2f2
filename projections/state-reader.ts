import type { Pool } from 'pg';
import type { Checkpoint, StateReader } from '../src/app/readers.ts';
import type { SubjectState } from '../src/domain/states.ts';
import { AUTHORITY, DEFINITIONS, type SubjectKey } from '../src/domain/subjects.ts';
import { AUTHORITY_QUERY, authorityFrom } from './authority/read.ts';
import { DEFINITIONS_QUERY, definitionsFrom } from './definitions/read.ts';
import { parseObject } from './documents/project.ts';
import { pageFrom } from './pages/project.ts';
import { IN_TIME } from './patience.ts';
import { STATE_NAMES } from './registry.ts';
import { recordListFrom } from './save_records/project.ts';
import { revisionOf, throughViews } from './through-views.ts';

/** Loads asked for in one turn are one statement, up to this many subjects. */
const MERGED = 500;

const CHECKPOINT = `
SELECT c.revision, c.hash FROM savepoint.projection_versions v
JOIN savepoint.checkpoints c ON c.project = $1 AND c.projection = v.name AND c.version = v.active
WHERE v.name = ANY ($2) ORDER BY c.revision LIMIT 1`;

const REVISION = `SELECT 'revision' AS kind, 0 AS i, NULL AS a, NULL AS b, ${revisionOf(STATE_NAMES)} AS m, NULL::bigint AS n, NULL::bigint AS o,
  NULL::double precision AS used, NULL::boolean AS flagged`;

/** $2 to $5: index, space, collection, key. */
const DOCUMENTS = `
SELECT 'document', w.i, d.document::text, NULL, d.version, d.created_at, d.updated_at, NULL, NULL
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[]) AS w (i, space, collection, key)
JOIN {documents} d ON d.project = $1 AND d.space = w.space AND d.collection = w.collection AND d.key = w.key`;

/** $6 to $8: index, space, counter. $9 to $13: index, space, collection, caller, key. $14 to $17: index, space, collection, player. $18, $19: index, slug. $20, $21: whether asked for. */
const OTHERS = `
UNION ALL
SELECT 'window', w.i, NULL, NULL, l.start, NULL, NULL, l.used, l.flagged
FROM unnest($6::int[], $7::text[], $8::text[]) AS w (i, space, counter)
JOIN {limits} l ON l.project = $1 AND l.space = w.space AND l.counter = w.counter
UNION ALL
SELECT 'idempotency', w.i, k.body_hash, k.record_id, k.timestamp, k.recorded_at, NULL, NULL, NULL
FROM unnest($9::int[], $10::text[], $11::text[], $12::text[], $13::text[]) AS w (i, space, collection, caller, key)
JOIN {idempotency} k ON k.project = $1 AND k.space = w.space AND k.collection = w.collection AND k.caller = w.caller AND k.key = w.key
UNION ALL
SELECT 'records', w.i, s.records::text, NULL, NULL, NULL, NULL, NULL, NULL
FROM unnest($14::int[], $15::text[], $16::text[], $17::text[]) AS w (i, space, collection, player)
JOIN {save_records} s ON s.project = $1 AND s.space = w.space AND s.collection = w.collection AND s.player = w.player
UNION ALL
SELECT 'page', w.i, p.page::text, NULL, p.created_at, p.updated_at, NULL, NULL, NULL
FROM unnest($18::int[], $19::text[]) AS w (i, slug)
JOIN {pages} p ON p.project = $1 AND p.slug = w.slug
UNION ALL
SELECT 'authority', 0, q.body, NULL, NULL, NULL, NULL, NULL, NULL FROM (${AUTHORITY_QUERY}) q WHERE $20
UNION ALL
SELECT 'definitions', 0, q.body, NULL, NULL, NULL, NULL, NULL, NULL FROM (${DEFINITIONS_QUERY}) q WHERE $21`;

const LOAD_DOCUMENTS = throughViews(`${REVISION}\nUNION ALL${DOCUMENTS}`);
const LOAD_ALL = throughViews(`${REVISION}\nUNION ALL${DOCUMENTS}${OTHERS}`);

interface Row {
  readonly kind: 'revision' | 'document' | 'window' | 'idempotency' | 'records' | 'page' | 'authority' | 'definitions';
  readonly i: number;
  readonly a: string | null;
  readonly b: string | null;
  readonly m: string | null;
  readonly n: string | null;
  readonly o: string | null;
  readonly used: number | null;
  readonly flagged: boolean | null;
}

interface Loaded {
  readonly revision: number;
  readonly states: ReadonlyMap<SubjectKey, SubjectState>;
}

interface Gathering {
  readonly subjects: Set<SubjectKey>;
  readonly answer: Promise<Loaded>;
}

/**
 * Loads states for decisions. Everything that is asked of one project in the same turn goes to the database together: one statement,
 * rows and checkpoint out of one snapshot.
 */
export function createStateReader(pool: Pool): StateReader {
  const gathering = new Map<string, Gathering>();

  const gather = (projectId: string): Gathering => {
    const open = gathering.get(projectId);
    if (open && open.subjects.size < MERGED) return open;
    const subjects = new Set<SubjectKey>();
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (gathering.get(projectId) === made) gathering.delete(projectId);
      return loadStates(pool, projectId, [...subjects]);
    });
    const made: Gathering = { subjects, answer };
    gathering.set(projectId, made);
    return made;
  };

  return {
    async checkpoint(projectId): Promise<Checkpoint | null> {
      const values = [projectId, STATE_NAMES];
      const { rows } = await pool.query<{ revision: string; hash: string }>({ ...IN_TIME, name: 'checkpoint', text: CHECKPOINT, values });
      const [row] = rows;
      return row === undefined || Number(row.revision) < 0 ? null : { revision: Number(row.revision), hash: row.hash };
    },

    async load(projectId, subjects) {
      const together = gather(projectId);
      for (const subject of subjects) together.subjects.add(subject);
      const { revision, states } = await together.answer;
      return { revision, states: subjects.map((subject) => states.get(subject) ?? null) };
    },
  };
}

async function loadStates(pool: Pool, projectId: string, subjects: readonly SubjectKey[]): Promise<Loaded> {
  const { documents, windows, answers, lists, pages, authority, definitions } = sorted(subjects);
  const onlyDocuments = documents.length === subjects.length;
  const values: unknown[] = [projectId, ...columns(documents, 4)];
  if (!onlyDocuments)
    values.push(...columns(windows, 3), ...columns(answers, 5), ...columns(lists, 4), ...columns(pages, 2), authority, definitions);
  const query = onlyDocuments ? { name: 'load-documents', text: LOAD_DOCUMENTS } : { name: 'load-all', text: LOAD_ALL };
  const { rows } = await pool.query<Row>({ ...IN_TIME, ...query, values });
  let revision = -1;
  const states = new Map<SubjectKey, SubjectState>();
  for (const row of rows) {
    if (row.kind === 'revision') revision = Number(row.m);
    else states.set(subjectOf(row, subjects), stateOf(row));
  }
  return { revision, states };
}

function subjectOf(row: Row, subjects: readonly SubjectKey[]): SubjectKey {
  if (row.kind === 'authority') return AUTHORITY;
  return row.kind === 'definitions' ? DEFINITIONS : (subjects[row.i] ?? '');
}

function stateOf(row: Row): SubjectState {
  switch (row.kind) {
    case 'document': {
      const document = row.a === null ? null : parseObject(row.a);
      return { document, version: Number(row.m), createdAt: Number(row.n), updatedAt: Number(row.o) };
    }
    case 'window':
      return { start: Number(row.m), used: row.used ?? 0, flagged: row.flagged ?? false };
    case 'idempotency':
      return { bodyHash: row.a ?? '', recordId: row.b ?? '', timestamp: Number(row.m), recordedAt: Number(row.n) };
    case 'records':
      return recordListFrom(row.a ?? '[]');
    case 'page':
      return pageFrom(row.a ?? '{}', Number(row.m), Number(row.n));
    case 'authority':
      return authorityFrom(row.a ?? '');
    case 'definitions':
      return definitionsFrom(row.a ?? '');
    case 'revision':
      throw new Error('the revision is no state');
  }
}

/** A subject's parts behind its index among all that are asked for. */
type Asked = readonly [index: number, ...parts: string[]];

function sorted(subjects: readonly SubjectKey[]) {
  const documents: Asked[] = [];
  const windows: Asked[] = [];
  const answers: Asked[] = [];
  const lists: Asked[] = [];
  const pages: Asked[] = [];
  subjects.forEach((subject, index) => {
    const [kind, ...parts] = subject.split('/');
    if (kind === 'document') documents.push([index, ...parts]);
    if (kind === 'records') lists.push([index, ...parts]);
    if (kind === 'page') pages.push([index, ...parts]);
    // Texts that callers choose come last and may hold a slash.
    if (kind === 'window') windows.push([index, parts[0] ?? '', parts.slice(1).join('/')]);
    if (kind === 'idempotency') answers.push([index, ...answerParts(parts)]);
  });
  return {
    documents,
    windows,
    answers,
    lists,
    pages,
    authority: subjects.includes(AUTHORITY),
    definitions: subjects.includes(DEFINITIONS),
  };
}

function answerParts([space = '', collection = '', caller = '', ...key]: readonly string[]): [string, string, string, string] {
  return [space, collection, caller, key.join('/')];
}

function columns(rows: readonly Asked[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
}
