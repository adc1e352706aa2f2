import { compileItem } from '../domain/definition/source/compile.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { type FileKind, type Format, fileNameOf } from './kinds.ts';
import type { Listed, Remote, Target } from './remote.ts';
import { parseAny, withoutAuthoring } from './sources.ts';

/** The definitions of a target of a project, in the form of a folder. */

export interface StoredDefinition {
  readonly kind: FileKind;
  /** `*` of game values and rules. */
  readonly id: string;
  readonly resource: Json;
  /** The file that it was pushed from; `null`: it was pushed as data. */
  readonly file: StoredFile | null;
}

export interface StoredFile {
  /** The path of a source below the folder; `null`: none was sent, or an invalid one. */
  readonly path: string | null;
  readonly format: Format;
  readonly text: string;
}

export interface StoredDefinitions {
  /** The revision of the project's log that the definitions reflect. */
  readonly position: number;
  readonly definitions: readonly StoredDefinition[];
}

const LISTS: readonly (readonly [Listed, FileKind & ('collection' | 'endpoint' | 'workflow' | 'library' | 'query')])[] = [
  ['collections', 'collection'],
  ['endpoints', 'endpoint'],
  ['workflows', 'workflow'],
  ['libraries', 'library'],
  ['queries', 'query'],
];
const TRIES = 5;

/** Reads a consistent state of a target. If something is published meanwhile, it is read again. */
export async function storedDefinitions(remote: Remote, target: Target): Promise<StoredDefinitions> {
  for (let turn = 1; ; turn += 1) {
    const before = await remote.diff();
    const [lists, values, rules, tests] = await Promise.all([
      Promise.all(
        LISTS.map(async ([name, kind]) => effective(await remote.list(name, target)).map((item) => storedDefinition(kind, item))),
      ),
      remote.gameValues(target),
      remote.rateLimitRules(target),
      remote.tests(),
    ]);
    const after = await remote.diff();
    if (turn < TRIES && (before.liveHash !== after.liveHash || before.nextHash !== after.nextHash)) continue;
    const wholes = [...(values.stagedRemoval ? [] : valuesIn(values.data)), ...(rules.stagedRemoval ? [] : rulesIn({ ...rules }))];
    return { position: before.position, definitions: [...lists.flat(), ...wholes, ...tests.map((test) => storedDefinition('test', test))] };
  }
}

/** The collections of a target. */
export async function collectionsOf(remote: Remote, target: Target): Promise<readonly StoredDefinition[]> {
  return effective(await remote.list('collections', target)).map((item) => storedDefinition('collection', item));
}

/** The listing of a target as one layer: staged definitions replace live ones. */
function effective(items: readonly JsonObject[]): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const { revisionTarget, stagedRemoval, ...item } of items) {
    const id = String(item['id']);
    const under =
      revisionTarget === 'next' ? (found.get(id) ?? [...found.values()].find((each) => slugOf(each) === slugOf(item))) : undefined;
    if (under !== undefined) found.delete(String(under['id']));
    if (stagedRemoval === true) continue;
    // A staged definition that was pushed as data is merged into the live one.
    found.set(id, under === undefined || typeof item['sourceText'] === 'string' ? item : { ...withoutAuthoring(under), ...item });
  }
  return [...found.values()];
}

function slugOf(item: JsonObject): Json | undefined {
  return item['slug'] ?? item['id'];
}

function storedDefinition(kind: Parameters<typeof compileItem>[1], item: JsonObject): StoredDefinition {
  const id = String(item['id']);
  const file = fileIn(kind, item);
  if (file === null) return { kind, id, resource: withoutAuthoring(item), file };
  const { path, format, text } = file;
  const compiled = compileItem({ kind, id, sourceFormat: format, sourceText: text, ...(path === null ? {} : { sourcePath: path }) }, kind);
  return { kind, id, resource: compiled.ok ? withoutAuthoring(compiled.definition) : withoutAuthoring(item), file };
}

function valuesIn(data: Json): StoredDefinition[] {
  if (isArray(data) && data.length === 0) return [];
  if (isObject(data) && isArray(data['items']) && data['items'].length === 0 && data['sourceText'] === undefined) return [];
  const file = isObject(data) ? fileIn('game-values', data) : null;
  return [{ kind: 'game-values', id: '*', resource: wholeOf(file) ?? (isObject(data) ? withoutAuthoring(data) : data), file }];
}

function rulesIn(told: JsonObject): StoredDefinition[] {
  const rules = told['rules'];
  const file = fileIn('rate-limit-rules', told);
  if (file === null && (!isArray(rules) || rules.length === 0)) return [];
  const sent = isArray(rules) ? rules.map((rule) => (isObject(rule) ? withoutNulls(rule) : rule)) : [];
  return [{ kind: 'rate-limit-rules', id: '*', resource: wholeOf(file) ?? { rules: sent }, file }];
}

function wholeOf(file: StoredFile | null): Json | undefined {
  const parsed = file === null ? null : parseAny(file.text, file.format);
  return parsed?.ok ? parsed.value : undefined;
}

/** Removes nulls: the listing of rules names every window, and those without a limit are null. */
function withoutNulls(rule: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null));
}

function fileIn(kind: FileKind, item: JsonObject): StoredFile | null {
  const { sourceText: text, sourcePath: path, sourceFormat: format } = item;
  if (typeof text !== 'string') return null;
  const named = typeof path === 'string' && isSafe(path) ? fileNameOf(path) : null;
  const own = typeof path === 'string' && named?.kind === kind ? path : null;
  const isJson = typeof format === 'string' ? format.toLowerCase() === 'json' : named?.format === 'json';
  return { path: own, format: isJson ? 'json' : 'yaml', text };
}

/** Most bytes that file systems take as a name. */
const MAX_NAME_BYTES = 255;

/** Whether a path that came from a server stays in the folder. */
function isSafe(path: string): boolean {
  return (
    path.length <= 512 &&
    path
      .split('/')
      .every(
        (part) =>
          /^[^\\:\p{Cc}]+$/u.test(part) && !part.startsWith('.') && part !== 'node_modules' && Buffer.byteLength(part) <= MAX_NAME_BYTES,
      )
  );
}
