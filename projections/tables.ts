import { readFileSync } from 'node:fs';
import type { PoolClient } from 'pg';
import { textArray } from '../src/log/postgres/arrays.ts';

/**
 * Names of read-model tables. A statement writes a table as `{documents}`. Its version is inserted where the statement runs, because the
 * running projector, a rebuild and `verify` use the same statements on tables of their own.
 */

export type ProjectionName =
  | 'documents'
  | 'subjects'
  | 'limits'
  | 'idempotency'
  | 'save_records'
  | 'pages'
  | 'definitions'
  | 'authority'
  | 'access'
  | 'guests'
  | 'uniques'
  | 'corrections'
  | 'alarms'
  | 'releases'
  | 'ledger'
  | 'records'
  | 'publishes'
  | 'flags'
  | 'economy'
  | 'leaderboards'
  // Telemetry has a stream of its own: see models/telemetry.
  | 'telemetry';

/** A table of a read model. */
export interface Table {
  readonly name: string;
  readonly projection: ProjectionName;
  /** Primary key without `project`. */
  readonly key: readonly string[];
  /**
   * The condition for rows `t` that may not be right yet, because their list is still being filled in the active version. Tables are
   * written as `{table}`.
   */
  readonly unfinished?: string;
}

/** An incomplete board or list is right up to the cursor of its pages. */
const FILLING = 'EXISTS (SELECT FROM {leaderboard_fills} f WHERE f.project = t.project AND f.board = t.board)';
const FILLING_BEHIND = `EXISTS (SELECT FROM {leaderboard_fills} f WHERE f.project = t.project AND f.board = t.board
  AND (f.phase = 'drop' OR (f.phase = 'rows' AND (t.space, t.key) > (f.space, f.key))))`;
const LISTING_BEHIND = `EXISTS (SELECT FROM {record_lists} f WHERE f.project = t.project AND f.collection = t.collection
  AND (f.phase = 'drop' OR (f.phase = 'rows' AND (t.space, t.record_id) > (f.space, f.key))))`;

export const TABLES: readonly Table[] = [
  { name: 'documents', projection: 'documents', key: ['space', 'collection', 'key'] },
  { name: 'subjects', projection: 'subjects', key: ['block'] },
  { name: 'subject_buckets', projection: 'subjects', key: ['bucket', 'first', 'part'] },
  { name: 'limits', projection: 'limits', key: ['space', 'counter'] },
  { name: 'idempotency', projection: 'idempotency', key: ['space', 'scope', 'caller', 'key'] },
  { name: 'save_records', projection: 'save_records', key: ['space', 'collection', 'player'] },
  { name: 'pages', projection: 'pages', key: ['slug'] },
  { name: 'definitions', projection: 'definitions', key: ['layer', 'kind', 'id'] },
  { name: 'definition_sources', projection: 'definitions', key: ['hash', 'part'] },
  { name: 'publish_differences', projection: 'definitions', key: ['revision'] },
  { name: 'definition_sets', projection: 'definitions', key: [] },
  { name: 'projects', projection: 'authority', key: [] },
  { name: 'project_keys', projection: 'authority', key: ['key_id'] },
  { name: 'key_labels', projection: 'authority', key: ['key_id'] },
  { name: 'sessions', projection: 'access', key: ['family'] },
  { name: 'used_requests', projection: 'access', key: ['until', 'identity_type', 'identity', 'request'] },
  { name: 'guests', projection: 'guests', key: ['guest'] },
  { name: 'guest_names', projection: 'guests', key: ['kind', 'name'] },
  { name: 'uniques', projection: 'uniques', key: ['space', 'collection', 'hash'] },
  { name: 'undone_commits', projection: 'corrections', key: ['commit'] },
  { name: 'grants', projection: 'corrections', key: ['grant_id'] },
  { name: 'grant_players', projection: 'corrections', key: ['grant_id', 'player'] },
  { name: 'alarms', projection: 'alarms', key: ['alarm', 'time_window'] },
  { name: 'releases', projection: 'releases', key: [] },
  { name: 'approvals', projection: 'releases', key: ['approval'] },
  { name: 'approval_comments', projection: 'releases', key: ['revision'] },
  { name: 'ledger', projection: 'ledger', key: ['space', 'collection', 'player', 'revision', 'ordinal'] },
  { name: 'ledger_totals', projection: 'ledger', key: ['space', 'collection', 'player', 'key', 'part'] },
  // First in its projection: removing a project's rows must wait for the page that is being filled.
  { name: 'record_lists', projection: 'records', key: ['collection'], unfinished: 'true' },
  { name: 'records', projection: 'records', key: ['space', 'collection', 'record_id'], unfinished: LISTING_BEHIND },
  { name: 'publishes', projection: 'publishes', key: ['revision'] },
  { name: 'flags', projection: 'flags', key: ['revision'] },
  { name: 'economy_days', projection: 'economy', key: ['space', 'day', 'part'] },
  { name: 'economy_supply', projection: 'economy', key: ['space', 'currency', 'day'] },
  { name: 'economy_names', projection: 'economy', key: ['space', 'day', 'collection', 'field'] },
  { name: 'economy_pending', projection: 'economy', key: ['bucket', 'block', 'space'] },
  { name: 'economy_players', projection: 'economy', key: ['space', 'day', 'part', 'player'] },
  { name: 'economy_holders', projection: 'economy', key: ['space', 'currency', 'player'] },
  // First in its projection, for the same reason.
  { name: 'leaderboard_fills', projection: 'leaderboards', key: ['board'], unfinished: 'true' },
  { name: 'leaderboard_queries', projection: 'leaderboards', key: ['query', 'hash'] },
  { name: 'leaderboards', projection: 'leaderboards', key: ['board', 'space', 'key'], unfinished: FILLING_BEHIND },
  { name: 'leaderboard_buckets', projection: 'leaderboards', key: ['board', 'space', 'rank', 'reached', 'key'], unfinished: FILLING },
  { name: 'leaderboard_counts', projection: 'leaderboards', key: ['board', 'space'], unfinished: FILLING },
  { name: 'telemetry_checkpoints', projection: 'telemetry', key: [] },
  { name: 'telemetry_events', projection: 'telemetry', key: ['revision'] },
  { name: 'telemetry_players', projection: 'telemetry', key: ['platform_id'] },
  { name: 'telemetry_sessions', projection: 'telemetry', key: ['platform_id', 'session_id'] },
];

