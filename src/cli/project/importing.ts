import type { Importer, Unfollowed } from '../../app/operator/transfer/importer.ts';
import {
  type Conflicts,
  definitionTables,
  type ImportReport,
  type ImportTarget,
  resolved,
  type TableReport,
} from '../../app/operator/transfer/plan.ts';
import { documentRow, putOfRow, slotRow } from '../../app/operator/transfer/rows.ts';
import type { Installation } from '../../compose/installation.ts';
import type { Put } from '../../domain/definition/push/publish-events.ts';
import type { SavePage } from '../../domain/page/page.ts';
import { type AdoptKey, MAX_KEYS } from '../../domain/project/decide.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, printOnce, stringifyJson } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { awaitProjected, printNote, progress } from '../context.ts';
import { at, type ProjectFile, type StreamedRow, streamedRows } from './file.ts';
import { ImportCommits } from './import-commits.ts';
import { findProject } from './name.ts';

/** Bounds of one commit: documents, and bytes. */
const COMMIT_ROWS = 200;
const COMMIT_BYTES = 256 * 1024;

/** Documents with numbers that no ledger follows, of which a report says which. */
const MAX_UNFOLLOWED = 20;

/** Characters of a key that a report shows. */
const MAX_SHOWN = 80;

export interface ImportMode {
  /** Nothing is written. */
  readonly preview: boolean;
  /** Keys of the file that worked there work here. */
  readonly enableKeys: boolean;
}

type Made = Pick<ImportReport, 'publicKey' | 'secretKey'> & { readonly projectId: string };

/** One import of a file into a project. */
export class ProjectImport {
  readonly #installation: Installation;
  readonly #file: string;
  readonly #contents: ProjectFile;
  #rows = 0;

  constructor(installation: Installation, file: string, contents: ProjectFile) {
    this.#installation = installation;
    this.#file = file;
    this.#contents = contents;
  }

