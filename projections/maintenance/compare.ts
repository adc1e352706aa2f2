import type { Pool, PoolClient } from 'pg';
import type { RecordedEvent } from '../../src/log/port.ts';
import { SCRATCH_VERSION, type Table, tableName, withTables } from '../tables.ts';

/** A difference between the read models and the log, or a fault of the log. */
export interface Problem {
  /**
   * `chain`: the log was altered. `redaction`: data were removed that no event allows to remove. `foreign`: another program wrote to the
   * log. `history`: log and tables hold different histories. `unreadable`: the log cannot be folded. `behind`: a view is at another
   * revision and was not compared. `altered`, `added`, `missing`: a row differs, should not exist, or does not exist.
   */
  readonly kind: 'chain' | 'redaction' | 'foreign' | 'history' | 'unreadable' | 'behind' | 'altered' | 'added' | 'missing';
  readonly project: string;
  readonly table: string;
  /** The row's key: `column=value`, separated by `, `. */
  readonly row: string;
  readonly detail: string;
}

/** Of an event that another program wrote. `row`: where it stands. */
export function foreignProblem(project: string, row: string, { type, id }: Pick<RecordedEvent, 'type' | 'id'>): Problem {
  return { kind: 'foreign', project, table: 'log', row, detail: `another program wrote a ${type} (${id}); it is passed over` };
}

/** The most differences that are reported for one table of one project. */
const SHOWN = 100;
const SHOWN_CHARACTERS = 80;
type Values = Readonly<Record<string, unknown>>;

interface Difference {
  readonly found: Values | null;
  readonly log: Values | null;
}

/**
 * Hash joins read each table once, in its stored order, and use files for what does not fit into memory. In key order, each row would lie
 * on another page (measured with a table larger than the server's memory: three times as long per row).
 */
const HASH_JOINS_ONLY = 'SET LOCAL enable_seqscan = on; SET LOCAL enable_mergejoin = off; SET LOCAL enable_nestloop = off';

/**
 * Compares a project's rows in a version of a table with the scratch version, column by column; json and large numbers as text. Runs within
 * the client's transaction.
 */
export async function compareTable(client: PoolClient, table: Table, version: number, projectId: string): Promise<Problem[]> {
  const columns = await columnsOf(client, table, version);
  const finished =
    table.unfinished === undefined ? '' : ` AND NOT (${withTables(table.unfinished, new Map([[table.projection, version]]))})`;
  const rowsOf = (of: number) => `SELECT ${columns.join(', ')} FROM ${tableName(table.name, of)} t WHERE project = $1${finished}`;
  await client.query(HASH_JOINS_ONLY);
  const { rows } = await client.query<Difference>(
    `SELECT row_to_json(t) AS found, row_to_json(l) AS log FROM (${rowsOf(version)}) t FULL JOIN (${rowsOf(SCRATCH_VERSION)}) l
     ON ${['project', ...table.key].map((name) => `t.${name} = l.${name}`).join(' AND ')}
     WHERE t IS DISTINCT FROM l LIMIT ${SHOWN}`,
    [projectId],
  );
  return rows.map(({ found, log }) => problemOf(table, projectId, found, log));
}

/** Projects beside `known` that have rows in the table that readers see. */
export async function otherProjects(pool: Pool, table: Table, known: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ project: string }>(
    `SELECT DISTINCT project FROM savepoint.${table.name} WHERE project <> ALL ($1::text[]) LIMIT ${SHOWN}`,
    [known],
  );
  return rows.map(({ project }) => project);
}

/** The rows of a project that has no events. */
export async function foreignRows(pool: Pool, table: Table, projectId: string): Promise<Problem[]> {
  const key = ['project', ...table.key].map((name) => `'${name}=' || ${name}`).join(` || ', ' || `);
  const { rows } = await pool.query<{ row: string }>(
    `SELECT ${key} AS row FROM savepoint.${table.name} WHERE project = $1 LIMIT ${SHOWN}`,
    [projectId],
  );
  return rows.map(({ row }) => ({ kind: 'added', project: projectId, table: table.name, row, detail: 'the log knows no such project' }));
}

async function columnsOf(client: PoolClient, table: Table, version: number): Promise<string[]> {
  const { rows } = await client.query<{ name: string; exact: boolean }>(
    `SELECT quote_ident(attname) AS name, atttypid IN ('json'::regtype, 'bigint[]'::regtype) AS exact FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [tableName(table.name, version)],
  );
  return rows.map(({ name, exact }) => (exact ? `${name}::text AS ${name}` : name));
}

function problemOf(table: Table, project: string, found: Values | null, log: Values | null): Problem {
  const key = table.key.map((name) => `${name}=${String((found ?? log)?.[name])}`).join(', ');
  const at = { project, table: table.name, row: key === '' ? `project=${project}` : key };
  if (log === null) return { kind: 'added', ...at, detail: 'the log makes no such row' };
  if (found === null) return { kind: 'missing', ...at, detail: 'the log makes this row' };
  const different = Object.keys(log).filter((name) => JSON.stringify(log[name]) !== JSON.stringify(found[name]));
  const detail = different.map((name) => `${name}: the table has ${shown(found[name])}, the log says ${shown(log[name])}`).join('; ');
  return { kind: 'altered', ...at, detail };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
