import { isArray, isNumber, isObject, type Json, type JsonObject } from './json.ts';

/**
 * Tolerant readers of JSON that authors wrote. Definitions are stored after simple checks, so readers take valid values and ignore the
 * rest. Nothing here throws.
 */

const NOTHING: JsonObject = {};

/** Names that would reach an object's prototype. They are refused wherever an author can choose a name. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

export function objectOrNull(value: Json | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

/** The long form of a value that has a short one: a text stands for an object with this one member. */
export function longForm(value: Json | undefined, name: string): JsonObject {
  return typeof value === 'string' ? { [name]: value } : objectOf(value);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** The objects in a list. What else is in it is left out. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter((item) => isObject(item));
}

/** A trimmed text that is not blank, or a number as text (ids are sometimes numbers); else undefined. */
export function stringOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (typeof value === 'number') return String(value);
  return isNumber(value) ? value.text : undefined;
}

/** The first of these members that holds a text. */
export function firstText<W extends JsonObject>(object: W, ...names: readonly (keyof W & string)[]): string | undefined {
  for (const name of names) {
    const text = stringOf(object[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A flag. Older stored definitions have the texts `true` and `false`. */
export function flagOf(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** A finite number, which may be written as text. */
export function numberOf(value: Json | undefined): number | undefined {
  const text = stringOf(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** An object from pairs. The first pair with a name wins; reserved names are left out. */
export function objectFrom(pairs: Iterable<readonly [string, Json]>): JsonObject {
  const members = new Map<string, Json>();
  for (const [name, value] of pairs) if (!isReserved(name) && !members.has(name)) members.set(name, value);
  return Object.fromEntries(members);
}
