import type { CollectionModel, FieldModel } from '../domain/definition/model.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { allowed, noteOf, PLAIN_TYPES } from './declared.ts';
import { ANY_OBJECT, list, type Member, MISSING, type ObjectType, type Type, UNKNOWN, union } from './type.ts';

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
export function documentTypes({ schema }: CollectionModel, writtenBySteps: boolean): DocumentTypes {
  const { root } = schema;
  if (root === null) return { read: ANY_OBJECT, save: ANY_OBJECT };
  const whole = itself(root);
  return { read: objectType(whole, { side: 'read', writtenBySteps }), save: objectType(whole, { side: 'save', writtenBySteps }) };
}

/** A document, an item of a list or a member without a name: it is there or not, and never comes into being by a default. */
function itself(field: FieldModel): FieldModel {
  return { ...field, default: undefined };
}

interface How {
  readonly side: Side;
  readonly writtenBySteps: boolean;
}

function objectType(field: FieldModel, how: How): ObjectType {
  const members = [...(field.properties ?? [])].map(([name, child]): [string, Member] => {
    const type = fieldType(child, how);
    return [name, { type: isPresent(child, name, field, how) ? type : union(type, MISSING), ...aboutOf(child) }];
  });
  const { additional } = field;
  const rest = typeof additional === 'object' ? fieldType(itself(additional), how) : null;
  return { kind: 'object', members: new Map(members), rest, open: rest === null && members.length === 0 && additional === true };
}

/** Of an object that comes into being by defaults, only what those hold is sure to be there. */
function isPresent(child: FieldModel, name: string, parent: FieldModel, { side, writtenBySteps }: How): boolean {
  const needed = child.required && child.default === undefined;
  if (side === 'save') return needed;
  if (child.default !== undefined) return true;
  return needed && !writtenBySteps && (parent.default === undefined || (isObject(parent.default) && Object.hasOwn(parent.default, name)));
}

function fieldType(field: FieldModel, how: How): Type {
  const type = field.enum === undefined ? typeByName(field, how) : union(...field.enum.map(allowed));
  return how.side === 'read' ? withDefault(type, field.default) : type;
}

/** A default need not fit the type of its field. */
function withDefault(type: Type, value: Json | undefined): Type {
  return value === undefined || isObject(value) || isArray(value) ? type : union(type, allowed(value));
}

function typeByName(field: FieldModel, how: How): Type {
  if (field.type === 'array') return list(field.items === undefined ? UNKNOWN : fieldType(itself(field.items), how));
  const plain = PLAIN_TYPES.get(field.type);
  if (plain !== undefined) return plain;
  return field.type === 'object' || field.properties !== undefined ? objectType(field, how) : UNKNOWN;
}

/** What the author says of the field, and what the types do not. */
function aboutOf(field: FieldModel): { readonly about?: string } {
  const plain = field.default === undefined || isObject(field.default) || isArray(field.default) ? undefined : stringifyJson(field.default);
  return noteOf(
    field.about,
    plain === undefined ? undefined : `Default: ${plain}.`,
    isBig(field)
      ? 'May be larger than a JavaScript number holds exactly: give the client a `json` codec that reads such numbers.'
      : undefined,
  );
}

/** Whether the schema itself names a number that no double holds. */
function isBig({ min, max, default: initial, enum: values = [] }: FieldModel): boolean {
  return [min, max, initial, ...values].some((value) => value instanceof ExactNumber || (isNumber(value) && Math.abs(Number(value)) > BIG));
}

const BIG = Number.MAX_SAFE_INTEGER;
