import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { AUTHORING_MEMBERS, compileItem, parseText } from '../domain/definition/source/compile.ts';
import { failed, type Problem } from '../domain/definition/source/problem.ts';
import { parseYaml } from '../domain/definition/source/yaml.ts';
import { SOURCE_KINDS } from '../domain/kinds.ts';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../kernel/json.ts';
import { nearest } from '../kernel/nearest.ts';
import { readFileBytes } from './files.ts';
import { type FileKind, type Format, fileNameOf, WHOLE_NAMES } from './kinds.ts';
import { FolderProblem } from './problem.ts';

/** One definition of a folder. */
export interface Source {
  readonly kind: FileKind;
  /** Its id; `*` of game values and rules, of which there is one each; a file that cannot be read is named by its name. */
  readonly id: string;
  /** Of its file, from the folder on, with `/` between. */
  readonly path: string;
  readonly format: Format;
  /** The whole text of its file. */
  readonly text: string;
  /** In a file that is a list: where in it, as a JSON pointer (`/2`). Otherwise empty. */
  readonly pointer: string;
  /** The definition that the server would store, without its wrapper; `null` where `problem` says why there is none. */
  readonly resource: Json | null;
  readonly problem: Problem | null;
}

export interface Folder {
  /** As an absolute path. */
  readonly dir: string;
  /** In the order of their paths. */
  readonly sources: readonly Source[];
  /** Files that look like sources and are none, with what was probably meant: `buy.endpont.yml`. */
  readonly unrecognized: readonly { readonly path: string; readonly hint: string }[];
}

const MAX_FILES = 5_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const SINGLE = '*';

/**
 * Reads every definition of a folder and the folders below it, besides `node_modules` and those whose names begin with a dot. Never throws
 * for what stands in a file: its source then has a `problem`. Throws {@link FolderProblem} for a folder that cannot be read or is too
 * large.
 */
export function readFolder(dir: string): Folder {
  const paths = filesOf(dir);
  const sources = paths.flatMap((path) => sourcesIn(dir, path));
  return {
    dir,
    sources: sources.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    unrecognized: paths.flatMap(unrecognizedIn),
  };
}

function filesOf(dir: string): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && leadsToFolder(path));
      if (isFolder && entry.isSymbolicLink()) throw linkedFolder(relative(dir, path));
      if (isFolder) visit(path);
      else if (/\.(ya?ml|json)$/i.test(entry.name)) found.push(relative(dir, path).split(sep).join('/'));
      if (found.length > MAX_FILES)
        throw new FolderProblem(
          'BAD_FOLDER',
          `${dir} holds more than ${MAX_FILES} YAML and JSON files; a game's folder holds its definitions alone.`,
        );
    }
  };
  try {
    visit(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new FolderProblem('NO_FOLDER', `There is no folder ${dir}.`);
    throw error;
  }
  return found.sort();
}

/** It is not followed, because it may lead back up or out; and not passed over, because `push --prune` would remove what lies behind it. */
function linkedFolder(path: string): FolderProblem {
  return new FolderProblem(
    'BAD_FOLDER',
    `${path} is a link to a folder, which is not followed. Put the folder itself there, or take the link away (names that begin with a dot are passed over).`,
  );
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A link to nothing or to itself. The file of that name reports it.
    return false;
  }
}

function sourcesIn(dir: string, path: string): Source[] {
  const name = fileNameOf(path);
  if (name === null) return [];
  const { kind, format, isList } = name;
  const about = { kind, id: name.id ?? (isList ? path : SINGLE), path, format, pointer: '' };
  const read = readSource(dir, path);
  if ('problem' in read) return [{ ...about, text: '', resource: null, problem: read.problem }];
  const { text } = read;
  if (kind === 'game-values' || kind === 'rate-limit-rules') return [parsedSource(about, text)];
  if (isList) return listed(about, text);
  return [single(about, kind, text)];
}

function readSource(dir: string, path: string): { readonly text: string } | { readonly problem: Problem } {
  try {
    const bytes = readFileBytes(join(dir, path), MAX_FILE_BYTES);
    if (bytes === null) return failed('INVALID_SOURCE_OBJECT', 'This is a link to a file that does not exist.');
    const text = bytes.toString('utf8');
    // Otherwise what comes back would not be what the file holds.
    return Buffer.from(text, 'utf8').equals(bytes) ? { text } : failed('INVALID_SOURCE_OBJECT', 'This file is not UTF-8.');
  } catch (error) {
    if (error instanceof FolderProblem) return failed('INVALID_SOURCE_OBJECT', error.message);
    throw error;
  }
}

