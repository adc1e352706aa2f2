import type { Pool, PoolClient } from 'pg';
import { sentRules } from '../../src/domain/limit/rules.ts';
import { acceptValue } from '../../src/domain/wire-names.ts';
import { stringifyJson, tryParseJson } from '../../src/kernel/json.ts';
import { pagesByBytes } from '../pages-by-bytes.ts';
import { revisionOf, throughViews } from '../through-views.ts';
import { readSnapshot } from '../transaction.ts';

/**
 * A project as one JSON text for other installations to read: its live definitions, keys, pages, documents and save records. They come from
 * one snapshot, and one page is in memory. Staged definitions, their data and the history are left out; `savepoint log copy` keeps the
 * history.
 */

const EXPORT_VERSION = 1;

export interface Exported {
  readonly projectId: string;
  /** The last revision of the project that the snapshot shows. */
  readonly revision: number;
  /** Rows by table. Documents and save records are counted over all collections. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Documents that are left out, by collection, because no definition names their collection. A reader of the file would not know what they
   * are.
   */
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface ExportSink {
  write(text: string): Promise<void>;
  /** Rows written so far. */
  progress(rows: number): void;
}

const PROJECT = `SELECT p.name, p.settings::text AS settings, ${revisionOf(['documents', 'definitions', 'authority'])} AS revision
FROM {projects} p WHERE p.project = $1 AND NOT p.deleted`;

const TEXT = `(SELECT string_agg(s.text, '' ORDER BY s.part) FROM {definition_sources} s WHERE s.project = $1 AND s.hash = d.hash)`;
const DEFINITIONS = `SELECT d.id, ${TEXT} AS text, d.updated_at AS at FROM {definitions} d
WHERE d.project = $1 AND d.layer = 'live' AND d.kind = $2 ORDER BY d.ordinal`;

const KEYS = `SELECT json_build_object('api_key', k.display, 'key_id', k.key_id, 'type', k.kind, 'label', k.label, 'enabled', k.enabled,
  'permissions', k.permissions, 'hash', k.hash, 'updated_at_unix_ms', k.created_at)::text AS text
FROM {project_keys} k WHERE k.project = $1 ORDER BY k.ordinal`;

const PAGES = `SELECT p.page::text AS text, p.slug AS id, p.updated_at AS at FROM {pages} p WHERE p.project = $1 ORDER BY p.slug`;

/** Sorted by time where a collection has one. An import in this order lists the documents in the same order. */
const DOCUMENTS = `SELECT d.key AS id, d.document::text AS text, d.updated_at AS at FROM {documents} d
LEFT JOIN {records} r ON r.project = $1 AND r.space = 'live' AND r.collection = $2 AND r.record_id = d.key
WHERE d.project = $1 AND d.space = 'live' AND d.collection = $2 AND d.document IS NOT NULL ORDER BY r.listed_at, r.sequence, d.key`;

const LEFT_OUT = `SELECT d.collection AS id, count(*)::int AS documents FROM {documents} d
WHERE d.project = $1 AND d.space = 'live' AND d.document IS NOT NULL AND d.collection <> ALL ($2) GROUP BY d.collection ORDER BY 1`;

const SLOTS = `SELECT s.player AS id, s.records::text AS text FROM {save_records} s
WHERE s.project = $1 AND s.space = 'live' AND s.collection = $2 AND json_array_length(s.records) > 0 ORDER BY s.player`;

const LISTED = [
  ['collections', 'collection', 'collection_id'],
  ['endpoints', 'endpoint', 'endpoint_id'],
  ['workflows', 'workflow', 'workflow_id'],
  ['libraries', 'library', 'library_id'],
  ['queries', 'query', 'query_id'],
] as const;

const SINGLE = [
  ['game_values', 'game-values'],
  ['rate_limit_rules', 'rate-limit-rules'],
  ['tests', 'tests'],
] as const;

interface Row {
  readonly id: string;
  /** JSON text as it is stored. */
  readonly text: string;
  readonly at?: string;
}

/** Resolves to `null` when the project does not exist. */
export function exportProject(pool: Pool, projectId: string, at: number, sink: ExportSink): Promise<Exported | null> {
  return readSnapshot(pool, (client) => new ProjectExport(client, projectId, sink).run(at));
}

class ProjectExport {
  readonly #client: PoolClient;
  readonly #projectId: string;
  readonly #sink: ExportSink;
  readonly #counts: Record<string, number> = {};
  #rows = 0;

  constructor(client: PoolClient, projectId: string, sink: ExportSink) {
    this.#client = client;
    this.#projectId = projectId;
    this.#sink = sink;
  }

