import { randomBytes } from 'node:crypto';
import { ExactNumber, exactRendering, isArray, isObject, type Json, type JsonObject } from './json-value.ts';

/**
 * Printing. `JSON.stringify` does the work; an exact number is printed as a marked string first and unquoted afterwards, which costs
 * nothing where there is none. The marker is random per process and never leaves it, and what stands inside must be a number, so
 * that no stored string can pass for one.
 */
const MARK = `exact:${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?[0-9][0-9.eE+-]*)"`, 'g');

/** The JSON text as it is served. Non-finite numbers print as null and −0 as 0, as in `JSON.stringify`. */
export function stringifyJson(value: Json): string {
  return print(value).text;
}

/** An object and its text, for whoever passes both on. */
export interface PrintedObject extends Printed {
  readonly value: JsonObject;
}

/** {@link stringifyJson} of an object that others will want to have printed: a map of what was printed costs more than the printing of small ones. */
export function printObject(value: JsonObject): PrintedObject {
  const { text, exact } = print(value);
  return { value, text, exact };
}

function print(value: Json): Printed {
  let found = false;
  exactRendering.current = (text) => {
    found = true;
    return MARK + text;
  };
  try {
    const text = JSON.stringify(value);
    return { text: found ? text.replace(MARKED, '$1') : text, exact: found };
  } finally {
    exactRendering.current = null;
  }
}

/** What {@link printOnce} has made, for as long as the value lives. */
const printed = new WeakMap<JsonObject, Printed>();

export interface Printed {
  readonly text: string;
  /** Whether an exact number is in it, whose stored form in events is another. */
  readonly exact: boolean;
}

/** {@link stringifyJson} of an object that will be asked for again: checked, stored, projected and served, it is printed once. */
export function printOnce(value: JsonObject): string {
  const known = printed.get(value);
  if (known) return known.text;
  const made = print(value);
  printed.set(value, made);
  return made.text;
}

/** What {@link printOnce} made of this very object, if it did. */
export function printedBefore(value: JsonObject): Printed | undefined {
  return printed.get(value);
}

/** Members sorted by UTF-16 code unit, no blanks (security 7.2): one text per value, for hashes and signatures. */
export function canonicalJson(value: Json): string {
  if (value instanceof ExactNumber) return value.text;
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(',')}}`;
}
