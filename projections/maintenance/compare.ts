import type { Pool, PoolClient } from 'pg';
import { SCRATCH_VERSION, type Table, tableName } from '../tables.ts';

/** Something that is not as the log says. */
export interface Problem {
  /**
   * `chain`: the log was altered. `history`: log and tables tell two histories. `unreadable`: the log cannot be folded. `behind`: a
   * view that stands elsewhere and was not compared. The others: a row that differs, is too many, or is missing.
   */
  readonly kind: 'chain' | 'history' | 'unreadable' | 'behind' | 'altered' | 'added' | 'missing';
  readonly project: string;
  readonly table: string;
  /** The row's key, `column=value` by `, `. */
  readonly row: string;
  readonly detail: string;
}

/** Differences shown per table and project. */
const SHOWN = 100;
const SHOWN_CHARACTERS = 80;

type Values = Readonly<Record<string, unknown>>;

interface Difference {
  readonly side: 'table' | 'log';
  readonly values: Values;
}

/** Compares a project's rows in a version of a table with the scratch version, every column; json and large numbers as text. */
export async function compareTable(client: PoolClient, table: Table, version: number, projectId: string): Promise<Problem[]> {
  const columns = await columnsOf(client, table, version);
  const rowsOf = (of: number) => `SELECT ${columns.join(', ')} FROM ${tableName(table.name, of)} WHERE project = $1`;
  const [actual, expected] = [rowsOf(version), rowsOf(SCRATCH_VERSION)];
  const { rows } = await client.query<Difference>(
    `(SELECT 'table' AS side, row_to_json(x) AS values FROM (${actual} EXCEPT ALL ${expected}) x LIMIT ${SHOWN})
     UNION ALL
     (SELECT 'log', row_to_json(x) FROM (${expected} EXCEPT ALL ${actual}) x LIMIT ${SHOWN})`,
    [projectId],
  );
  const byKey = new Map<string, { table?: Values; log?: Values }>();
  for (const { side, values } of rows) {
    const row = table.key.map((name) => `${name}=${String(values[name])}`).join(', ');
    byKey.set(row, { ...byKey.get(row), [side]: values });
  }
  return [...byKey].map(([row, sides]) => problemOf(table, projectId, row, sides));
}

/** Rows of projects that have no events. */
export async function foreignRows(pool: Pool, table: Table, projects: readonly string[]): Promise<Problem[]> {
  const key = ['project', ...table.key].map((name) => `'${name}=' || ${name}`).join(` || ', ' || `);
  const { rows } = await pool.query<{ project: string; row: string }>(
    `SELECT project, ${key} AS row FROM savepoint.${table.name} WHERE project <> ALL ($1::text[]) LIMIT ${SHOWN}`,
    [projects],
  );
  return rows.map(({ project, row }) => ({ kind: 'added', project, table: table.name, row, detail: 'the log knows no such project' }));
}

async function columnsOf(client: PoolClient, table: Table, version: number): Promise<string[]> {
  const { rows } = await client.query<{ name: string; exact: boolean }>(
    `SELECT quote_ident(attname) AS name, atttypid IN ('json'::regtype, 'bigint[]'::regtype) AS exact FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [tableName(table.name, version)],
  );
  return rows.map(({ name, exact }) => (exact ? `${name}::text AS ${name}` : name));
}

function problemOf(table: Table, project: string, row: string, sides: { readonly table?: Values; readonly log?: Values }): Problem {
  const at = { project, table: table.name, row: row === '' ? `project=${project}` : row };
  if (!sides.log) return { kind: 'added', ...at, detail: 'the log makes no such row' };
  if (!sides.table) return { kind: 'missing', ...at, detail: 'the log makes this row' };
  const { log, table: found } = sides;
  const different = Object.keys(log).filter((name) => JSON.stringify(log[name]) !== JSON.stringify(found[name]));
  const detail = different.map((name) => `${name}: the table has ${shown(found[name])}, the log says ${shown(log[name])}`).join('; ');
  return { kind: 'altered', ...at, detail };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
