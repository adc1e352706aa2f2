import type { Item } from '../../../contract/resources/definition.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../../kernel/json.ts';
import { isReserved, objectFrom, stringOf } from '../../../kernel/json-read.ts';
import type { SourceKind } from '../../kinds.ts';
import { contentProblem, invalid, sourceProblem, sourceTextProblem, structureProblem } from './check.ts';
import { failed, type Parsed, type Problem, type Warning } from './problem.ts';
import { plainWords } from './wording.ts';
import { parseYaml } from './yaml.ts';

/**
 * Compiles what a push sends into the stored, flat form of a definition. An item is a plain definition, or a source item: the text of an
 * author's file with its wrapper (`kind, id, authoringMode, sourceFormat, sourcePath, sourceText`).
 */

/** Kept beside the compiled members exactly as sent: the editor compares `sourceText` with its file. */
export const AUTHORING_MEMBERS: readonly (keyof Item & string)[] = [
  'authoringMode',
  'sourceFormat',
  'sourcePath',
  'sourceText',
  'sourceVersion',
];

export type Compiled =
  | { readonly ok: true; readonly definition: JsonObject; readonly id: string | null; readonly warnings: readonly Warning[] }
  | ({ readonly ok: false; readonly resourceId: string | null } & Problem);

/**
 * Compiles any JSON value; never throws. A plain definition comes back unchanged. `id` is the definition's id as text: from the source,
 * else from the item, else from the file name in `sourcePath`; `null` if there is none (plain definitions may be found by slug or name). A
 * failure outside a source text has the `code` `VALIDATION_FAILED`.
 */
export function compileItem(item: Json, kind: SourceKind): Compiled {
  if (!isObject(item)) return refused(invalid(`Each ${kind} must be an object.`), null);
  const before = known.get(item);
  if (before?.kind === kind) return before.compiled;
  const compiled = compileObject(item, kind);
  keepCompiled(item, kind, compiled);
  return compiled;
}

/** Stores the result of an item that another thread compiled. */
export function keepCompiled(item: JsonObject, kind: SourceKind, compiled: Compiled): void {
  known.set(item, { kind, compiled });
}

export function isCompiled(item: JsonObject, kind: SourceKind): boolean {
  return known.get(item)?.kind === kind;
}

/** Results by item. A publish of several commits is decided once for each commit, and one source text can take seconds to parse. */
const known = new WeakMap<JsonObject, { readonly kind: SourceKind; readonly compiled: Compiled }>();

function compileObject(item: Item, kind: SourceKind): Compiled {
  const given = stringOf(item.id) ?? fileId(item, kind);
  const { sourceText: text } = item;
  const unread = typeof text === 'string' ? null : sourceProblem(item);
  if (unread !== null) return refused(unread, given ?? null);
  const compiled = typeof text === 'string' ? compileText(item, text, kind, given) : plain(item);
  if (!compiled.ok) return refused(compiled.problem, given ?? stringOf(item.slug) ?? stringOf(item.name) ?? null);
  const { definition, warnings } = compiled.value;
  const problem = contentProblem(definition) ?? structureProblem(kind, definition);
  const id = stringOf(idOf(definition)) ?? null;
  return problem === null ? { ok: true, definition, id, warnings } : refused(problem, given ?? id);
}

function idOf({ id }: Item): Json | undefined {
  return id;
}

interface Result {
  readonly definition: JsonObject;
  readonly warnings: readonly Warning[];
}

function plain(item: Item): Parsed<Result> {
  const id = stringOf(item.id);
  const definition = id === undefined || id === item.id ? item : { ...item, id };
  return { ok: true, value: { definition, warnings: [] } };
}

function compileText(item: Item, text: string, kind: SourceKind, given: string | undefined): Parsed<Result> {
  if (text.trim() === '') return failed('INVALID_SOURCE_OBJECT', 'Source text is empty.');
  const tooLarge = sourceTextProblem(text);
  if (tooLarge !== null) return { ok: false, problem: { ...tooLarge, code: 'BUDGET_EXCEEDED' } };
  const parsed = parseText(item, text);
  if (!parsed.ok) return parsed;
  const source: Item = parsed.value;
  const declared = source.kind ?? source.resourceKind ?? item.kind;
  if (declared !== undefined && declared !== null && String(stringOf(declared)).toLowerCase() !== kind) {
    return failed('INVALID_RESOURCE_KIND', `Source kind '${stringOf(declared) ?? '?'}' does not match '${kind}'.`);
  }
  const version = stringOf(source.sourceVersion);
  if (version !== undefined && version !== '1') return failed('UNSUPPORTED_SOURCE_VERSION', 'Only sourceVersion 1 is understood.');
  const flat = withAuthoring(unwrap(source, kind), item);
  return { ok: true, value: { definition: named(flat, kind, given), warnings: warningsOf(source, kind, given) } };
}

