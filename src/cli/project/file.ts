import { createReadStream } from 'node:fs';
import { type DefinitionRow, definitionRow, keyRow, LISTED_TABLES, nameIn, SINGLE_TABLES } from '../../app/operator/transfer/rows.ts';
import type { AdoptKey } from '../../domain/project/decide.ts';
import { refusal } from '../../kernel/errors.ts';
import { type Json, JsonError, type JsonObject, parseJson } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { BrokenJson, ELEMENT, JsonSplitter } from '../../kernel/json-split.ts';
import { isOtherThanFile } from '../../kernel/regular-file.ts';

/** A JSON project export as a file. It is read as a stream, however large it is. */

/** Tables whose rows are read only when they are written, because there may be millions. */
const STREAMED: ReadonlySet<string> = new Set(['records', 'global_records', 'save_records']);
/** A table of other servers' exports, which has no meaning here. */
const OF_OTHERS = 'checkpoint_cursor';
const OTHER_TABLES: ReadonlySet<string> = new Set(['api_keys', 'project', 'pages']);
/** Most characters of one row. */
const MAX_ROW = 32 * 1024 * 1024;
/** Most definitions: they are kept in memory until they are published. */
const MAX_DEFINITIONS = 10_000;

export interface StreamedRow {
  readonly table: string;
  readonly collection: string;
  readonly row: Json;
  /** Where the row is in the file, for messages. */
  readonly position: string;
}

/** The part of the file that is held in memory. */
export interface ProjectFile {
  readonly projectId: string;
  readonly name: string | null;
  readonly settings: JsonObject;
  readonly definitions: readonly DefinitionRow[];
  readonly keys: readonly AdoptKey[];
  readonly pages: readonly Json[];
  /** Number of rows by table and collection. */
  readonly streamed: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Tables with content that nothing here reads. */
  readonly unknown: ReadonlySet<string>;
}

/** Whether the parser enters a container at this path. Rows are at `tables`, a table, a collection if it has one, and an element. */
function enters(path: readonly string[], kind: 'object' | 'array'): boolean {
  const [first, table = ''] = path;
  if (path.length === 0) return kind === 'object';
  if (first !== 'tables' || path.at(-1) === ELEMENT) return false;
  if (path.length === 1) return kind === 'object';
  if (path.length === 2) return kind === (STREAMED.has(table) ? 'object' : 'array');
  return path.length === 3 && STREAMED.has(table) && kind === 'array';
}

interface Piece {
  readonly path: readonly string[];
  readonly json: Json;
  readonly position: string;
}

async function* pieces(file: string, onTables: () => void = () => undefined): AsyncGenerator<Piece> {
  const goes = (path: readonly string[], kind: 'object' | 'array') => {
    const into = enters(path, kind);
    if (into && path.length === 1) onTables();
    return into;
  };
  const splitter = new JsonSplitter(goes, MAX_ROW);
  const counts = new Map<string, number>();
  const placed = ({ path, text }: { readonly path: readonly string[]; readonly text: string }): Piece => {
    const list = path.slice(0, -1).join('.');
    const index = counts.get(list) ?? 0;
    counts.set(list, index + 1);
    const position = path.at(-1) === ELEMENT ? `${list}[${index}]` : path.join('.');
    try {
      return { path, json: parseJson(text), position: position };
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw refusal('VALIDATION_FAILED', `${position === '' ? file : `${file}: ${position}`} cannot be read: ${error.message}`);
    }
  };
  try {
    // `fatal`, because bytes that are not UTF-8 would otherwise silently be stored as other characters.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of createReadStream(file)) {
      for (const piece of splitter.feed(decoder.decode(chunk, { stream: true }))) yield placed(piece);
    }
    decoder.decode();
    for (const piece of splitter.end()) yield placed(piece);
  } catch (error) {
    if (error instanceof TypeError) throw refusal('VALIDATION_FAILED', `${file} is no JSON project export: it is not UTF-8`);
    if (error instanceof BrokenJson) throw refusal('VALIDATION_FAILED', `${file} is no JSON project export: ${error.message}`);
    throw error;
  }
}

