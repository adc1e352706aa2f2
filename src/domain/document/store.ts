import { type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { ancestorsOf, getPath, member } from '../../kernel/path.ts';
import type { Change, Operation } from '../events.ts';
import { applyChanges } from './draft.ts';
import { type AppliedOperations, applyOperations, type OperationResult } from './operations.ts';
import type { ReadDocument } from './read-document.ts';

/** A stored document after operations, and the changes that lead to it. */
interface StoredDocument {
  readonly after: ReadDocument;
  readonly changes: readonly Change[];
}

/**
 * Applies operations to a stored document. They start from what a reader sees, with defaults, but only what they touch is stored: a default
 * stays a default until somebody writes the field. Throws `OperationError`.
 */
export function operate(
  from: ReadDocument,
  operations: readonly Operation[],
  applied: AppliedOperations | null = null,
): StoredDocument & Pick<OperationResult, 'increases' | 'moves'> {
  const base = from.asRead;
  const operated = applied?.to === base ? applied.operated : applyOperations(base, operations);
  const { document, increases, moves } = operated;
  if (base === from.stored) return { after: from.becoming(document), changes: operated.changes, increases, moves };
  const { after, changes } = keepingDefaults(from, operated);
  return { after, changes, increases, moves };
}

/**
 * Changes that lose no default. Usually they are the given ones. But if all of `stats` came from a default `{hp, mp}`, storing only
 * `stats.hp` would lose `mp` for every later reader, so the whole object is stored. `document`: the document that the changes should give.
 */
export function keepingDefaults(from: ReadDocument, { document, changes }: Pick<OperationResult, 'document' | 'changes'>): StoredDocument {
  const after = from.becoming(applyChanges(from.stored, changes));
  if (jsonEquals(after.asRead, from.becoming(document).asRead)) return { after, changes };
  const paths = new Set(changes.map(([path]) => firstMissing(from.stored, path)));
  const whole = [...paths].map((path): Change => [path, getPath(document, path) ?? null]);
  return { after: from.becoming(applyChanges(from.stored, whole)), changes: whole };
}

/** The outermost object on the way to `path` that the stored document lacks, or the path itself. */
function firstMissing(old: JsonObject, path: string): string {
  let found = path;
  for (const ancestor of ancestorsOf(path)) if (getPath(old, ancestor) === undefined) found = ancestor;
  return found;
}

/** The changes to a document after `clamped` fields were lowered in it. */
export function withClamped(changes: readonly Change[], clamped: readonly Change[], document: JsonObject): readonly Change[] {
  if (clamped.length === 0) return changes;
  const known = new Set(changes.map(([path]) => path));
  const isCovered = (path: string) => known.has(path) || [...ancestorsOf(path)].some((ancestor) => known.has(ancestor));
  const current = changes.map(([path]): Change => [path, getPath(document, path) ?? null]);
  return [...current, ...clamped.filter(([path]) => !isCovered(path))];
}

/** A plain document without the member that names the save version. */
export function withoutSaveVersion(document: JsonObject): JsonObject {
  if (member(document, SAVE_VERSION) === undefined) return document;
  const { [SAVE_VERSION]: _, ...rest } = document;
  return rest;
}

export const SAVE_VERSION = '_saveVersion';
