import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileItem } from '../domain/definition/source/compile.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { changesOf } from './changes.ts';
import { type ServerAccess, storedAddress } from './credentials.ts';
import { fileText } from './file-text.ts';
import { needPathInside, readTextFile, writeFileWhole } from './files.ts';
import { type Format, fileNameOf, fileOf } from './kinds.ts';
import { FolderProblem } from './problem.ts';
import { findProject, PROJECT_FILE, writeProjectFile } from './project-file.ts';
import type { Remote, Target } from './remote.ts';
import { schemaLine } from './schemas.ts';
import type { Folder, Source } from './sources.ts';
import { hashOf, type Known, keepKnown, readKnown } from './state.ts';
import { type StoredDefinition, type StoredFile, storedDefinitions } from './stored-definitions.ts';
import { TakenPaths } from './taken-paths.ts';
import { GITIGNORE } from './templates.ts';

/** Writes the definitions of a target into a folder: source texts byte by byte, and what was pushed as data as YAML. */

export interface Pulled {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Files of the folder that the target does not have. They stay. */
  readonly own: readonly string[];
  /** Files with unpushed changes, which the pull would overwrite. Nothing was written unless it was forced. */
  readonly blocked: readonly string[];
}

export async function pullFolder(
  remote: Remote,
  folder: Folder,
  options: { readonly target: Target; readonly force: boolean },
): Promise<Pulled> {
  const { server } = remote;
  const known = readKnown(server);
  const held = await storedDefinitions(remote, options.target);
  const files = filesOf(folder, held.definitions);
  for (const path of files.keys()) needPathInside(folder.dir, path);
  const texts = new Map(folder.sources.map(({ path, text }) => [path, text]));
  const changed = [...files].filter(([path, text]) => (texts.get(path) ?? readTextFile(join(folder.dir, path))) !== text);
  const isOurs = (path: string) => isChanged(known, path, texts.get(path) ?? readTextFile(join(folder.dir, path)));
  const beside = [...texts.keys()].filter((path) => !files.has(path));
  // A file that both once had was removed by somebody else; one that the project never had is new here.
  const gone = beside.filter((path) => known.files[path] !== undefined);
  const blocked = [...changed.map(([path]) => path), ...gone].filter(isOurs);
  const told = { written: changed.map(([path]) => path), removed: gone, own: beside.filter((path) => !gone.includes(path)), blocked };
  if (blocked.length > 0 && !options.force) return told;
  // Removed first: where letter case does not count, a file that is gone may have the name of a new one.
  for (const path of gone) rmSync(join(folder.dir, path), { force: true });
  for (const [path, text] of changed) writeFileWhole(join(folder.dir, path), text);
  const begun = begin(server);
  keepKnown(server, { base: held.position, files: Object.fromEntries([...files].map(([path, text]) => [path, hashOf(text)])) });
  return { ...told, written: [...begun, ...told.written] };
}

/** Marks the folder as one of its project, so that later commands need not be told. Returns the paths that were written. */
function begin({ dir, address, project }: ServerAccess): readonly string[] {
  // A folder of `savepoint dev` has a node of its own. With an address in the folder that node would no longer be started.
  if (findProject(dir) !== null || storedAddress(dir) !== null) return [];
  writeProjectFile(dir, { address, project });
  if (readTextFile(join(dir, '.gitignore')) !== null) return [PROJECT_FILE];
  writeFileWhole(join(dir, '.gitignore'), GITIGNORE);
  return [PROJECT_FILE, '.gitignore'];
}

/** Whether a file has changes that were never pushed or pulled. */
function isChanged(known: Known, path: string, text: string | null): boolean {
  return text !== null && known.files[path] !== hashOf(text);
}

/** The files for these definitions: path → text. */
function filesOf(folder: Folder, held: readonly StoredDefinition[]): Map<string, string> {
  const files = new Map<string, string>();
  const existing = folder.sources.map(({ path }) => path);
  const taken = new TakenPaths(existing);
  const data: StoredDefinition[] = [];
  for (const each of held) {
    const path = each.file === null ? null : (each.file.path ?? nameOf(each, each.file.format));
    if (each.file === null || path === null || !taken.isFree(path)) data.push(each);
    else {
      files.set(path, each.file.text);
      taken.add(path);
    }
  }
  for (const path of existing) taken.add(path);
  for (const each of data) {
    const source = folder.sources.find(({ kind, id }) => kind === each.kind && id === each.id);
    if (source !== undefined && source.pointer !== '') addToList(files, folder, source, held);
    else if (source !== undefined && isSame(source, each)) files.set(source.path, source.text);
    else addFile(files, source, each, taken);
  }
  return files;
}

