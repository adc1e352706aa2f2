import type { inputObject } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import { type Refusal, refusable, refusal } from '../../kernel/errors.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json, type JsonObject, numberFromText, tryParseJson } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { listOf, longForm, objectOf, stringOf } from '../definition/read.ts';

/** Checks an endpoint's input against its declared schema: required fields and types, nothing else. */
export type InputCheck = (input: JsonObject, fromQuery: boolean) => JsonObject;

type WrittenField = Written<typeof inputObject>;

/** A declared member of an input. */
export interface InputField {
  /** As the author spells them; empty: any value. */
  readonly types: readonly string[];
  /** `null`: nothing is declared of its members. */
  readonly shape: InputShape | null;
  readonly items: InputField | null;
  /** The listed values, for documentation and for types. The check accepts others, too. */
  readonly enum: readonly Json[];
  readonly default: Json | undefined;
  readonly about: string | undefined;
}

export interface InputShape {
  readonly fields: ReadonlyMap<string, InputField>;
  /** Names that must be there, whether or not they are among the fields. */
  readonly required: readonly string[];
}

/** Levels of fields in fields that are checked. */
export const MAX_NESTING = 8;
const ANY: InputField = { types: [], shape: null, items: null, enum: [], default: undefined, about: undefined };

/**
 * The input as the endpoint sees it. `fromQuery`: members are texts, and are converted to their declared types where that loses nothing. Unknown
 * fields pass. 400 INVALID_INPUT names the first field that is missing or has the wrong type.
 */
export function checkInput(
  compiled: { readonly input: InputCheck },
  input: JsonObject,
  { fromQuery }: { readonly fromQuery: boolean },
): JsonObject | Refusal {
  return refusable(() => compiled.input(input, fromQuery));
}

/** Compiles an input schema; see {@link checkInput}. Without a schema every input passes. */
export function compileInput(json: Json | undefined): InputCheck {
  const shape = inputShape(json);
  if (shape === null || (shape.fields.size === 0 && shape.required.length === 0)) return (input) => input;
  return (input, fromQuery) => {
    const checked = fromQuery ? convert(input, shape) : input;
    checkShape(checked, shape, '');
    return checked;
  };
}

/** What an input schema declares; `null`: nothing. */
export function inputShape(json: Json | undefined): InputShape | null {
  return shapeIn(objectOf(json), 0);
}

function shapeIn({ properties, required }: WrittenField, depth: number): InputShape | null {
  if (!isObject(properties) && !isArray(required)) return null;
  const fields = new Map(Object.entries(objectOf(properties)).map(([name, field]) => [name, compileField(field, depth + 1)]));
  const own = Object.entries(objectOf(properties)).flatMap(([name, field]) => (isRequired(objectOf(field)) ? [name] : []));
  return { fields, required: [...new Set([...listOf(required).filter((name) => typeof name === 'string'), ...own])] };
}

function isRequired({ required }: WrittenField): boolean {
  return required === true;
}

function compileField(json: Json, depth: number): InputField {
  if (depth > MAX_NESTING && typeof json !== 'string') return ANY;
  const written: WrittenField = longForm(json, 'type');
  const { type, items } = written;
  return {
    types: typesOf(isArray(type) ? type : [type]),
    shape: shapeIn(written, depth),
    items: items === undefined ? null : compileField(items, depth + 1),
    enum: listOf(written.enum),
    default: written.default,
    about: stringOf(written.description),
  };
}

/**
 * The allowed types, each once, so that a list of thousands is not tried for every value. Empty if one of them is unknown, because an unknown
 * type accepts any value.
 */
function typesOf(named: readonly (Json | undefined)[]): string[] {
  const types = [...new Set(named.filter((name): name is string => typeof name === 'string'))];
  return types.every((name) => TYPES.has(SAME_TYPES.get(name) ?? name)) ? types : [];
}

