import { input, inputObject } from '../../contract/resources/logic.ts';
import { namesIn, type Written } from '../../contract/resources/member.ts';
import type { Findings } from '../../domain/finding.ts';
import { inputOfBody } from '../../domain/security/call-body.ts';
import { isReservedQuery } from '../../domain/security/reserved-queries.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { listOf, longForm, objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { LanguageError } from '../expressions/errors.ts';
import { faultOf } from '../input.ts';
import { INPUT_TYPES, type InputPattern, inputField, MAX_NESTING, MAX_PATTERNS } from '../input-fields.ts';
import { isNote, unknownMembers } from './members.ts';

const UNKNOWN = 'UNKNOWN_INPUT_MEMBER';

type WrittenField = Written<typeof inputObject>;

/** Findings for the input that an endpoint declares: what is not checked, what no call can send. `byQuery`: it is called with a query. */
export function inputFindings(written: Json | undefined, byQuery: boolean, findings: Findings): void {
  const declared: Written<typeof input> = objectOf(written);
  const properties = objectOf(declared.properties);
  const isUnchecked = declared.properties === undefined && Object.entries(declared).some(([name, field]) => isLooseField(name, field));
  if (isUnchecked) {
    const message = `'input' has no 'properties', so nothing of it is checked.`;
    findings.add('INPUT_UNCHECKED', '/input', message, `Put its fields under 'properties'.`);
  } else unknownMembers(declared, namesIn(input), UNKNOWN, '/input', findings);
  findings.structure(input, declared, '/input', 'additionalProperties');
  for (const name of Object.keys(properties)) reservedFinding(name, properties[name] ?? null, byQuery, findings);
  new Fields(findings).inner(declared, '/input', 0);
  for (const [index, name] of listOf(declared.required).entries()) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue;
    findings.add('INPUT_REQUIRED_UNKNOWN', `/input/required/${index}`, `'${String(name)}' is required but has no property.`);
  }
}

/** Whether a member of `input` looks like a field that stands outside of `properties`. */
function isLooseField(name: string, field: Json): boolean {
  return isObject(field) && !Object.hasOwn(input.shape, name) && !isNote(name);
}

function reservedFinding(name: string, field: Json, byQuery: boolean, findings: Findings): void {
  const { type }: WrittenField = objectOf(field);
  const at = `/input/properties/${name}`;
  if (!Object.hasOwn(inputOfBody({ [name]: type === 'object' ? {} : '' }), name)) {
    findings.add('RESERVED_INPUT', at, `'${name}' means something else in a call, so it is no input.`, 'Rename it.');
  } else if (byQuery && isReservedQuery(name)) {
    findings.add('RESERVED_INPUT', at, `'${name}' means something else in a query, so a GET call has no such input.`, 'Rename it.');
  }
}

const BOUNDS = ['enum', 'min', 'max', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const;

/** The fields of one input. */
class Fields {
  readonly #findings: Findings;
  #patterns = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** The fields within an object or a list. */
  inner({ properties, items, additionalProperties: rest }: WrittenField, pointer: string, depth: number): void {
    for (const [name, field] of Object.entries(objectOf(properties))) this.#field(field, `${pointer}/properties/${name}`, depth + 1);
    if (items !== undefined) this.#field(items, `${pointer}/items`, depth + 1);
    if (isObject(rest)) this.#field(rest, `${pointer}/additionalProperties`, depth + 1);
  }

  /** A type that does not exist accepts any value, and a `required` that is neither true nor a list requires nothing. */
  #field(written: Json, pointer: string, depth: number): void {
    const findings = this.#findings;
    if (depth > MAX_NESTING) {
      findings.add('INPUT_TOO_DEEP', pointer, `Inputs are checked ${MAX_NESTING} levels deep, and nothing below.`);
      return;
    }
    const field: WrittenField = longForm(written, 'type');
    const { required } = field;
    this.#type(field, typeof written === 'string' ? pointer : `${pointer}/type`);
    unknownMembers(field, namesIn(inputObject), UNKNOWN, pointer, findings);
    if (required !== undefined && typeof required !== 'boolean' && !isArray(required))
      findings.add('INVALID_REQUIRED', `${pointer}/required`, `'required' is true, false or a list of names.`);
    findings.structure(inputObject, field, pointer, 'additionalProperties', ...BOUNDS);
    this.#values(field, pointer);
    this.inner(field, pointer, depth);
  }

  #type({ type }: WrittenField, pointer: string): void {
    const unknown = (isArray(type) ? type : [type]).find((name) => typeof name === 'string' && !INPUT_TYPES.includes(name));
    if (typeof unknown !== 'string') return;
    const fix = didYouMean(unknown, INPUT_TYPES) ?? `One of ${INPUT_TYPES.join(', ')}.`;
    this.#findings.add('INVALID_INPUT_TYPE', pointer, `'${unknown}' is no type of an input, so any value passes.`, fix);
  }

  /** The pattern has to be one, and the default has to pass. */
  #values(written: WrittenField, pointer: string): void {
    const { type, pattern = null, default: initial = null } = written;
    // What is inside has its own turn: with it, every level would be compiled once for each above it.
    if (initial === null && pattern === null) return;
    const field = inputField(initial === null ? { type: type ?? null, pattern } : written);
    const wrong = field.pattern === null ? null : this.#pattern(field.pattern);
    if (wrong !== null) {
      const message = `Calls that send it are refused, because nothing can be matched with it: ${wrong}`;
      this.#findings.add('INVALID_PATTERN', `${pointer}/pattern`, message);
      return;
    }
    const fault = initial === null ? null : faultOf(initial, field);
    if (fault !== null)
      this.#findings.add('INVALID_INPUT_DEFAULT', `${pointer}/default`, `The default does not fit its own field. ${fault}`);
  }

  #pattern({ regex }: InputPattern): string | null {
    this.#patterns += 1;
    if (this.#patterns > MAX_PATTERNS) return `an input may have at most ${MAX_PATTERNS} patterns.`;
    try {
      regex();
      return null;
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      return error.message;
    }
  }
}
