import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';

/**
 * Tolerant readers of author-written JSON. Definitions are stored after light checks, so whatever uses them takes what fits and
 * ignores the rest; nothing here throws.
 */

const NOTHING: JsonObject = {};

/** Names that would reach into an object's prototype; refused wherever an author can choose a name. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** A non-blank text, or a number as text (ids are sometimes written as plain numbers), trimmed; else undefined. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (typeof value === 'number') return String(value);
  return isNumber(value) ? value.text : undefined;
}

/** The first member that holds a text. */
export function firstText<W extends JsonObject>(object: W, ...names: readonly (keyof W & string)[]): string | undefined {
  for (const name of names) {
    const text = textOf(member(object, name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Older stored definitions carry flags as the texts `true` and `false`. */
export function flagOf(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** A finite number, also written as text. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = textOf(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** An object out of pairs, the first of a name winning, reserved names left out. */
export function objectFrom(pairs: Iterable<readonly [string, Json]>): JsonObject {
  const members = new Map<string, Json>();
  for (const [name, value] of pairs) if (!isReserved(name) && !members.has(name)) members.set(name, value);
  return Object.fromEntries(members);
}
