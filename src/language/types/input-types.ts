import { type Json, stringifyJson } from '../../kernel/json.ts';
import { type InputField, type InputShape, inputShape, typeNames } from '../input-fields.ts';
import { allowed, noteOf, PLAIN_TYPES } from './declared.ts';
import { ANY_OBJECT, EMPTY_OBJECT, list, type Member, MISSING, NULL, type ObjectType, type Type, UNKNOWN, union } from './type.ts';

/**
 * Inputs of endpoints, from their declarations. The type that a game sends and the type that steps see differ: null counts as missing, and
 * what is missing and has a default is filled in.
 */
export interface InputTypes {
  /** The type that a game sends. */
  readonly sent: ObjectType;
  /** The type that steps see: unknown members pass, and null counts as missing. */
  readonly seen: ObjectType;
}

type Side = keyof InputTypes;

/** `reads`: whether the endpoint reads its input. If it does and declares nothing, any input is allowed. */
export function inputTypes(declared: Json | undefined, reads: boolean): InputTypes {
  const shape = inputShape(declared);
  if (shape === null) return { sent: reads ? ANY_OBJECT : EMPTY_OBJECT, seen: ANY_OBJECT };
  return { sent: shapeType(shape, 'sent'), seen: shapeType(shape, 'seen') };
}

function shapeType({ fields, required, additional }: InputShape, side: Side): ObjectType {
  const undeclared = required.filter((name) => !fields.has(name)).map((name): [string, Member] => [name, { type: UNKNOWN }]);
  const members = [...fields].map(([name, field]): [string, Member] => {
    const type = fieldType(field, side);
    const isThere = field.default === undefined ? required.includes(name) : side === 'seen';
    return [name, { type: isThere ? type : optional(type, side), ...aboutOf(field) }];
  });
  const rest = side === 'sent' && typeof additional === 'object' ? fieldType(additional, side) : null;
  return { kind: 'object', members: new Map([...members, ...undeclared]), rest, open: side === 'seen' };
}

function optional(type: Type, side: Side): Type {
  return side === 'seen' ? union(type, NULL, MISSING) : union(type, MISSING);
}

function fieldType(field: InputField, side: Side): Type {
  if (field.enum !== undefined && field.enum.length > 0) return union(...field.enum.map(allowed));
  const types = typeNames(field);
  if (types.length > 0) return union(...types.map((type) => typeByName(type, field, side)));
  return side === 'sent' && field.shape !== null ? shapeType(field.shape, side) : UNKNOWN;
}

function typeByName(type: string, field: InputField, side: Side): Type {
  if (type === 'array') return list(items(field, side));
  const plain = PLAIN_TYPES.get(type);
  if (plain !== undefined) return plain;
  return field.shape === null ? ANY_OBJECT : shapeType(field.shape, side);
}

/** The type of items. The server lets null pass among them. */
function items({ items: declared }: InputField, side: Side): Type {
  if (declared === null) return UNKNOWN;
  const type = fieldType(declared, side);
  return side === 'seen' ? union(type, NULL) : type;
}

function aboutOf({ about, default: initial }: InputField): { readonly about?: string } {
  return noteOf(about, initial === undefined ? undefined : `Where it is left out: ${stringifyJson(initial)}.`);
}
