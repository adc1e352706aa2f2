import { isDeeper, JsonError } from './json-parse.ts';
import { type Printed, type PrintedObject, printedBefore } from './json-text.ts';
import { ExactNumber, exactRendering, isArray, isObject, type Json, type JsonObject } from './json-value.ts';

/**
 * The stored form of event data. An exact number is `{"$n":"<text>"}`. A member named `$n`, `$$n`, … is stored with one more `$`, so no
 * document can pass for an exact number. Both are rare, so a search of the text decides whether anything has to be done.
 */
const TAG = '$n';
const RESERVED = /^\$+n$/;
const ESCAPED = /^\$\$+n$/;
/** In printed JSON this can only be the end of a member name: inside a string the quote would be escaped. */
const NAME_END = '$n":';

/**
 * JSON text of an event's data. Members that are `undefined` are left out. A member `document` that was printed before (`printed` says so,
 * or its value does) is taken over as text, at the end.
 */
export function encodeEvent(data: Json | object, printed?: PrintedObject): string {
  const whole = printedDocument(data, printed);
  if (whole === null) return encode(data);
  const rest = encode({ ...(data as object), document: undefined });
  return rest === '{}' ? `{"document":${whole}}` : `${rest.slice(0, -1)},"document":${whole}}`;
}

/** The text of a `document` that has the same form in an event as elsewhere: no exact number and no reserved name in it. */
function printedDocument(data: Json | object, printed: PrintedObject | undefined): string | null {
  if (typeof data !== 'object' || data === null || !('document' in data) || !isObject(data['document'] as Json)) return null;
  const known: Printed | undefined = data['document'] === printed?.value ? printed : printedBefore(data['document'] as JsonObject);
  return known && !known.exact && !known.text.includes(NAME_END) ? known.text : null;
}

function encode(data: Json | object): string {
  let exact = 0;
  exactRendering.current = (text) => {
    exact += 1;
    return { [TAG]: text };
  };
  try {
    const text = JSON.stringify(data);
    if (occurrences(text, NAME_END) === exact) return text;
    return JSON.stringify(withRenamed(data));
  } finally {
    exactRendering.current = null;
  }
}

/** Far above what is written: of documents, bodies and definitions 64 levels are taken. */
const MAX_DEPTH = 256;

/**
 * The value that was given to {@link encodeEvent}. Throws `SyntaxError` if the text is not JSON, and {@link JsonError} if it is nested more
 * deeply than any event: a log may come from a file or an engine that others write to.
 */
export function decodeEvent(text: string): Json {
  if (isDeepEvent(text)) throw new JsonError('depth', `The data of an event is nested deeper than ${MAX_DEPTH} levels`);
  const value: Json = JSON.parse(text);
  return text.includes(NAME_END) ? decoded(value) : value;
}

/** Whether the data of an event is nested so deeply that nothing of ours wrote it. */
export function isDeepEvent(text: string): boolean {
  return isDeeper(text, MAX_DEPTH);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** A copy with reserved member names escaped. Exact numbers stay: `JSON.stringify` renders them. */
function withRenamed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map(withRenamed);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [RESERVED.test(name) ? `$${name}` : name, withRenamed(item)]));
}

function decoded(value: Json): Json {
  if (isArray(value)) return value.map(decoded);
  if (!isObject(value)) return value;
  const tagged = value[TAG];
  if (typeof tagged === 'string') return new ExactNumber(tagged);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [ESCAPED.test(name) ? name.slice(1) : name, decoded(item)]));
}