function isSame(source: Source, held: StoredDefinition): boolean {
  return changesOf({ sources: [{ ...source, text: held.file?.text ?? source.text }] }, [held]).length === 0;
}

function addFile(files: Map<string, string>, source: Source | undefined, held: StoredDefinition, taken: TakenPaths): void {
  const own = ownFormat(source, held);
  const path = source?.path ?? freePath(held, own, taken);
  if (files.has(path))
    throw new FolderProblem('BAD_FOLDER', `Two definitions of the project would both be ${path}: rename one of them there.`);
  files.set(path, held.file !== null && idOf(held, held.file, path) === held.id ? held.file.text : rendered(held, path));
}

/** YAML, if nothing says otherwise and YAML can keep the definition. */
function ownFormat(source: Source | undefined, held: StoredDefinition): Format {
  if (source !== undefined) return source.format;
  if (held.file !== null) return held.file.format;
  return fileText(definitionOf(held), 'yaml') === null ? 'json' : 'yaml';
}

/** The id that a definition would have, read from its text in a file of this name. */
function idOf({ kind, id }: StoredDefinition, { text, format }: StoredFile, path: string): string {
  if (kind === 'game-values' || kind === 'rate-limit-rules') return id;
  const compiled = compileItem({ kind, sourceFormat: format, sourcePath: path, sourceText: text }, kind);
  return (compiled.ok ? compiled.id : null) ?? fileNameOf(path)?.id ?? id;
}

/** A list keeps its file: as it is if all of it is the same, and otherwise written anew. */
function addToList(files: Map<string, string>, folder: Folder, { path, kind, text }: Source, held: readonly StoredDefinition[]): void {
  if (files.has(path)) return;
  const sources = folder.sources.filter((each) => each.path === path);
  const there = sources.flatMap((source) => {
    const found = held.find((each) => each.kind === kind && each.id === source.id && each.file === null);
    return found === undefined ? [] : [{ source, found }];
  });
  const isKept = there.length === sources.length && there.every(({ source, found }) => isSame(source, found));
  const list: Json = there.map(({ source, found }) => (isSame(source, found) ? source.resource : found.resource));
  files.set(path, isKept ? text : textFor(path, list));
}

function rendered(held: StoredDefinition, path: string): string {
  const isYaml = fileNameOf(path)?.format !== 'json';
  return `${isYaml ? schemaLine(path, held.kind) : ''}${textFor(path, definitionOf(held))}`;
}

function textFor(path: string, value: Json): string {
  const text = fileText(value, fileNameOf(path)?.format ?? 'yaml');
  if (text !== null) return text;
  throw new FolderProblem(
    'BAD_FILE',
    `YAML cannot keep what the project has for ${path}. Remove that file, and pull again: it comes as JSON.`,
  );
}

/** What a file has to hold, so that a push of it makes this definition. */
function definitionOf({ kind, id, resource }: StoredDefinition): Json {
  const isWhole = kind === 'game-values' || kind === 'rate-limit-rules';
  return isWhole || !isObject(resource) ? resource : { sourceVersion: 1, kind, id, ...withoutHead(resource) };
}

function withoutHead(resource: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => !['sourceVersion', 'kind', 'id'].includes(name)));
}

/** The file that is named after a definition; `null`: its id is no valid file name. */
function nameOf({ kind, id }: StoredDefinition, format: Format): string | null {
  return id === '*' || /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/.test(id) ? fileOf(kind, id, format) : null;
}

/**
 * A path that no other file has, letter case aside, because some file systems ignore it. If the definition's own name is not possible, the
 * path is made of the valid part of the id and a hash of it.
 */
function freePath(held: StoredDefinition, format: Format, taken: TakenPaths): string {
  const name = nameOf(held, format);
  const kept = held.id.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  const path = name !== null && taken.isFree(name) ? name : fileOf(held.kind, `${kept}-${hashOf(held.id).slice(0, 8)}`, format);
  taken.add(path);
  return path;
}