  async run(target: ImportTarget, how: Conflicts, { preview, enableKeys }: ImportMode): Promise<ImportReport> {
    const importer = await this.#installation.importer();
    const into = 'into' in target ? await findProject(this.#installation.pool, target.into) : null;
    const state = into === null ? null : await importer.definitions(into);
    const { definitions } = this.#contents;
    // Nothing is created until the definitions are known to be valid.
    this.#puts(definitions);
    if (into === null) this.#requireRoomForKeys();
    this.#requireCollections(state === null ? [] : [...state.live.collection.keys()]);
    const tables = [...definitionTables(definitions, state), ...(await this.#streamedTables(into))];
    // Keys are for new projects alone. Whoever had them before would reach the project, so they come disabled unless that is asked for.
    const adopted = into === null ? this.#contents.keys.map((key) => ({ ...key, enabled: key.enabled && enableKeys })) : [];
    const keys = adopted.map(({ hash: _, ...shown }) => ({ ...shown, display: shown.display.slice(0, MAX_SHOWN) }));
    if (preview) return { projectId: into, tables, keys, written: null };
    const made = into === null ? await this.#create(target) : { projectId: into };
    try {
      return { ...made, tables, keys, written: await this.#write(importer, made.projectId, into === null ? adopted : null, how) };
    } catch (error) {
      const remove = `savepoint project delete ${made.projectId} --yes`;
      if (into === null) printNote(`Project ${made.projectId} is made, not complete, and disabled: ${remove}, and import again.`);
      throw error;
    }
  }

  /** `adopted`: the keys of a new project; `null`: the project was there. */
  async #write(
    importer: Importer,
    projectId: string,
    adopted: readonly AdoptKey[] | null,
    how: Conflicts,
  ): Promise<ImportReport['written']> {
    const { definitions } = this.#contents;
    const plan = resolved(definitions, await importer.definitions(projectId), how);
    const commits = new ImportCommits({ projectId, importer, installation: this.#installation });
    const published = await commits.write(() => importer.publish(projectId, this.#puts(plan.rows)));
    const streamed = await this.#stream(importer, commits, projectId, plan.collections);
    await commits.awaitReadModels();
    const pages = await this.#pages(projectId);
    const keys = adopted === null ? 0 : (await commits.write(() => importer.keys(projectId, adopted))).written;
    if (adopted !== null) await this.#enable(projectId);
    const { revision } = await importer.publish(projectId, []);
    await awaitProjected(this.#installation, projectId, revision);
    return { definitions: published.written, ...streamed, keys, pages };
  }

  #puts(rows: ProjectFile['definitions']): readonly Put[] {
    return rows.map((row) => at(this.#file, `${row.table} ${row.id}`, () => putOfRow(row)));
  }

  /** Makes the project. It stays disabled until the import is complete, so that nobody plays on half of it. */
  async #create(target: ImportTarget): Promise<Made> {
    const { operator } = this.#installation;
    const named = 'asNew' in target ? target.asNew : null;
    const { revision: _, ...made } = await operator.createProject(named ?? this.#contents.name ?? 'Imported');
    await operator.changeSettings(made.projectId, { enabled: false });
    return made;
  }

  async #enable(projectId: string): Promise<void> {
    const { name: _, ...settings } = this.#contents.settings;
    await this.#installation.operator.changeSettings(projectId, { enabled: true, ...settings });
  }

  /** Checks the number of keys: a new project has a public and a secret key of its own beside those of the file. */
  #requireRoomForKeys(): void {
    const room = MAX_KEYS - 2;
    const { length } = this.#contents.keys;
    if (length <= room) return;
    throw refusal(
      'VALIDATION_FAILED',
      `${this.#file} holds ${length} keys, and a new project takes ${room}: revoke some, and export again`,
    );
  }

  #requireCollections(existing: readonly string[]): void {
    const known = new Set([...existing, ...this.#contents.definitions.flatMap(({ kind, id }) => (kind === 'collection' ? [id] : []))]);
    for (const [table, collections] of this.#contents.streamed) {
      for (const collection of collections.keys()) {
        if (known.has(collection)) continue;
        throw refusal('VALIDATION_FAILED', `${this.#file}: tables.${table}.${collection} has rows, but there is no such collection`);
      }
    }
  }

  async #streamedTables(projectId: string | null): Promise<readonly TableReport[]> {
    const tables: TableReport[] = [];
    for (const [table, collections] of this.#contents.streamed) {
      if (table === 'save_records') continue;
      const ids = [...collections.keys()];
      const incomingCount = [...collections.values()].reduce((sum, count) => sum + count, 0);
      const { existing, conflicts } = await this.#existing(projectId, table, ids);
      tables.push({ table, incomingCount, existingCount: existing, conflictCount: conflicts, newCount: incomingCount - conflicts });
    }
    return tables;
  }

  async #existing(
    projectId: string | null,
    table: string,
    collections: readonly string[],
  ): Promise<{ existing: number; conflicts: number }> {
    if (projectId === null) return { existing: 0, conflicts: 0 };
    const { pool } = this.#installation;
    const count = await pool.query<{ n: string }>(COUNT, [projectId, collections]);
    const existing = Number(count.rows[0]?.n ?? 0);
    let conflicts = 0;
    if (existing === 0) return { existing, conflicts };
    for await (const [collection, rows] of batches(this.#file, (row) => row.table === table)) {
      const keys = rows.map(({ row, position }) => at(this.#file, position, () => documentRow(row)).key);
      const found = await pool.query<{ n: string }>(THERE, [projectId, collection, keys]);
      conflicts += Number(found.rows[0]?.n ?? 0);
    }
    return { existing, conflicts };
  }

  async #stream(
    importer: Importer,
    commits: ImportCommits,
    projectId: string,
    renamed: ReadonlyMap<string, string>,
  ): Promise<Pick<NonNullable<ImportReport['written']>, 'documents' | 'saveRecords' | 'unfollowed'>> {
    const first: Unfollowed[] = [];
    let count = 0;
    let documents = 0;
    let saveRecords = 0;
    for await (const [id, rows] of batches(this.#file, () => true)) {
      const collection = renamed.get(id) ?? id;
      const isSlots = rows[0]?.table === 'save_records';
      const read = <T>(parse: (row: Json) => T) => rows.map(({ row, position }) => at(this.#file, position, () => parse(row)));
      if (isSlots) {
        saveRecords += await commits.writeRows(read(slotRow), (some) => importer.slots(projectId, collection, some));
      } else {
        const parsed = read(documentRow);
        documents += await commits.writeRows(parsed, (some) => importer.documents(projectId, collection, some));
        const unfollowed = await importer.unfollowed(projectId, collection, parsed);
        count += unfollowed.length;
        first.push(...unfollowed.slice(0, MAX_UNFOLLOWED - first.length));
      }
      this.#rows += rows.length;
      progress(`${this.#rows} rows`);
    }
    return { documents, saveRecords, unfollowed: { count, first } };
  }

  async #pages(projectId: string): Promise<number> {
    for (const [index, row] of this.#contents.pages.entries()) {
      const page = at(this.#file, `tables.pages[${index}]`, () => pageOf(row));
      await this.#installation.operator.savePage(projectId, page);
    }
    return this.#contents.pages.length;
  }
}

const COUNT = `SELECT count(*) AS n FROM savepoint.documents
WHERE project = $1 AND space = 'live' AND collection = ANY ($2::text[]) AND document IS NOT NULL`;
const THERE = `SELECT count(*) AS n FROM savepoint.documents
WHERE project = $1 AND space = 'live' AND collection = $2 AND key = ANY ($3::text[]) AND document IS NOT NULL`;

/** Batches of rows for one commit each. A batch holds rows of one table and collection. */
async function* batches(file: string, wanted: (row: StreamedRow) => boolean): AsyncGenerator<readonly [string, readonly StreamedRow[]]> {
  let batch: StreamedRow[] = [];
  let bytes = 0;
  for await (const row of streamedRows(file)) {
    if (!wanted(row)) continue;
    const [first] = batch;
    const isOther = first !== undefined && (first.table !== row.table || first.collection !== row.collection);
    if (first !== undefined && (isOther || batch.length >= COMMIT_ROWS || bytes >= COMMIT_BYTES)) {
      yield [first.collection, batch];
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += bytesOf([row]);
  }
  const [first] = batch;
  if (first !== undefined) yield [first.collection, batch];
}

function bytesOf(rows: readonly StreamedRow[]): number {
  return rows.reduce((sum, { row }) => sum + (isObject(row) ? printOnce(row).length : 0), 0);
}

function pageOf(row: Json): SavePage {
  const value = isObject(row) ? member(row, 'definition_json') : undefined;
  const page: JsonObject = value !== undefined && isObject(value) ? value : {};
  const text = (name: string) => {
    const found = member(page, name);
    return typeof found === 'string' ? found : null;
  };
  const isMarkdown = text('pageType') !== 'keyvalue';
  const content = isMarkdown ? (text('contentMd') ?? '') : stringifyJson(member(page, 'kvData') ?? {});
  return {
    slug: text('slug') ?? '',
    title: text('title') ?? '',
    type: isMarkdown ? 'markdown' : 'keyvalue',
    content,
    statusLevel: text('statusLevel'),
  };
}
