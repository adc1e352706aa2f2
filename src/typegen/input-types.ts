import type { inputObject, input as inputSchema } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { stringOf } from '../domain/definition/read.ts';
import { declaredTypes, requiredNames } from '../domain/endpoint/input.ts';
import { isArray, isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { typeOfJson } from './json-type.ts';
import {
  ANY_OBJECT,
  BOOLEAN,
  EMPTY_OBJECT,
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

function allowed(value: Json): Type {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? literal(value) : typeOfJson(value);
}

function typeByName(type: string, field: Field, side: Side, depth: number): Type {
  switch (type) {
    case 'string':
      return STRING;
    case 'number':
    case 'integer':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'array':
      return list(items(field, side, depth));
    default:
      return isObject(field.properties) || isArray(field.required) ? shape(field, side, depth) : ANY_OBJECT;
  }
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
  const lines = [stringOf(field.description), initial].filter((line) => line !== undefined);
  return lines.length === 0 ? {} : { about: lines.join('\n') };
}
