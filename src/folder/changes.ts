import { openedBetween } from '../domain/access/widened.ts';
import { differenceOf, type FieldDifferences } from '../domain/definition/release/difference.ts';
import { AUTHORING_MEMBERS } from '../domain/definition/source/compile.ts';
import { isArray, isObject, type Json, type JsonObject, jsonEquals } from '../kernel/json.ts';
import { textOfSource } from './body.ts';
import type { FileKind } from './kinds.ts';
import type { Folder, Source } from './sources.ts';
import type { StoredDefinition } from './stored-definitions.ts';

/** The changes that a push of a folder would make in a target, field by field. */

export interface Change extends FieldDifferences {
  readonly kind: FileKind;
  readonly id: string;
  /** `absent`: the target has it and the folder does not. `delete`: the same, and a push that prunes removes it. */
  readonly action: 'add' | 'change' | 'absent' | 'delete';
  /** The file of the folder. */
  readonly path?: string;
  /** The target has the definition without a source text, because it was pushed as data. A push adds the text. */
  readonly isFirstText?: true;
}

/**
 * The changes of a push. A change without `fields` only concerns comments or layout, or adds the text of a definition that was pushed as
 * data. Sources that cannot be read count as changed.
 */
export function changesOf(folder: Pick<Folder, 'sources'>, held: readonly StoredDefinition[]): readonly Change[] {
  const before = new Map(held.map((each) => [nameOf(each), each]));
  const own = new Map(folder.sources.map((each) => [nameOf(each), each]));
  const changed = [...own.values()].flatMap((source) => changeOf(source, before.get(nameOf(source))));
  const absent = held.filter((each) => !own.has(nameOf(each)));
  return [...changed, ...absent.map(({ kind, id }): Change => ({ kind, id, action: 'absent', members: [], fields: [] }))];
}

function changeOf(source: Source, held: StoredDefinition | undefined): Change[] {
  const { kind, id, path } = source;
  const after = comparable(kind, id, source.resource);
  if (held === undefined) return [{ kind, id, path, action: 'add', ...differenceOf({}, after, isTold) }];
  const before = comparable(kind, id, held.resource);
  const text = textOfSource(source);
  if (jsonEquals(before, after) && (text === null || text === held.file?.text)) return [];
  const first = text !== null && held.file === null ? ({ isFirstText: true } as const) : {};
  return [{ kind, id, path, action: 'change', ...first, ...differenceOf(before, after, isTold), ...openedBetween(kind, before, after) }];
}

/** The resource in one canonical form, with the members that listings add. */
function comparable(kind: FileKind, id: string, resource: Json | null): Json {
  if (kind === 'rate-limit-rules' && isArray(resource)) return { rules: resource };
  if (kind === 'game-values' && isArray(resource)) return { items: resource };
  if (!isObject(resource) || kind === 'game-values' || kind === 'rate-limit-rules') return resource;
  if (kind === 'test') return { id, ...resource };
  const name = resource['name'] ?? resource['slug'] ?? id;
  const own: JsonObject = { id, name, ...(kind === 'endpoint' ? { slug: id } : {}), ...resource };
  return kind === 'collection' ? { visibility: 'private', ...own } : own;
}

function isTold(name: string): boolean {
  return !AUTHORING_MEMBERS.some((own) => own === name) && name !== 'sourceVersion';
}

function nameOf({ kind, id }: Pick<Source, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}
