import type { CollectionModel, FieldModel } from '../../domain/model.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, stringifyJson } from '../../kernel/json.ts';
import { allowed, noteOf, PLAIN_TYPES } from './declared.ts';
import { ANY_OBJECT, list, type Member, MISSING, type ObjectType, type Type, UNKNOWN, union } from './type.ts';

/**
 * Documents of a collection by its schema. A field with a default is present in every read and may be left out of a save. Null, which a
 * save may have for optional fields, is in neither type: a game that saves by these types never saves it.
 */
export interface DocumentTypes {
  /** The document as it is read. */
  readonly read: ObjectType;
  /** The document as it is saved. */
  readonly save: ObjectType;
}

type Side = keyof DocumentTypes;

/** `writtenBySteps`: endpoints may write the documents, which the schema does not check, so required fields may be missing. */
export function documentTypes({ schema }: CollectionModel, writtenBySteps: boolean): DocumentTypes {
  const { root } = schema;
  if (root === null) return { read: ANY_OBJECT, save: ANY_OBJECT };
  const whole = itself(root);
  return { read: objectType(whole, { side: 'read', writtenBySteps }), save: objectType(whole, { side: 'save', writtenBySteps }) };
}

/** The field without its default, for a document, an item or an unnamed member: defaults do not create these. */
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

/** Whether a member is certainly present. In an object that defaults create, only members with defaults are. */
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

/** The type with that of the default, which need not fit the field. */
function withDefault(type: Type, value: Json | undefined): Type {
  return value === undefined || isObject(value) || isArray(value) ? type : union(type, allowed(value));
}

function typeByName(field: FieldModel, how: How): Type {
  if (field.type === 'array') return list(field.items === undefined ? UNKNOWN : fieldType(itself(field.items), how));
  const plain = PLAIN_TYPES.get(field.type);
  if (plain !== undefined) return plain;
  return field.type === 'object' || field.properties !== undefined ? objectType(field, how) : UNKNOWN;
}

/** The description of a field: its author's, and constraints that types cannot express. */
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
