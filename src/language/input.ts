import { callBody, namedCall } from '../contract/resources/call.ts';
import { namesIn } from '../contract/resources/member.ts';
import { boundFault } from '../domain/document/bounds.ts';
import { CREDENTIALS } from '../domain/security/call-body.ts';
import { Refusal, refusable, refusal } from '../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, jsonEquals, numberFromText, stringifyJson, tryParseJson } from '../kernel/json.ts';
import { member } from '../kernel/path.ts';
import { LanguageError } from './expressions/errors.ts';
import { MAX_SUBJECT } from './expressions/pattern.ts';
import { MAX_VISITS } from './expressions/regex.ts';
import { type InputField, type InputPattern, type InputShape, inputShape, isOfType, typeNames } from './input-fields.ts';

/** Checks an endpoint's input against what is declared of it, and fills in what is missing and has a default. */
export type InputCheck = (input: JsonObject, fromQuery: boolean) => JsonObject;

/**
 * The input as the endpoint sees it. `fromQuery`: members are texts, and are converted to their declared types where that loses nothing.
 * Unknown fields pass, unless the declaration closes the object. 400 INVALID_INPUT names the first field that is wrong.
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
  if (shape === null || (shape.fields.size === 0 && shape.required.length === 0 && shape.additional === true)) return (input) => input;
  return (input, fromQuery) => new Check().object(fromQuery ? convert(input, shape) : input, shape, '', ABOUT_CALL);
}

/** What is wrong with a value for a field, or `null`. */
export function faultOf(value: Json, field: InputField): string | null {
  const refused = refusable(() => new Check().field(value, field, 'default'));
  return refused instanceof Refusal ? refused.message : null;
}

/** Members about the call, which client libraries send beside the members of an input. No declaration refuses them. */
const ABOUT_CALL: ReadonlySet<string> = new Set([...namesIn(callBody), ...namesIn(namedCall), ...CREDENTIALS]);
const NO_NAMES: ReadonlySet<string> = new Set();

/** One check of one input. */
class Check {
  /** Of all patterns together: an input may hold thousands of texts. */
  #visits = 0;

  /** The value with what is missing filled in. Throws the refusal of the first fault. */
  field(value: Json, field: InputField, at: string): Json {
    const types = typeNames(field);
    if (types.length === 0 || types.some((type) => isOfType(value, type))) return this.#within(value, field, at);
    throw invalid(at, `Field "${at}" must be of type ${field.types.join(' or ')}`);
  }

  /** Null counts as missing: game code sends an unset member as null. `free`: names that pass a closed shape. */
  object(value: JsonObject, shape: InputShape, at = '', free = NO_NAMES): JsonObject {
    for (const name of shape.required) {
      if (isMissing(value, name, shape) && shape.fields.get(name)?.default === undefined) throw missing(value, name, at);
    }
    const filled = withDefaults(value, shape);
    let changed: Record<string, Json> | null = null;
    for (const name of namesToCheck(filled, shape)) {
      const item = member(filled, name);
      const field = shape.fields.get(name) ?? (free.has(name) || shape.additional);
      if (field === false) throw unknown(shape, name, at);
      if (field === true || item === undefined || item === null) continue;
      const checked = this.field(item, field, at + name);
      if (checked === item) continue;
      changed ??= { ...filled };
      changed[name] = checked;
    }
    return changed ?? filled;
  }