  async run(at: number): Promise<Exported | null> {
    const [project] = await this.#query<{ name: string; settings: string; revision: string }>(PROJECT);
    if (project === undefined) return null;
    const head = { project_id: this.#projectId, export_version: EXPORT_VERSION, exported_at: new Date(at).toISOString() };
    await this.#sink.write(`${JSON.stringify(head).slice(0, -1)},"tables":{\n`);
    const collections = await this.#definitions();
    await this.#list(
      'api_keys',
      (await this.#query<{ text: string }>(KEYS)).map(({ text }) => text),
    );
    await this.#list('checkpoint_cursor', [`{"revision":${project.revision}}`]);
    await this.#list('project', [`{"name":${JSON.stringify(project.name)},"settings":${project.settings}}`]);
    await this.#list(
      'pages',
      (await this.#query<Row>(PAGES)).map((row) => rowText('slug', row)),
    );
    const [players, globals] = [collections.filter(({ global }) => !global), collections.filter(({ global }) => global)];
    // Slots are written first, so that an import keeps their names when their documents arrive.
    const slots = ({ id, text }: Row) => `{"platform_id":${JSON.stringify(id)},"records":${text}}`;
    await this.#perCollection('save_records', players, SLOTS, slots);
    await this.#perCollection('records', players, DOCUMENTS, (row) => rowText('record_key', row));
    await this.#perCollection('global_records', globals, DOCUMENTS, (row) => rowText('record_id', row));
    await this.#sink.write('}}\n');
    const rest = await this.#query<{ id: string; documents: number }>(
      LEFT_OUT,
      collections.map(({ id }) => id),
    );
    const leftOut = Object.fromEntries(rest.map(({ id, documents }) => [id, documents]));
    return { projectId: this.#projectId, revision: Number(project.revision), counts: this.#counts, leftOut };
  }

  /** Writes the definitions and returns the collections. */
  async #definitions(): Promise<readonly { readonly id: string; readonly global: boolean }[]> {
    const collections: { id: string; global: boolean }[] = [];
    for (const [table, kind, name] of LISTED) {
      const rows = await this.#query<Row>(DEFINITIONS, kind);
      if (kind === 'collection') collections.push(...rows.map(({ id, text }) => ({ id, global: isGlobal(text) })));
      await this.#list(
        table,
        rows.map((row) => rowText(name, row)),
      );
    }
    for (const [table, kind] of SINGLE) {
      const rows = await this.#query<Row>(DEFINITIONS, kind);
      await this.#list(
        table,
        rows.map((row) =>
          rowText(null, kind === 'rate-limit-rules' ? { ...row, text: stringifyJson(sentRules(tryParseJson(row.text) ?? null)) } : row),
        ),
      );
    }
    return collections;
  }

  async #list(table: string, texts: readonly string[]): Promise<void> {
    const comma = Object.keys(this.#counts).length === 0 ? '' : ',\n';
    this.#counts[table] = texts.length;
    this.#rows += texts.length;
    await this.#sink.write(`${comma}"${table}":[${texts.length === 0 ? '' : '\n'}${texts.join(',\n')}]`);
  }

  async #perCollection(
    table: string,
    collections: readonly { readonly id: string }[],
    statement: string,
    textOf: (row: Row) => string,
  ): Promise<void> {
    let count = 0;
    await this.#sink.write(`,\n"${table}":{`);
    for (const [index, { id }] of collections.entries()) {
      await this.#sink.write(`${index === 0 ? '' : ','}\n${JSON.stringify(id)}:[`);
      let first = true;
      for await (const page of this.#pages(statement, id)) {
        await this.#sink.write(`${first ? '\n' : ',\n'}${page.map(textOf).join(',\n')}`);
        first = false;
        count += page.length;
        this.#rows += page.length;
        this.#sink.progress(this.#rows);
      }
      await this.#sink.write(']');
    }
    this.#counts[table] = count;
    await this.#sink.write('}');
  }

  #pages(statement: string, collection: string): AsyncGenerator<readonly Row[]> {
    // No time limit: a collection is sorted before its first row arrives, which may take long.
    const timeout = {};
    return pagesByBytes<Row>(this.#client, throughViews(statement), [this.#projectId, collection], ({ text }) => text.length, timeout);
  }

  async #query<T extends object>(statement: string, ...values: readonly (string | readonly string[])[]): Promise<readonly T[]> {
    const { rows } = await this.#client.query<T>(throughViews(statement), [this.#projectId, ...values]);
    return rows;
  }
}

function isGlobal(definition: string): boolean {
  const { collectionType } = JSON.parse(definition);
  return typeof collectionType === 'string' && acceptValue('collectionType', collectionType.trim()) === 'global';
}

/** Inserts the stored text unchanged, so that numbers beyond doubles keep their digits. */
function rowText(name: string | null, { id, text, at }: Row): string {
  return `{${name === null ? '' : `"${name}":${JSON.stringify(id)},`}"definition_json":${text},"updated_at_unix_ms":${at ?? 'null'}}`;
}
