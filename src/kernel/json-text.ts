import { randomBytes } from 'node:crypto';
import { ExactNumber, exactRendering, isArray, isObject, type Json, type JsonObject } from './json-value.ts';

/**
 * Prints JSON. `JSON.stringify` does the work. An exact number is printed as a marked string and unquoted afterwards, which costs nothing
 * where there is none. The marker is random per process, never leaves it, and must enclose a number, so no stored string can pass for one.
 */
const MARK = `exact:${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?[0-9][0-9.eE+-]*)"`, 'g');

/** The JSON text as it is served. Non-finite numbers print as null and −0 as 0, as in `JSON.stringify`. */
export function stringifyJson(value: Json): string {
  return print(value).text;
}

/** An object and its text, for callers that pass on both. */
export interface PrintedObject extends Printed {
  readonly value: JsonObject;
}

/**
 * {@link stringifyJson} of an object whose text is needed again. The text travels with the object: a map of printed texts costs more than
 * printing small objects.
 */
export function printObject(value: JsonObject): PrintedObject {
  const { text, exact } = print(value);
  return { value, text, exact };
}

/** {@link stringifyJson} with two blanks of indent a level, for files that people read. */
export function prettyJson(value: Json): string {
  return print(value, 2).text;
}

function print(value: Json, indent?: number): Printed {
  let found = false;
  exactRendering.current = (text) => {
    found = true;
    return MARK + text;
  };
  try {
    const text = JSON.stringify(value, null, indent);
    return { text: found ? text.replace(MARKED, '$1') : text, exact: found };
  } finally {
    exactRendering.current = null;
  }
}

/** Texts made by {@link printOnce}, for as long as their values live. */
const printed = new WeakMap<JsonObject, Printed>();

export interface Printed {
  readonly text: string;
  /** Whether the text holds an exact number, which events store in another form. */
  readonly exact: boolean;
}

/** {@link stringifyJson} of an object that is printed several times (checked, stored, projected, served): it is printed once. */
export function printOnce(value: JsonObject): string {
  const known = printed.get(value);
  if (known) return known.text;
  const made = print(value);
  printed.set(value, made);
  return made.text;
}

/** What {@link printOnce} made of this very object, if anything. */
export function printedBefore(value: JsonObject): Printed | undefined {
  return printed.get(value);
}

/** What {@link stringifyJson} makes of a value, or its first characters: as many as are wanted, and perhaps more. */
export function jsonStart(value: Json, wanted: number): string {
  if (isArray(value)) return started('[', ']', value, wanted, (item, room) => jsonStart(item, room));
  if (isObject(value))
    return started('{', '}', Object.keys(value), wanted, (name, room) => {
      const head = `${JSON.stringify(name)}:`;
      return head + jsonStart(value[name] ?? null, room - head.length);
    });
  return stringifyJson(value);
}

function started<T>(open: string, close: string, parts: readonly T[], wanted: number, textOf: (part: T, room: number) => string): string {
  let text = open;
  for (const [place, part] of parts.entries()) {
    text += `${place === 0 ? '' : ','}${textOf(part, wanted - text.length)}`;
    if (text.length >= wanted) return text;
  }
  return text + close;
}

/** JSON with members sorted by UTF-16 code unit and without blanks: one text per value, for hashes and signatures. */
export function canonicalJson(value: Json): string {
  if (value instanceof ExactNumber) return value.text;
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(',')}}`;
}
