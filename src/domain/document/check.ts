import { instantOf } from '../../kernel/instant.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { FieldModel, SchemaModel } from '../model.ts';
import { boundFault } from './bounds.ts';
import { DOCUMENT_KEY } from './key.ts';

/** A fault as text, which its parent prefixes with a path: `: expected number`, or `xp: expected number` from further down. */
type Fault = string;

const MAX_DEPTH = 64;

/**
 * The first fault of a document, such as `stats.xp: expected number`, or `null`. Nothing is coerced. Null is valid for every field that is
 * not required, and a required field with a default counts as present.
 */
export function checkDocument(schema: SchemaModel, document: JsonObject): string | null {
  if (schema.root === null) return null;
  return shown(checkValue(schema.root, document, 0, undefined));
}

/**
 * The first fault that operations bring into a document; `before`: the document that they change. What they leave as it was is not theirs:
 * it was stored under another schema, and whoever changes the gold can do nothing about a title that is missing.
 */
export function checkChange(schema: SchemaModel, before: JsonObject, after: JsonObject): string | null {
  return schema.root === null ? null : shown(checkValue(schema.root, after, 0, before));
}

function shown(fault: Fault | null): string | null {
  return fault?.startsWith(': ') ? fault.slice(2) : fault;
}

/** `was`: the value in the document before; `undefined`: none, or the document is judged as a whole. */
function checkValue(field: FieldModel, value: Json, depth: number, was: Json | undefined): Fault | null {
  if (value === was) return null;
  if (depth > MAX_DEPTH) return ': nested too deeply';
  if (value === null && !field.required) return null;
  if (!hasType(field.type, value)) return `: expected ${field.type}`;
  const fault = boundFault(field, value);
  if (fault !== null && !isNoWorse(field, value, was)) return `: ${fault}`;
  if (isArray(value)) return checkItems(field, value, depth, isArray(was) ? was : []);
  return isObject(value) ? checkMembers(field, value, depth, isObject(was) ? was : null) : null;
}

/** Whether a list with a fault in its length had it before: it may come nearer to what is allowed. */
function isNoWorse(field: FieldModel, value: Json, was: Json | undefined): boolean {
  if (!isArray(value) || !isArray(was) || boundFault(field, was) === null) return false;
  return value.length > (field.maxItems ?? Number.POSITIVE_INFINITY) ? value.length <= was.length : value.length >= was.length;
}

/** Whether a value is of a type of fields. A type that this server does not know allows anything. */
export function hasType(type: string, value: Json): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return isNumber(value);
    case 'integer':
      return isNumber(value) && isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isObject(value);
    case 'array':
      return isArray(value);
    case 'null':
      return value === null;
    case 'datetime':
      return typeof value === 'string' && instantOf(value) !== null;
    case 'player':
    case 'playerSave':
      return typeof value === 'string' && DOCUMENT_KEY.test(value);
    default:
      return true;
  }
}

/** Whether a number is an integer. An exact number is one if it has neither point nor exponent. */
function isInteger(value: number | ExactNumber): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
}

/** Items of the list before may stay, wherever they stand now. */
function checkItems(field: FieldModel, list: readonly Json[], depth: number, was: readonly Json[]): Fault | null {
  const kept = was.length === 0 ? null : new Set(was);
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] ?? null;
    const fault = kept?.has(item) ? null : checkMember(field.items ?? true, item, depth + 1, was[index]);
    if (fault !== null) return under(String(index), fault);
  }
  return null;
}

function checkMembers(field: FieldModel, object: JsonObject, depth: number, was: JsonObject | null): Fault | null {
  for (const name of field.needed) {
    if (!Object.hasOwn(object, name) && (was === null || Object.hasOwn(was, name))) return under(name, ': required');
  }
  // Plain objects inherit nothing enumerable, and this runs for every member of every write.
  for (const name in object) {
    const known = was === null ? undefined : member(was, name);
    const fault = checkMember(field.properties?.get(name) ?? field.additional, object[name] ?? null, depth + 1, known);
    if (fault !== null) return under(name, fault);
  }
  return null;
}

function checkMember(rule: boolean | FieldModel, value: Json, depth: number, was: Json | undefined): Fault | null {
  if (value === was) return null;
  if (rule === false) return ': not a field of the schema';
  return rule === true ? checkDepth(value, depth) : checkValue(rule, value, depth, was);
}

/** Bounds the depth of values that no field describes. */
function checkDepth(value: Json, depth: number): Fault | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > MAX_DEPTH) return ': nested too deeply';
  if (isArray(value)) return value.some((item) => checkDepth(item, depth + 1) !== null) ? ': nested too deeply' : null;
  if (!isObject(value)) return null;
  return Object.values(value).some((item) => checkDepth(item, depth + 1) !== null) ? ': nested too deeply' : null;
}

function under(name: string, fault: Fault): Fault {
  return fault.startsWith(':') ? name + fault : `${name}.${fault}`;
}
