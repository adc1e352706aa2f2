import { isArray, isObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError } from './errors.ts';
import type { Value } from './value.ts';

/** A dotted path: the name where it starts, and the members from there. */
export interface Path {
  readonly root: string;
  readonly rest: readonly string[];
}

export const MAX_SEGMENTS = 10;
export const TOO_LONG = `A path may have at most ${MAX_SEGMENTS} segments.`;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a name would reach JavaScript internals. Such names do not exist in the language. */
export function isForbidden(name: string): boolean {
  return FORBIDDEN.has(name);
}

/** Parses a dotted path. Throws {@link LanguageError} for one that is too long or has a forbidden name. */
export function parsePath(text: string): Path {
  const [root = '', ...rest] = parseSegments(text);
  return { root, rest };
}

export function parseSegments(text: string): string[] {
  const segments = text.split('.', MAX_SEGMENTS + 1);
  if (segments.length > MAX_SEGMENTS) throw new LanguageError(TOO_LONG);
  for (const segment of segments) {
    if (isForbidden(segment.trim())) throw new LanguageError('Forbidden path segment.');
  }
  return segments.map((segment) => segment.trim());
}

/** Follows members: of objects, positions of lists, and `.length`. Anything else does not exist. */
export function walk(value: Value, segments: readonly string[]): Value {
  let current = value;
  for (const segment of segments) {
    current = childOf(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

export function childOf(parent: Value, segment: string): Value {
  if (isObject(parent)) return member(parent, segment);
  if (!isArray(parent)) return undefined;
  if (/^(?:0|[1-9]\d{0,8})$/.test(segment)) return parent[Number(segment)];
  // Older documentation reads a filter's result as `f.rows` and `f.count`; both work on any list.
  if (segment === 'length' || segment === 'count') return parent.length;
  return segment === 'rows' ? parent : undefined;
}
