import { SECTIONS, SOURCE_KINDS } from '../domain/kinds.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { FileKind } from './kinds.ts';
import type { Folder, Source } from './sources.ts';

/** Makes the body of a push from the sources of a folder. */

/**
 * The body of a push. A kind without sources has no section, so the push leaves that kind of the project unchanged; the kinds in `emptied`
 * have an empty section. Lists and whole documents that cannot be read are left out: `problemsIn` reports them.
 */
export function bodyOf({ sources }: Pick<Folder, 'sources'>, emptied: ReadonlySet<FileKind> = new Set()): JsonObject {
  const listed = SOURCE_KINDS.flatMap((kind): [string, Json][] => {
    const items = itemsOf(sources, kind).map(itemOf);
    return items.length === 0 && !emptied.has(kind) ? [] : [[SECTIONS[kind], items]];
  });
  const wholes = WHOLES.flatMap(([kind, itemFrom, none]): [string, Json][] => {
    const source = sources.find((each) => each.kind === kind && each.resource !== null);
    if (source !== undefined) return [[SECTIONS[kind], itemFrom(source)]];
    return emptied.has(kind) ? [[SECTIONS[kind], none]] : [];
  });
  return Object.fromEntries([...listed, ...wholes]);
}

/** The sources of a kind that a push sends, in their order in the section. */
export function itemsOf(sources: readonly Source[], kind: FileKind): readonly Source[] {
  return sources.filter((source) => source.kind === kind && (source.resource !== null || isOwnFile(source)));
}

/** Whether the file is that one definition. Otherwise it is a list. */
function isOwnFile({ pointer, id, path }: Source): boolean {
  return pointer === '' && id !== path;
}

/** The text that a push sends of a source; `null`: it is sent as data. */
export function textOfSource(source: Source): string | null {
  const { kind, resource, text } = source;
  if (kind === 'game-values') return isArray(resource) || (isObject(resource) && isArray(resource['items'])) ? text : null;
  return kind === 'rate-limit-rules' || isOwnFile(source) ? text : null;
}

function itemOf(source: Source): Json {
  return isOwnFile(source) ? { kind: source.kind, ...authoringOf(source) } : source.resource;
}

function authoringOf({ format, path, text }: Source): JsonObject {
  return { sourceFormat: format, sourcePath: path, sourceText: text };
}

/** Values keep their file beside their own members. In an older form (`groups`, `tables`) they have no place for it. */
function valuesItem(source: Source): Json {
  const { resource } = source;
  if (isArray(resource)) return { items: resource, ...authoringOf(source) };
  return isObject(resource) && isArray(resource['items']) ? { ...resource, ...authoringOf(source) } : resource;
}

function rulesItem(source: Source): Json {
  const { resource } = source;
  if (isArray(resource)) return { rules: resource, ...authoringOf(source) };
  return isObject(resource) ? { ...resource, ...authoringOf(source) } : resource;
}

/** Kinds with one document, and their empty value. */
const WHOLES: readonly (readonly [FileKind, (source: Source) => Json, none: Json])[] = [
  ['game-values', valuesItem, { items: [] }],
  ['rate-limit-rules', rulesItem, []],
];
