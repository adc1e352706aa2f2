import { instantOf } from '../../kernel/instant.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { FieldModel, SchemaModel } from '../definition/model.ts';
import { boundFault } from './bounds.ts';
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
  const fault = boundFault(field, value);
  if (fault !== null) return `: ${fault}`;
  if (isArray(value)) return checkItems(field, value, depth);
  return isObject(value) ? checkMembers(field, value, depth) : null;
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

function checkItems(field: FieldModel, list: readonly Json[], depth: number): Fault | null {
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