/** The version of each projection's tables. */
export type Versions = ReadonlyMap<ProjectionName, number>;

/** The version of the tables into which `verify` folds. Real versions start at 1. */
export const SCRATCH_VERSION = 0;
/** The version of the tables into which a truncation of telemetry folds. No rebuild counts this far. */
export const TRUNCATION_VERSION = 999_999;

const tableByName = new Map(TABLES.map((table) => [table.name, table]));

export function tablesOf(projection: ProjectionName): readonly Table[] {
  return TABLES.filter((table) => table.projection === projection);
}

/** The full name of a table in one version, such as `savepoint.ledger_v2`. */
export function tableName(table: string, version: number): string {
  return `savepoint.${table}_v${version}`;
}

/** The statement with every `{table}` replaced by its name in these versions. Throws for a table that no projection has. */
export function withTables(statement: string, versions: Versions): string {
  return statement.replace(/\{(\w+)\}/g, (_, name: string) => {
    const table = tableByName.get(name);
    const version = table && versions.get(table.projection);
    if (version === undefined) throw new Error(`no version of the table ${name}`);
    return tableName(name, version);
  });
}

/** The statements that create a projection's tables in one version. */
export function schemaOf(projection: ProjectionName, version: number): string {
  const text = readFileSync(new URL(`./models/${projection}/schema.sql`, import.meta.url), 'utf8');
  return withTables(text, new Map([[projection, version]]));
}

/** Thrown when the part of a transaction that may fail alone takes too long. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** One client inside a transaction, writing one project's rows into one set of versions. */
export class Transaction {
  readonly client: PoolClient;
  readonly projectId: string;
  readonly versions: Versions;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(client: PoolClient, projectId: string, versions: Versions) {
    this.client = client;
    this.projectId = projectId;
    this.versions = versions;
  }

  /** Runs a prepared statement. `$1` is the project; `values` start at `$2`. Each statement text needs a `name` of its own. */
  async run<Row extends object = Record<string, unknown>>(name: string, statement: string, values: readonly unknown[]): Promise<Row[]> {
    if (performance.now() > this.#deadline) throw new TooLate(`no time was left for the statement ${name}`);
    const parameters = [this.projectId, ...values.map(asParameter)];
    const result = await this.client.query<Row>({ ...prepared(name, statement, this.versions), values: parameters });
    return result.rows;
  }

  /**
   * Runs a part of the transaction that may fail alone. If it fails, it is rolled back and the error is returned. It is ended after `ms`;
   * its current statement may take about as long again.
   */
  async apart(ms: number, work: () => Promise<void>): Promise<unknown> {
    try {
      await this.client.query(`SAVEPOINT apart; SET LOCAL lock_timeout = ${ms}; SET LOCAL statement_timeout = ${ms}`);
      this.#deadline = performance.now() + ms;
      await work();
      return null;
    } catch (error) {
      await this.client.query('ROLLBACK TO SAVEPOINT apart');
      return error;
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
    }
  }

  /** Removes every row of the project from the projection's tables. */
  async wipe(projection: ProjectionName): Promise<void> {
    for (const { name } of tablesOf(projection)) await this.run(`wipe-${name}`, `DELETE FROM {${name}} WHERE project = $1`, []);
  }
}

/**
 * Lists of texts and numbers are sent in binary form, which needs no escaping. It fits every `text[]`, `bigint[]` and `double precision[]`.
 */
function asParameter(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  if (value.every((item) => typeof item === 'string')) return textArray(value);
  return value.every((item) => typeof item === 'number' && Number.isFinite(item)) ? `{${value.join()}}` : value;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

/**
 * Prepared statements by version, of which a process meets few. Postgres knows a statement by its name, so every text gets a name of its
 * own.
 */
const preparedTexts = new WeakMap<Versions, Map<string, Prepared>>();
const names = new Map<string, string>();

function prepared(name: string, statement: string, versions: Versions): Prepared {
  const known = preparedTexts.get(versions) ?? new Map<string, Prepared>();
  preparedTexts.set(versions, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const text = withTables(statement, versions);
  const unique = names.get(text) ?? `${name}.${names.size}`;
  names.set(text, unique);
  const made = { name: unique, text };
  known.set(name, made);
  return made;
}