type About = Pick<Source, 'kind' | 'id' | 'path' | 'format' | 'pointer'>;

function single(about: About, kind: Parameters<typeof compileItem>[1], text: string): Source {
  const compiled = compileItem({ kind, sourceFormat: about.format, sourcePath: about.path, sourceText: text }, kind);
  if (!compiled.ok) return { ...about, text, resource: null, problem: compiled };
  return { ...about, id: compiled.id ?? about.id, text, resource: withoutAuthoring(compiled.definition), problem: null };
}

function parsedSource(about: About, text: string): Source {
  const parsed = parseAny(text, about.format);
  if (!parsed.ok) return { ...about, text, resource: null, problem: parsed.problem };
  const { value } = parsed;
  if (isObject(value) || isArray(value)) return { ...about, text, resource: value, problem: null };
  return { ...about, text, resource: null, problem: failed('INVALID_SOURCE_OBJECT', 'This file must hold an object or a list.').problem };
}

/** A list of definitions, bare or under the name of its kind (`queries: […]`). */
function listed(about: About, text: string): Source[] {
  const parsed = parseAny(text, about.format);
  if (!parsed.ok) return [{ ...about, text, resource: null, problem: parsed.problem }];
  const name = about.kind === 'query' ? 'queries' : 'tests';
  const inner = isObject(parsed.value) ? parsed.value[name] : undefined;
  const list = isArray(parsed.value) ? parsed.value : inner;
  if (!isArray(list)) {
    return [{ ...about, text, resource: null, problem: failed('INVALID_SOURCE_OBJECT', `This file must hold a list of ${name}.`).problem }];
  }
  return list.map((item, index): Source => {
    const pointer = `${isArray(parsed.value) ? '' : `/${name}`}/${index}`;
    const id =
      isObject(item) && (typeof item['id'] === 'string' || typeof item['id'] === 'number') ? String(item['id']) : `${about.path}#${index}`;
    return { ...about, id, text, pointer, resource: item, problem: null };
  });
}

/** Parses a file that may hold more than an object, by the rules of source texts. */
export function parseAny(text: string, format: Format) {
  if (text.trim() === '') return failed('INVALID_SOURCE_OBJECT', 'This file is empty.');
  if (format === 'yaml') return parseYaml(text);
  // An object gets the words of the compiler.
  const parsed = parseText({ sourceFormat: 'json' }, text);
  if (parsed.ok || parsed.problem.code !== 'INVALID_SOURCE_OBJECT') return parsed;
  return { ok: true as const, value: parseJson(text.replace(/^\uFEFF/, '')) };
}

/** A definition without what tools keep beside it. */
export function withoutAuthoring(definition: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !AUTHORING_MEMBERS.some((own) => own === name)));
}

/** A file that is named like a source, but of a kind that does not exist. */
function unrecognizedIn(path: string): { readonly path: string; readonly hint: string }[] {
  if (fileNameOf(path) !== null) return [];
  const [, name = '', word = '', ending = ''] = /^(?:.*\/)?([^/]+)\.([A-Za-z-]+)\.(ya?ml|json)$/i.exec(path) ?? [];
  const meant = nearest(word, [...SOURCE_KINDS, ...SOURCE_KINDS.map((kind) => `${kind}s`)]);
  if (meant !== undefined)
    return [{ path, hint: `Did you mean ${name}.${SOURCE_KINDS.find((kind) => meant.startsWith(kind)) ?? meant}.${ending}?` }];
  if (!/\.ya?ml$/i.test(path)) return [];
  const [, stem = '', yaml = ''] = /([^/]+)\.(ya?ml)$/i.exec(path) ?? [];
  const whole = nearest(stem, WHOLE_NAMES);
  if (whole !== undefined) return [{ path, hint: `Did you mean ${whole}.${yaml}?` }];
  return [
    {
      path,
      hint: `A file is called after its kind: NAME.${SOURCE_KINDS.join('.yml, NAME.')}.yml, values.yml, rules.yml, queries.yml or tests.yml.`,
    },
  ];
}