/** Parses a source text as JSON or YAML, by the item's format. It must hold an object. */
export function parseText(item: JsonObject, text: string): Parsed<JsonObject> {
  const format = isJsonSource(item) ? 'JSON' : 'YAML';
  const parsed = format === 'JSON' ? parseJsonText(text) : parseYaml(text);
  if (!parsed.ok) return { ok: false, problem: { ...parsed.problem, message: `Invalid ${format} source: ${parsed.problem.message}` } };
  return isObject(parsed.value)
    ? { ok: true, value: parsed.value }
    : failed('INVALID_SOURCE_OBJECT', 'Source text must contain an object.');
}

export function isJsonSource(item: Item): boolean {
  const format = stringOf(item.sourceFormat)?.toLowerCase();
  if (format !== undefined) return format === 'json';
  return stringOf(item.sourcePath)?.toLowerCase().endsWith('.json') === true;
}

function parseJsonText(text: string): Parsed<Json> {
  try {
    return { ok: true, value: parseJson(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    return failed('INVALID_JSON', error instanceof Error ? error.message : 'not JSON');
  }
}

/** Unwraps the layouts of a source; the first match wins. With a `definition` wrapper, members outside it win. */
export function unwrap(source: JsonObject, kind: SourceKind): JsonObject {
  const outer = without(source, [kind, 'resource', 'definition'], isObject);
  const { [kind]: byKind, resource, definition }: Item & { readonly [Kind in SourceKind]?: Json } = source;
  if (isObject(byKind)) return { ...outer, ...byKind };
  if (isObject(resource)) return { ...outer, ...resource };
  if (isObject(definition)) return { ...definition, ...outer };
  return outer;
}

function withAuthoring(flat: JsonObject, item: Item): JsonObject {
  const kept = without(flat, ['kind', 'resourceKind', 'sourceText'], () => true);
  return { ...kept, ...authoringOf(item) };
}

/** The members of an item that are kept exactly as sent. */
export function authoringOf(item: Item): JsonObject {
  const authoring = AUTHORING_MEMBERS.filter((name) => Object.hasOwn(item, name));
  return objectFrom(authoring.map((name) => [name, item[name] ?? null]));
}

function named(flat: Item, kind: SourceKind, given: string | undefined): JsonObject {
  const id = stringOf(flat.id) ?? given;
  if (id === undefined) return flat;
  const key = kind === 'endpoint' ? ('slug' as const) : ('name' as const);
  const defaulted = kind !== 'test' && stringOf(flat[key]) === undefined;
  return { ...flat, id, ...(defaulted ? { [key]: id } : {}) };
}

/** `upgrades.endpoint.yml` → `upgrades`. */
function fileId(item: Item, kind: SourceKind): string | undefined {
  const { sourcePath: path } = item;
  if (typeof path !== 'string' || typeof item.sourceText !== 'string') return undefined;
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const stem = file.replace(/\.(ya?ml|json)$/i, '');
  const suffix = `.${kind}`;
  const id = stem.toLowerCase().endsWith(suffix) ? stem.slice(0, -suffix.length) : stem;
  return id === '' ? undefined : id;
}

/** Warnings about a source. They do not make a push fail: existing push tools send files without `kind` and `sourceVersion`. */
function warningsOf(source: Item, kind: SourceKind, given: string | undefined): Warning[] {
  const warnings: Warning[] = [];
  const missing = (['sourceVersion', 'kind'] as const).filter((name) => acceptKind(source)[name] === undefined);
  for (const name of missing) {
    const line = name === 'kind' ? `kind: ${kind}` : 'sourceVersion: 1';
    warnings.push({ code: 'MISSING_FIELD', message: `The source does not say its ${name}: add the line '${line}'.` });
  }
  const own = stringOf(source.id);
  if (own !== undefined && given !== undefined && own !== given) {
    warnings.push({ code: 'FILE_ID_MISMATCH', pointer: '/id', message: `The source's id '${own}' is used, not '${given}'.` });
  }
  return warnings.map((warning) => ({ ...warning, message: plainWords(warning.message) }));
}

function acceptKind(source: Item): Item {
  const { resourceKind: kind } = source;
  return kind === undefined ? source : { kind, ...source };
}

function without(object: JsonObject, names: readonly string[], drop: (value: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => !(names.includes(name) && drop(value))));
}

function refused(problem: Problem, resourceId: string | null): Compiled {
  const id = resourceId !== null && isReserved(resourceId) ? null : resourceId;
  return { ok: false, ...problem, message: plainWords(problem.message), resourceId: id };
}
