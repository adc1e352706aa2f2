import type { Pool, PoolClient } from 'pg';
import { SCRATCH_VERSION, type Table, tableName, withTables } from '../tables.ts';

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
/** Rows compared by one statement: they are joined in memory, so a large table takes no longer for each row than a small one. */
const PAGE = 5_000;

type Values = Readonly<Record<string, unknown>>;

/** The values of {@link Table.key}, as the server prints them. */
type Key = readonly string[];

interface Difference {
  readonly found: Values | null;
  readonly log: Values | null;
}

/**
 * Compares a project's rows in a version of a table with the scratch version, every column; json and large numbers as text. A page of
 * keys at a time, so the client's transaction decides whether all of it is of one moment.
 */
export async function compareTable(client: PoolClient, table: Table, version: number, projectId: string): Promise<Problem[]> {
  const columns = await columnsOf(client, table, version);
  const problems: Problem[] = [];
  let after: Key | null = null;
  do {
    const upTo: Key | null = await lastOfPage(client, table, version, projectId, after);
    for (const { found, log } of await comparePage(client, { table, version, projectId, columns, after, upTo })) {
      problems.push(problemOf(table, projectId, found, log));
    }
    after = upTo;
  } while (after !== null && problems.length < SHOWN);
  return problems.slice(0, SHOWN);
}

/** The key that ends the page after `after`; `null` when no more than a page is left. */
async function lastOfPage(client: PoolClient, table: Table, version: number, projectId: string, after: Key | null): Promise<Key | null> {
  if (table.key.length === 0) return null;
  const keys = table.key.join(', ');
  const { rows } = await client.query<string[]>({
    text: `SELECT ${table.key.map((name) => `${name}::text`).join(', ')} FROM ${tableName(table.name, version)}
     WHERE project = $1${after === null ? '' : ` AND (${keys}) > (${placesOf(table, 2)})`} ORDER BY ${keys} OFFSET ${PAGE - 1} LIMIT 1`,
    values: [projectId, ...(after ?? [])],
    rowMode: 'array',
  });
  return rows[0] ?? null;
}

interface Page {
  readonly table: Table;
  readonly version: number;
  readonly projectId: string;
  readonly columns: readonly string[];
  /** Exclusive; `null`: from the first. */
  readonly after: Key | null;
  /** Inclusive; `null`: to the last. */
  readonly upTo: Key | null;
}

async function comparePage(client: PoolClient, { table, version, projectId, columns, after, upTo }: Page): Promise<readonly Difference[]> {
  const keys = table.key.join(', ');
  const from = after === null ? '' : ` AND (${keys}) > (${placesOf(table, 2)})`;
  const to = upTo === null ? '' : ` AND (${keys}) <= (${placesOf(table, 2 + (after?.length ?? 0))})`;
  const finished =
    table.unfinished === undefined ? '' : ` AND NOT (${withTables(table.unfinished, new Map([[table.projection, version]]))})`;
  const rowsOf = (of: number) =>
    `SELECT ${columns.join(', ')} FROM ${tableName(table.name, of)} t WHERE project = $1${finished}${from}${to}`;
  const { rows } = await client.query<Difference>(
    `SELECT row_to_json(t) AS found, row_to_json(l) AS log FROM (${rowsOf(version)}) t FULL JOIN (${rowsOf(SCRATCH_VERSION)}) l
     ON ${['project', ...table.key].map((name) => `t.${name} = l.${name}`).join(' AND ')}
     WHERE t IS DISTINCT FROM l LIMIT ${SHOWN}`,
    [projectId, ...(after ?? []), ...(upTo ?? [])],
  );
  return rows;
}

/** `$2, $3` for a key of two columns. */
function placesOf({ key }: Table, first: number): string {
  return key.map((_, index) => `$${first + index}`).join(', ');
}

/** Projects beside these that have rows in the table readers see. */
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
