import { groupBy } from '../../kernel/group.ts';
import {
  compareNumbers,
  ExactNumber,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  jsonEquals,
  toDouble,
} from '../../kernel/json.ts';
import type { FieldModel, SchemaModel } from '../definition/model.ts';
import { DOCUMENT_KEY } from './key.ts';

/** A fault as text, which its parent prefixes with a path: `: expected number`, or `xp: expected number` from further down. */
type Fault = string;

const MAX_DEPTH = 64;

/**
 * The first fault of a document, such as `stats.xp: expected number`, or `null`. Nothing is coerced. Null is valid for every field that is not
 * required, and a required field with a default counts as present.
 */
export function checkDocument(schema: SchemaModel, document: JsonObject): string | null {
  if (schema.root === null) return null;
  const fault = checkValue(schema.root, document, 0);
  return fault?.startsWith(': ') ? fault.slice(2) : fault;
}

function checkValue(field: FieldModel, value: Json, depth: number): Fault | null {
  if (depth > MAX_DEPTH) return ': nested too deeply';
  if (value === null && !field.required) return null;
  if (!hasType(field.type, value)) return `: expected ${field.type}`;
  if (field.enum !== undefined && !isAllowed(field.enum, value)) return ': not one of the allowed values';
  if (typeof value === 'string') return checkText(field, value);
  if (isNumber(value)) return checkNumber(field, value);
  if (isArray(value)) return checkItems(field, value, depth);
  return isObject(value) ? checkMembers(field, value, depth) : null;
}

/** A schema may allow thousands of values for each item of a list. So a value is compared only with those that have the same group key. */
function isAllowed(allowed: readonly Json[], value: Json): boolean {
  const candidates = allowed.length > FEW_VALUES ? (groupsOf(allowed).get(groupKey(value)) ?? []) : allowed;
  return candidates.some((each) => jsonEquals(each, value));
}

const FEW_VALUES = 8;
const groups = new WeakMap<readonly Json[], ReadonlyMap<string, readonly Json[]>>();

function groupsOf(allowed: readonly Json[]): ReadonlyMap<string, readonly Json[]> {
  const known = groups.get(allowed) ?? groupBy(allowed, groupKey);
  groups.set(allowed, known);
  return known;
}

/** Equal values have equal keys. Values that differ may share one. */
function groupKey(value: Json): string {
  if (isNumber(value)) return String(toDouble(value));
  if (isArray(value)) return `[${value.map(groupKey).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${groupKey(value[name] ?? null)}`).join()}}`;
}

/** A type that this server does not know allows anything. */
function hasType(type: string, value: Json): boolean {
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
      return typeof value === 'string' && !Number.isNaN(Date.parse(value));
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

function checkText({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FieldModel, text: string): Fault | null {
  if (minLength === 0 && text.length <= maxLength) return null;
  const length = codePoints(text);
  if (length < minLength) return `: shorter than ${minLength} characters`;
  return length > maxLength ? `: longer than ${maxLength} characters` : null;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Compares by decimal value: two integers above 2^53 may be the same double, and a bound may lie between them. */
function checkNumber({ min, max }: FieldModel, value: number | ExactNumber): Fault | null {
  if (min !== undefined && compareNumbers(value, min) < 0) return `: less than ${boundText(min)}`;
  return max !== undefined && compareNumbers(value, max) > 0 ? `: more than ${boundText(max)}` : null;
}

function boundText(bound: number | ExactNumber): string {
  return bound instanceof ExactNumber ? bound.text : String(bound);
}

function checkItems(field: FieldModel, list: readonly Json[], depth: number): Fault | null {
  if (list.length < (field.minItems ?? 0)) return `: fewer than ${field.minItems} items`;
  if (list.length > (field.maxItems ?? Number.POSITIVE_INFINITY)) return `: more than ${field.maxItems} items`;
  for (let index = 0; index < list.length; index += 1) {
    const fault = checkMember(field.items ?? true, list[index] ?? null, depth + 1);
    if (fault !== null) return under(String(index), fault);
  }
  return null;
}

function checkMembers(field: FieldModel, object: JsonObject, depth: number): Fault | null {
  for (const name of field.needed) if (!Object.hasOwn(object, name)) return under(name, ': required');
  // Plain objects inherit nothing enumerable, and this runs for every member of every write.
  for (const name in object) {
    const fault = checkMember(field.properties?.get(name) ?? field.additional, object[name] ?? null, depth + 1);
    if (fault !== null) return under(name, fault);
  }
  return null;
}

function checkMember(rule: boolean | FieldModel, value: Json, depth: number): Fault | null {
  if (rule === false) return ': not a field of the schema';
  return rule === true ? checkDepth(value, depth) : checkValue(rule, value, depth);
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