/** The types of a field under their standard names; empty: any value. */
export function typeNames({ types }: InputField): readonly string[] {
  return types.map((name) => SAME_TYPES.get(name) ?? name);
}

type Test = (value: Json) => boolean;

const TYPES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['string', (value) => typeof value === 'string'],
  ['number', isNumber],
  ['integer', isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['object', isObject],
  ['array', isArray],
  ['null', (value) => value === null],
]);

const SAME_TYPES: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ['int', 'integer'],
  ['float', 'number'],
  ['list', 'array'],
]);

/** The types that a field may be declared with. */
export const INPUT_TYPES: readonly string[] = [...TYPES.keys(), ...SAME_TYPES.keys(), 'any'];

/** A test of a type. An unknown type accepts anything. */
function testOf(type: string): Test {
  return TYPES.get(SAME_TYPES.get(type) ?? type) ?? (() => true);
}

function isInteger(value: Json): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
}

/** Checks an object. Null counts as missing: game code sends an unset member as null. */
function checkShape(value: JsonObject, shape: InputShape, at: string): void {
  for (const name of shape.required) {
    if ((member(value, name) ?? null) === null && !acceptsNull(shape.fields.get(name), value, name)) throw missing(value, name, at);
  }
  // Visits the shorter of both lists of names: each object in a long list may be small, and the schema may have thousands of fields.
  for (const name of shorter(shape.fields, value)) {
    const field = shape.fields.get(name);
    const item = member(value, name);
    if (field !== undefined && item !== undefined && item !== null) checkField(item, field, at + name);
  }
}

function shorter(fields: ReadonlyMap<string, InputField>, value: JsonObject): Iterable<string> {
  const names = Object.keys(value);
  return names.length < fields.size ? names : fields.keys();
}

function acceptsNull(field: InputField | undefined, value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && field?.types.includes('null') === true;
}

function checkField(value: Json, field: InputField, at: string): void {
  if (field.types.length > 0 && !field.types.some((type) => testOf(type)(value))) {
    throw invalid(at, `Field "${at}" must be of type ${field.types.join(' or ')}`);
  }
  if (field.shape !== null && isObject(value)) checkShape(value, field.shape, `${at}.`);
  const { items } = field;
  if (items === null || !isArray(value)) return;
  value.forEach((item, index) => {
    if (item !== null) checkField(item, items, `${at}.${index}`);
  });
}

/** The refusal of a missing field. It suggests a member in another letter case, because some client libraries change the case of names. */
function missing(value: JsonObject, name: string, at: string): Refusal {
  const lower = name.toLowerCase();
  const similar = Object.keys(value).find((other) => other !== name && other.toLowerCase() === lower);
  const hint = similar === undefined ? '' : `; there is "${at}${similar}", which differs in letter case`;
  return invalid(at + name, `Field "${at}${name}" is required${hint}`);
}

function invalid(field: string, message: string): Refusal {
  return refusal('INVALID_INPUT', message, { error: { field } });
}

/** Converts query texts to the declared types. A text that does not convert stays, and fails the check if the type is wrong. */
function convert(input: JsonObject, shape: InputShape): JsonObject {
  const converted: Record<string, Json> = { ...input };
  for (const [name, { types }] of shape.fields) {
    const text = member(input, name);
    if (typeof text !== 'string' || types.length === 0 || types.includes('string')) continue;
    const value = types.map((type) => fromText(text, type)).find((result) => result !== undefined);
    if (value !== undefined) converted[name] = value;
  }
  return converted;
}

function fromText(text: string, type: string): Json | undefined {
  const value = convertedText(text, SAME_TYPES.get(type) ?? type);
  return value !== undefined && testOf(type)(value) ? value : undefined;
}

function convertedText(text: string, type: string): Json | undefined {
  switch (type) {
    case 'number':
    case 'integer':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(text) ? numberFromText(text) : undefined;
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
    case 'object':
    case 'array':
      return tryParseJson(text);
    default:
      return undefined;
  }
}
