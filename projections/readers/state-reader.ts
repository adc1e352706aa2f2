import type { Pool } from 'pg';
import type { Checkpoint, StateReader } from '../../src/app/ports/state-reader.ts';
import type { SubjectKind, SubjectState } from '../../src/domain/states.ts';
import { kindOf, type Subject } from '../../src/domain/subjects.ts';
import { countDocumentsAfter } from '../models/documents/count.ts';
import { readDocumentKeys } from '../models/documents/keys.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import { STATE_NAMES } from '../registry.ts';
import { revisionOf, throughViews } from '../through-views.ts';
import { COLUMN_TYPES, type Column, STATE_LOADERS, type StateLoader, type StateRow } from './state-loaders.ts';
import type { RunRead } from './view-reader.ts';

/** The most subjects that are loaded by one statement. Loads of the same turn of the event loop are merged. */
const MERGED = 500;

const CHECKPOINT = `
SELECT c.revision, c.hash FROM savepoint.projection_versions v
JOIN savepoint.checkpoints c ON c.project = $1 AND c.projection = v.name AND c.version = v.active
WHERE v.name = ANY ($2) ORDER BY c.revision LIMIT 1`;

interface Loaded {
  readonly revision: number;
  readonly states: ReadonlyMap<Subject, SubjectState>;
}

interface Gathering {
  readonly subjects: Set<Subject>;
  readonly answer: Promise<Loaded>;
}

/**
 * Loads states for decisions. All subjects of a project that are requested in the same turn of the event loop are loaded by one statement,
 * which reads rows and checkpoint from one snapshot.
 */
export function createStateReader(pool: Pool, run: RunRead = (_, read) => read()): StateReader {
  const gathering = new Map<string, Gathering>();

  const gather = (projectId: string): Gathering => {
    const open = gathering.get(projectId);
    if (open && open.subjects.size < MERGED) return open;
    const subjects = new Set<Subject>();
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (gathering.get(projectId) === made) gathering.delete(projectId);
      return run(projectId, () => loadStates(pool, projectId, [...subjects]));
    });
    const made: Gathering = { subjects, answer };
    gathering.set(projectId, made);
    return made;
  };

  return {
    async checkpoint(projectId): Promise<Checkpoint | null> {
      const values = [projectId, STATE_NAMES];
      const { rows } = await pool.query<{ revision: string; hash: string }>({
        ...QUERY_TIMEOUT,
        name: 'checkpoint',
        text: CHECKPOINT,
        values,
      });
      const [row] = rows;
      return row === undefined || Number(row.revision) < 0 ? null : { revision: Number(row.revision), hash: row.hash };
    },

    async load(projectId, subjects) {
      const together = gather(projectId);
      for (const subject of subjects) together.subjects.add(subject);
      const { revision, states } = await together.answer;
      return { revision, states: subjects.map((subject) => states.get(subject) ?? null) };
    },

    documentKeys: (projectId, space, collection, most) => run(projectId, () => readDocumentKeys(pool, projectId, space, collection, most)),

    countDocuments: (projectId, ...args) => run(projectId, () => countDocumentsAfter(pool, projectId, ...args)),
  };
}

async function loadStates(pool: Pool, projectId: string, subjects: readonly Subject[]): Promise<Loaded> {
  const { kinds, values } = sorted(subjects);
  const { rows } = await pool.query<Row>({ ...QUERY_TIMEOUT, ...statementOf(kinds), values: [projectId, ...values] });
  let revision = -1;
  const states = new Map<Subject, SubjectState>();
  for (const row of rows) {
    const subject = row.kind === null ? undefined : subjects[row.i];
    if (row.kind === null) revision = Number(row.revision);
    else if (subject !== undefined) states.set(subject, STATE_LOADERS[row.kind].state(row));
  }
  return { revision, states };
}

interface Row extends StateRow {
  /** `null`: the row with the revision of the state tables, from the same snapshot as all others. */
  readonly kind: SubjectKind | null;
  /** Index among the requested subjects. */
  readonly i: number;
  readonly revision: string | null;
}

/** In the order in which views are switched to new tables: another one could deadlock with a rebuild. */
const KINDS = Object.keys(STATE_LOADERS) as SubjectKind[];

/** The kinds of the requested subjects, and the values for each: first the indexes, then a list for each key column. */
function sorted(subjects: readonly Subject[]): { readonly kinds: readonly SubjectKind[]; readonly values: readonly unknown[] } {
  const requested = new Map<SubjectKind, (readonly [index: number, ...parts: readonly string[]])[]>();
  for (const [index, subject] of subjects.entries()) {
    const kind = kindOf(subject);
    const rows = requested.get(kind) ?? [];
    requested.set(kind, rows);
    rows.push([index, ...STATE_LOADERS[kind].keyOf(subject.split('/').slice(1))]);
  }
  const kinds = KINDS.filter((kind) => requested.has(kind));
  const values = kinds.flatMap((kind) => {
    const width = 1 + Object.keys(STATE_LOADERS[kind].keyColumns).length;
    return Array.from({ length: width }, (_, column) => (requested.get(kind) ?? []).map((row) => row[column]));
  });
  return { kinds, values };
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Prepared statements by the combination of kinds that they load, of which decisions use few. */
const statements = new Map<string, Statement>();

function statementOf(kinds: readonly SubjectKind[]): Statement {
  const name = `load-${kinds.join('-')}`;
  const known = statements.get(name);
  if (known) return known;
  const columns = columnsOf(kinds);
  let parameter = 2;
  const selects = [`SELECT NULL AS kind, 0 AS i, ${revisionOf(STATE_NAMES)}::bigint AS revision${expressionsOf(columns, {})}`];
  for (const kind of kinds) {
    const loader = STATE_LOADERS[kind];
    const lists = ['int', ...Object.values(loader.keyColumns)].map((type) => `$${parameter++}::${type}[]`);
    const names = ['i', ...Object.keys(loader.keyColumns)];
    selects.push(
      `SELECT '${kind}', w.i, NULL::bigint${expressionsOf(columns, loader.columns)}
FROM unnest(${lists.join(', ')}) AS w (${names.join(', ')}) JOIN ${loader.rows}`,
    );
  }
  const made = { name, text: throughViews(selects.join('\nUNION ALL\n')) };
  statements.set(name, made);
  return made;
}

/** Columns of any of these kinds. */
function columnsOf(kinds: readonly SubjectKind[]): readonly Column[] {
  const used = new Set(kinds.flatMap((kind) => Object.keys(STATE_LOADERS[kind].columns)));
  return (Object.keys(COLUMN_TYPES) as Column[]).filter((column) => used.has(column));
}

function expressionsOf(columns: readonly Column[], expressions: StateLoader['columns']): string {
  return columns.map((column) => `, ${expressions[column] ?? 'NULL'}::${COLUMN_TYPES[column]} AS ${column}`).join('');
}
