import type { CollectionModel, FieldModel } from '../domain/definition/model.ts';
import { stringOf } from '../domain/definition/read.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { member } from '../kernel/path.ts';
import { typeOfJson } from './json-type.ts';
import {
  ANY_OBJECT,
  BOOLEAN,
  list,
  literal,
  type Member,
  MISSING,
  NULL,
  NUMBER,
  type ObjectType,
  STRING,
  type Type,
  UNKNOWN,
  union,
} from './type.ts';

/**
 * Documents of a collection, as its schema has them. A field with a default is there on every read and may be left out of a save. Null, which a
 * save may hold for what is not required, is left out of both: a game that saves by these types never saves it.
 */
export interface DocumentTypes {
  /** As a read answers it. */
  readonly read: ObjectType;
  /** What a save takes. */
  readonly save: ObjectType;
}

type Side = keyof DocumentTypes;

/** `writtenBySteps`: endpoints may make the documents, and no schema binds what these write: what is required may not be there. */
export function documentTypes({ schema, definition }: CollectionModel, writtenBySteps: boolean): DocumentTypes {
  const { root } = schema;
  if (root === null) return { read: ANY_OBJECT, save: ANY_OBJECT };
  const raw = definition.schema ?? definition.fields ?? null;
  const whole = itself(root);
  return { read: objectType(whole, raw, { side: 'read', writtenBySteps }), save: objectType(whole, raw, { side: 'save', writtenBySteps }) };
}

/** A document, an item of a list or a member without a name: it is there or not, and never comes into being by a default. */
function itself(field: FieldModel): FieldModel {
  return { ...field, default: undefined };
}

interface How {
  readonly side: Side;
  readonly writtenBySteps: boolean;
}

function objectType(field: FieldModel, raw: Json, how: How): ObjectType {
  const members = [...(field.properties ?? [])].map(([name, child]): [string, Member] => {
    const source = rawField(raw, name);
    const type = fieldType(child, source, how);
    return [name, { type: isPresent(child, name, field, how) ? type : union(type, MISSING), ...aboutOf(child, source) }];
  });
  const { additional } = field;
  const rest = typeof additional === 'object' ? fieldType(itself(additional), rawAdditional(raw), how) : null;
  return { kind: 'object', members: new Map(members), rest, open: rest === null && members.length === 0 && additional === true };
}

/** Of an object that comes into being by defaults, only what those hold is sure to be there. */
function isPresent(child: FieldModel, name: string, parent: FieldModel, { side, writtenBySteps }: How): boolean {
  const needed = child.required && child.default === undefined;
  if (side === 'save') return needed;
  if (child.default !== undefined) return true;
  return needed && !writtenBySteps && (parent.default === undefined || (isObject(parent.default) && Object.hasOwn(parent.default, name)));
}

function fieldType(field: FieldModel, raw: Json, how: How): Type {
  const type = field.enum === undefined ? typeByName(field, raw, how) : union(...field.enum.map(allowed));
  return how.side === 'read' ? withDefault(type, field.default) : type;
}

/** A default need not fit the type of its field. */
function withDefault(type: Type, value: Json | undefined): Type {
  return value === undefined || isObject(value) || isArray(value) ? type : union(type, allowed(value));
}

function allowed(value: Json): Type {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? literal(value) : typeOfJson(value);
}

function typeByName(field: FieldModel, raw: Json, how: How): Type {
  switch (field.type) {
    case 'string':
    case 'datetime':
    case 'player':
    case 'playerSave':
      return STRING;
    case 'number':
    case 'integer':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'array':
      return list(field.items === undefined ? UNKNOWN : fieldType(itself(field.items), rawItems(raw), how));
    case 'object':
      return objectType(field, raw, how);
    default:
      return field.properties === undefined ? UNKNOWN : objectType(field, raw, how);
  }
}

function rawField(raw: Json, name: string): Json {
  if (!isObject(raw)) return null;
  const properties = member(raw, 'properties');
  return member(isObject(properties) ? properties : raw, name) ?? null;
}

function rawAdditional(raw: Json): Json {
  return isObject(raw) ? (member(raw, 'additionalProperties') ?? null) : null;
}

function rawItems(raw: Json): Json {
  return isObject(raw) ? (member(raw, 'items') ?? null) : null;
}

/** What the author says of the field, and what the types do not. */
function aboutOf(field: FieldModel, raw: Json): { readonly about?: string } {
  const said = isObject(raw) ? (stringOf(member(raw, 'description')) ?? stringOf(member(raw, 'title'))) : undefined;
  const plain = field.default === undefined || isObject(field.default) || isArray(field.default) ? undefined : stringifyJson(field.default);
  const lines = [
    said,
    plain === undefined ? undefined : `Default: ${plain}.`,
    isBig(field)
      ? 'May be larger than a JavaScript number holds exactly: give the client a `json` codec that reads such numbers.'
      : undefined,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? {} : { about: lines.join('\n') };
}

/** Whether the schema itself names a number that no double holds. */
function isBig({ min, max, default: initial, enum: values = [] }: FieldModel): boolean {
  return [min, max, initial, ...values].some((value) => value instanceof ExactNumber || (isNumber(value) && Math.abs(Number(value)) > BIG));
}

const BIG = Number.MAX_SAFE_INTEGER;
