import { type TypedValue, typedJson, typedNumber } from './typed.ts';
import { type Members, objectOf } from './value.ts';

/** The input of an endpoint as fields of a form, and what was typed as the input that is meant. */

export type InputKind = 'text' | 'number' | 'flag' | 'choice' | 'json';

export interface InputField {
  readonly name: string;
  readonly label: string;
  readonly kind: InputKind;
  readonly isRequired: boolean;
  /** Of a choice: the values, which are texts, numbers or flags. */
  readonly options: readonly unknown[];
  /** What it takes, in words. */
  readonly says: string;
  readonly isWhole: boolean;
}

/** What is typed into each field; a field that is left out, or empty, is not sent. */
export type Typed = Readonly<Record<string, string>>;

type Entered =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

const SAME_TYPES: Readonly<Record<string, string>> = { bool: 'boolean', int: 'integer', float: 'number', list: 'array' };

/** The fields that an input declares; `null`: it declares none, so a form takes the whole input as JSON. */
export function fieldsOfInput(schema: unknown): readonly InputField[] | null {
  const { properties, required } = objectOf(schema);
  const declared = Object.entries(objectOf(properties));
  if (declared.length === 0) return null;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return declared.map(([name, written]) => fieldOf(name, written, needed.includes(name)));
}

function fieldOf(name: string, written: unknown, isNamed: boolean): InputField {
  const field = typeof written === 'string' ? { type: written } : objectOf(written);
  const types = (Array.isArray(field['type']) ? field['type'] : [field['type']]).filter((type) => typeof type === 'string');
  const names = types.map((type) => SAME_TYPES[type] ?? type).filter((type) => type !== 'null');
  const isRequired = (isNamed || field['required'] === true) && field['default'] === undefined;
  const options: readonly unknown[] = Array.isArray(field['enum']) ? field['enum'].filter((value) => typeof value !== 'object') : [];
  return {
    name,
    label: typeof field['title'] === 'string' ? field['title'] : name,
    kind: kindOf(names, options),
    isRequired,
    options,
    says: saysOf(field, options.length > 0 ? null : names, isRequired),
    isWhole: names.length === 1 && names[0] === 'integer',
  };
}

function kindOf(types: readonly string[], options: readonly unknown[]): InputKind {
  if (options.length > 0) return 'choice';
  const [type, other] = types;
  if (other !== undefined) return 'json';
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'flag' : 'json';
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list, as JSON',
  object: 'an object, as JSON',
};

/** `types`: `null` for a choice, whose values say what they are. */
function saysOf(field: Members, types: readonly string[] | null, isRequired: boolean): string {
  const [least, most] = [field['min'] ?? field['minimum'], field['max'] ?? field['maximum']];
  const parts = [
    typeof field['description'] === 'string' ? field['description'] : '',
    types === null ? '' : types.length === 0 ? 'any JSON' : types.map((type) => WORDS[type] ?? 'any JSON').join(' or '),
    least === undefined ? '' : `at least ${String(least)}`,
    most === undefined ? '' : `at most ${String(most)}`,
    field['minLength'] === undefined ? '' : `${String(field['minLength'])} characters or more`,
    field['maxLength'] === undefined ? '' : `${String(field['maxLength'])} characters at most`,
    typeof field['pattern'] === 'string' ? `matches ${field['pattern']}` : '',
    field['default'] !== undefined ? `${JSON.stringify(field['default'])} where left out` : isRequired ? '' : 'may be left out',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** The input that was typed, or what is wrong with each field. The server checks the rest: ranges, patterns, members of objects. */
export function inputOf(fields: readonly InputField[] | null, typed: Typed): Entered {
  if (fields === null) return wholeInput(typed[WHOLE] ?? '');
  const input: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (text === '' && !(field.kind === 'text' && field.isRequired)) {
      if (field.isRequired) problems[field.name] = 'This is needed.';
      continue;
    }
    const value = enteredValue(field, text);
    if (value.ok) input[field.name] = value.value;
    else problems[field.name] = value.why;
  }
  return Object.keys(problems).length === 0 ? { ok: true, input } : { ok: false, problems };
}

/** The name under which a form keeps an input that declares no fields. */
export const WHOLE = '';

function wholeInput(text: string): Entered {
  if (text.trim() === '') return { ok: true, input: {} };
  const value = typedJson(text);
  if (!value.ok) return { ok: false, problems: { [WHOLE]: value.why } };
  const isObject = typeof value.value === 'object' && value.value !== null && !Array.isArray(value.value);
  return isObject
    ? { ok: true, input: value.value as Members }
    : { ok: false, problems: { [WHOLE]: 'The input is an object, such as {"item": "axe"}.' } };
}

function enteredValue({ kind, options, isWhole }: InputField, text: string): TypedValue {
  if (kind === 'text') return { ok: true, value: text };
  if (kind === 'flag') return { ok: true, value: text === 'true' };
  if (kind === 'choice') return { ok: true, value: options[Number(text)] };
  if (kind === 'json') return typedJson(text);
  return typedNumber(text, isWhole);
}
