import type { Json } from '../../kernel/json.ts';
import { typeOfJson } from './json-type.ts';
import { BOOLEAN, literal, NULL, NUMBER, STRING, type Type } from './type.ts';

/** Shared by declarations of inputs and documents. */

/** Types of single values, by the words that declare them. */
export const PLAIN_TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...['string', 'datetime', 'player', 'playerSave'].map((name) => [name, STRING] as const),
  ...['number', 'integer'].map((name) => [name, NUMBER] as const),
  ['boolean', BOOLEAN],
  ['null', NULL],
]);

/** The type of one value that is allowed. */
export function allowed(value: Json): Type {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? literal(value) : typeOfJson(value);
}

/** A description made of these lines; no member if there are none. */
export function noteOf(...lines: readonly (string | undefined)[]): { readonly about?: string } {
  const told = lines.filter((line) => line !== undefined);
  return told.length === 0 ? {} : { about: told.join('\n') };
}
