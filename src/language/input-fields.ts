import type { inputObject } from '../contract/resources/logic.ts';
import type { Written } from '../contract/resources/member.ts';
import { boundsOf } from '../domain/document/bounds.ts';
import type { Bounds } from '../domain/model.ts';
import { ExactNumber, isArray, isNumber, isObject, type Json } from '../kernel/json.ts';
import { listOf, longForm, objectOf, stringOf } from '../kernel/json-read.ts';
import { LanguageError } from './expressions/errors.ts';
import { MAX_PATTERN } from './expressions/pattern.ts';
import { compileRegex, type Regex } from './expressions/regex.ts';

/** What an endpoint declares of its input. */

type WrittenField = Written<typeof inputObject>;

/** A declared member of an input. */
export interface InputField extends Bounds {
  /** As the author spells them; empty: any value. */
  readonly types: readonly string[];
  /** `null`: nothing is declared of its members. */
  readonly shape: InputShape | null;
  readonly items: InputField | null;
  readonly pattern: InputPattern | null;
  /** What it is where it is missing. */
  readonly default: Json | undefined;
  readonly about: string | undefined;
}

export interface InputPattern {
  readonly source: string;
  /** Throws a {@link LanguageError} if it cannot be used. */
  regex(): Regex;
}

export interface InputShape {
  readonly fields: ReadonlyMap<string, InputField>;
  /** Names that must be there, whether or not they are among the fields. */
  readonly required: readonly string[];
  /** Those fields that are filled in where they are missing. */
  readonly defaults: readonly (readonly [name: string, value: Json])[];
  /** Members without a field of their own: any, none, or those that this field takes. */
  readonly additional: boolean | InputField;
}

/** Levels of fields in fields that are checked. */
export const MAX_NESTING = 8;
/** Patterns of one input. Each is compiled by the first call that meets it, within one turn. */
export const MAX_PATTERNS = 100;

const ANY: InputField = {
  ...boundsOf({}),
  types: [],
  shape: null,
  items: null,
  pattern: null,
  default: undefined,
  about: undefined,
};

/** What an input schema declares; `null`: nothing. */
export function inputShape(json: Json | undefined): InputShape | null {
  return shapeIn(objectOf(json), { depth: 0, patterns: { count: 0 } });
}

/** One declared member, or its type alone. */
export function inputField(json: Json): InputField {
  return compileField(json, { depth: 0, patterns: { count: 0 } });
}

interface Reading {
  readonly depth: number;
  /** Those read so far, of the whole input. */
  readonly patterns: { count: number };
}

function shapeIn({ properties, required, additionalProperties: rest }: WrittenField, reading: Reading): InputShape | null {
  if (!isObject(properties) && !isArray(required) && rest !== false && !isField(rest)) return null;
  const inner = { ...reading, depth: reading.depth + 1 };
  const fields = new Map(Object.entries(objectOf(properties)).map(([name, field]) => [name, compileField(field, inner)]));
  const own = Object.entries(objectOf(properties)).flatMap(([name, field]) => (isRequired(objectOf(field)) ? [name] : []));
  return {
    fields,
    required: [...new Set([...listOf(required).filter((name) => typeof name === 'string'), ...own])],
    defaults: [...fields].flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default] as const])),
    additional: isField(rest) ? compileField(rest, inner) : rest !== false,
  };
}

function isField(json: Json | undefined): json is Json {
  return isObject(json) || typeof json === 'string';
}

function isRequired({ required }: WrittenField): boolean {
  return required === true;
}

function compileField(json: Json, reading: Reading): InputField {
  if (reading.depth > MAX_NESTING && typeof json !== 'string') return ANY;
  const written: WrittenField = longForm(json, 'type');
  const { type, items, pattern } = written;
  return {
    ...boundsOf(written),
    types: typesOf(isArray(type) ? type : [type]),
    shape: shapeIn(written, reading),
    items: items === undefined ? null : compileField(items, { ...reading, depth: reading.depth + 1 }),
    pattern: typeof pattern === 'string' ? compilePattern(pattern, reading) : null,
    default: written.default,
    about: stringOf(written.description),
  };
}

function compilePattern(source: string, { patterns }: Reading): InputPattern {
  patterns.count += 1;
  const isOneTooMany = patterns.count > MAX_PATTERNS;
  let made: Regex | null = null;
  const regex = () => {
    if (isOneTooMany) throw new LanguageError(`An input may have at most ${MAX_PATTERNS} patterns.`);
    made ??= regexOf(source);
    return made;
  };
  return { source, regex };
}

function regexOf(pattern: string): Regex {
  if (pattern.length > MAX_PATTERN) throw new LanguageError(`A pattern may have at most ${MAX_PATTERN} characters.`);
  return compileRegex(pattern);
}

/**
 * The allowed types, each once, so that a list of thousands is not tried for every value. Empty if one of them is unknown, because an
 * unknown type accepts any value.
 */
function typesOf(named: readonly (Json | undefined)[]): string[] {
  const types = [...new Set(named.filter((name): name is string => typeof name === 'string'))];
  return types.every((name) => TYPES.has(SAME_TYPES.get(name) ?? name)) ? types : [];
}

/** The types of a field under their standard names; empty: any value. */
export function typeNames({ types }: Pick<InputField, 'types'>): readonly string[] {
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

/** Whether a value is of a type, by its standard name. An unknown type accepts anything. */
export function isOfType(value: Json, type: string): boolean {
  return TYPES.get(type)?.(value) ?? true;
}

function isInteger(value: Json): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
}
