import type { inputObject, input as inputSchema } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { stringOf } from '../domain/definition/read.ts';
import { declaredTypes, requiredNames } from '../domain/endpoint/input.ts';
import { isArray, isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { allowed, noteOf, PLAIN_TYPES } from './declared.ts';
import { ANY_OBJECT, EMPTY_OBJECT, list, type Member, MISSING, NULL, type ObjectType, type Type, UNKNOWN, union } from './type.ts';

/**
 * Inputs of endpoints, from their declarations. What a game sends fits what the author means, enums too; what the steps can rely on is
 * what the server checks: types, and that required members are there.
 */
export interface InputTypes {
  /** What a game sends. */
  readonly sent: ObjectType;
  /** What the steps see: unknown members pass, and null counts as missing. */
  readonly seen: ObjectType;
}

type Side = keyof InputTypes;
type Field = Written<typeof inputObject> & { readonly enum?: Json };

/** As deep as the server checks. */
const MAX_DEPTH = 8;

/** `reads`: whether the endpoint looks at its input. One that does and declares nothing takes anything. */
export function inputTypes(declared: Json | undefined, reads: boolean): InputTypes {
  const schema: Written<typeof inputSchema> | null = isObject(declared) ? declared : null;
  const hasFields = schema !== null && (isObject(schema.properties) || isArray(schema.required));
  if (!hasFields) return { sent: reads ? ANY_OBJECT : EMPTY_OBJECT, seen: ANY_OBJECT };
  return { sent: shape(schema, 'sent', 0), seen: shape(schema, 'seen', 0) };
}

function shape(json: Field, side: Side, depth: number): ObjectType {
  const properties = isObject(json.properties) ? json.properties : {};
  const required = requiredNames(json.required, properties);
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name)).map((name): [string, Member] => [name, { type: UNKNOWN }]);
  const members = Object.entries(properties).map(([name, field]): [string, Member] => {
    const type = fieldType(field, side, depth + 1);
    return [name, { type: required.includes(name) ? type : optional(type, side), ...aboutOf(field) }];
  });
  return { kind: 'object', members: new Map([...members, ...undeclared]), rest: null, open: side === 'seen' };
}

function optional(type: Type, side: Side): Type {
  return side === 'seen' ? union(type, NULL, MISSING) : union(type, MISSING);
}

function fieldType(json: Json, side: Side, depth: number): Type {
  const field: Field = isObject(json) ? json : typeof json === 'string' ? { type: json } : {};
  if (depth > MAX_DEPTH) return UNKNOWN;
  if (side === 'sent' && isArray(field.enum) && field.enum.length > 0) return union(...field.enum.map(allowed));
  const types = declaredTypes(field.type);
  if (types.length > 0) return union(...types.map((type) => typeByName(type, field, side, depth)));
  return side === 'sent' && isObject(field.properties) ? shape(field, side, depth) : UNKNOWN;
}

function typeByName(type: string, field: Field, side: Side, depth: number): Type {
  if (type === 'array') return list(items(field, side, depth));
  const plain = PLAIN_TYPES.get(type);
  if (plain !== undefined) return plain;
  return isObject(field.properties) || isArray(field.required) ? shape(field, side, depth) : ANY_OBJECT;
}

/** The server lets null pass among the items. */
function items({ items: declared }: Field, side: Side, depth: number): Type {
  if (declared === undefined) return UNKNOWN;
  const type = fieldType(declared, side, depth + 1);
  return side === 'seen' ? union(type, NULL) : type;
}

function aboutOf(json: Json): { readonly about?: string } {
  const field: Field = isObject(json) ? json : {};
  const initial = field.default === undefined ? undefined : `Meant where it is left out: ${stringifyJson(field.default)}.`;
  return noteOf(stringOf(field.description), initial);
}