  #within(value: Json, field: InputField, at: string): Json {
    const fault = boundFault(field, value);
    if (fault !== null) throw invalid(at, `Field "${at}": ${fault}${allowedText(field, value)}`);
    if (typeof value === 'string' && field.pattern !== null) this.#match(value, field.pattern, at);
    if (field.shape !== null && isObject(value)) return this.object(value, field.shape, `${at}.`);
    return field.items !== null && isArray(value) ? this.#items(value, field.items, at) : value;
  }

  #items(list: readonly Json[], field: InputField, at: string): readonly Json[] {
    const checked = list.map((item, index) => (item === null ? item : this.field(item, field, `${at}.${index}`)));
    return checked.some((item, index) => item !== list[index]) ? checked : list;
  }

  #match(text: string, { source, regex }: InputPattern, at: string): void {
    if (text.length > MAX_SUBJECT) throw invalid(at, `Field "${at}": longer than ${MAX_SUBJECT} characters`);
    try {
      const { found, visits } = regex().search(text);
      this.#visits += visits;
      if (this.#visits > MAX_VISITS) throw new LanguageError('Matching takes too long.');
      if (!found) throw invalid(at, `Field "${at}": does not match ${source}`);
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      throw invalid(at, `Field "${at}": cannot be matched with ${source}. ${error.message}`);
    }
  }
}

/** Visits the shorter list of names: each object in a long list may be small, and the schema may have thousands of fields. */
function namesToCheck(value: JsonObject, { fields, additional }: InputShape): Iterable<string> {
  const names = Object.keys(value);
  return additional !== true || names.length < fields.size ? names : fields.keys();
}

function withDefaults(value: JsonObject, shape: InputShape): JsonObject {
  const filled = shape.defaults.filter(([name]) => isMissing(value, name, shape));
  return filled.length === 0 ? value : { ...value, ...Object.fromEntries(filled) };
}

function isMissing(value: JsonObject, name: string, { fields }: InputShape): boolean {
  if ((member(value, name) ?? null) !== null) return false;
  return !Object.hasOwn(value, name) || fields.get(name)?.types.includes('null') !== true;
}

/** The refusal of a missing field. It suggests a member in another letter case, because some client libraries change the case of names. */
function missing(value: JsonObject, name: string, at: string): Refusal {
  return invalid(at + name, `Field "${at}${name}" is required${caseHint(Object.keys(value), name, at)}`);
}

function unknown({ fields }: InputShape, name: string, at: string): Refusal {
  return invalid(at + name, `Field "${at}${name}" is not declared, and no others are taken${caseHint(fields.keys(), name, at)}`);
}

function caseHint(names: Iterable<string>, name: string, at: string): string {
  const lower = name.toLowerCase();
  for (const other of names) {
    if (other !== name && other.toLowerCase() === lower) return `; there is "${at}${other}", which differs in letter case`;
  }
  return '';
}

const MAX_LISTED = 8;

/** The allowed values, where they are the fault and are few. */
function allowedText({ enum: allowed }: InputField, value: Json): string {
  if (allowed === undefined || allowed.length > MAX_LISTED || allowed.some((each) => jsonEquals(each, value))) return '';
  return `, which are ${allowed.map((each) => stringifyJson(each)).join(', ')}`;
}

function invalid(field: string, message: string): Refusal {
  return refusal('INVALID_INPUT', message, { error: { field } });
}

/** Converts query texts to the declared types. A text that does not convert stays, and fails the check if the type is wrong. */
function convert(input: JsonObject, shape: InputShape): JsonObject {
  const converted: Record<string, Json> = { ...input };
  for (const [name, field] of shape.fields) {
    const text = member(input, name);
    if (typeof text !== 'string' || field.types.includes('string')) continue;
    const value = typesOfQuery(field)
      .map((type) => fromText(text, type))
      .find((result) => result !== undefined);
    if (value !== undefined) converted[name] = value;
  }
  return converted;
}

/** The declared types; without any, those of the values that are allowed. */
function typesOfQuery(field: InputField): readonly string[] {
  if (field.types.length > 0) return typeNames(field);
  const allowed = field.enum ?? [];
  return allowed.some((each) => typeof each === 'string')
    ? []
    : ['number', 'boolean'].filter((type) => allowed.some((each) => isOfType(each, type)));
}

function fromText(text: string, type: string): Json | undefined {
  const value = convertedText(text, type);
  return value !== undefined && isOfType(value, type) ? value : undefined;
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