/** Reads everything except the streamed rows, which are only counted. Throws VALIDATION_FAILED and names what is missing or wrong. */
export async function readProjectFile(file: string): Promise<ProjectFile> {
  if (await isOtherThanFile(file))
    throw refusal('VALIDATION_FAILED', `${file} is no regular file. An import reads it twice, so save it on a disk first.`);
  const head = new Map<string, Json>();
  const pages: Json[] = [];
  let project: Json | undefined;
  const definitions: DefinitionRow[] = [];
  const keys: AdoptKey[] = [];
  const streamed = new Map<string, Map<string, number>>();
  let tables = false;
  const unknown = new Set<string>();
  const found = () => {
    tables = true;
  };
  for await (const { path, json, position } of pieces(file, found)) {
    const [first = '', table = '', collection = ''] = path;
    if (first !== 'tables') head.set(first, json);
    if (first !== 'tables' || path.length < 2 || table === OF_OTHERS) continue;
    if (!isKnown(table)) unknown.add(table);
    else if (path.length < (STREAMED.has(table) ? 4 : 3)) requireNoRows(file, position, json);
    else if (STREAMED.has(table)) {
      const counts = streamed.get(table) ?? new Map<string, number>();
      streamed.set(table, counts.set(collection, (counts.get(collection) ?? 0) + 1));
    } else if (isDefinitions(table)) {
      definitions.push(at(file, position, () => definitionRow(table, json)));
      if (definitions.length > MAX_DEFINITIONS)
        throw refusal('VALIDATION_FAILED', `${file} holds more than ${MAX_DEFINITIONS} definitions`);
    } else if (table === 'api_keys') keys.push(at(file, position, () => keyRow(json)));
    else if (table === 'project') project ??= json;
    else if (table === 'pages') pages.push(json);
  }
  requireHead(file, head, tables);
  const { settings } = objectOf(project);
  return {
    projectId: String(head.get('project_id')),
    name: nameIn(project),
    settings: objectOf(settings),
    definitions,
    keys,
    pages,
    streamed,
    unknown,
  };
}

/** The rows of documents and save records, in the order of the file. */
export async function* streamedRows(file: string): AsyncGenerator<StreamedRow> {
  for await (const { path, json, position } of pieces(file)) {
    const [first, table = '', collection = ''] = path;
    if (first === 'tables' && path.length === 4 && STREAMED.has(table)) yield { table, collection, row: json, position };
  }
}

/** Runs `read` on a row. Adds the row's place in the file to a refusal. */
export function at<T>(file: string, position: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BadRow') throw error;
    throw refusal('VALIDATION_FAILED', `${file}: ${position}: ${error.message}`);
  }
}

function isDefinitions(table: string): boolean {
  return Object.hasOwn(LISTED_TABLES, table) || Object.hasOwn(SINGLE_TABLES, table);
}

function isKnown(table: string): boolean {
  return isDefinitions(table) || STREAMED.has(table) || OTHER_TABLES.has(table);
}

/** What stands where rows should may only be empty: anything else would be left out without a word. */
function requireNoRows(file: string, position: string, json: Json): void {
  const isEmpty = json === null || (typeof json === 'object' && Object.keys(json).length === 0);
  if (!isEmpty) throw refusal('VALIDATION_FAILED', `${file}: ${position}: it is no list of rows`);
}

const NEWEST = 1;

function requireHead(file: string, head: ReadonlyMap<string, Json>, tables: boolean): void {
  const version = head.get('export_version');
  if (typeof head.get('project_id') !== 'string')
    throw refusal('VALIDATION_FAILED', `${file} is no JSON project export: it has no project_id`);
  if (typeof version !== 'number' || version < 1)
    throw refusal('VALIDATION_FAILED', `${file} is no JSON project export: it has no export_version`);
  if (version > NEWEST) throw refusal('VALIDATION_FAILED', `${file} has export_version ${version}; this release reads up to ${NEWEST}`);
  if (!tables) throw refusal('VALIDATION_FAILED', `${file} is no JSON project export: it has no tables`);
}
