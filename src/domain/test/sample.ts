import type { endpoint, inputObject } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import { compareNumbers, isArray, isNumber, type Json, type JsonObject } from '../../kernel/json.ts';
import { listOf, longForm, objectFrom, objectOf, stringOf } from '../../kernel/json-read.ts';
import { inputField } from '../../language/input-fields.ts';

/** Makes sample inputs from what an endpoint declares of its input. */

const SAMPLES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['string', 'test'],
  ['integer', 1],
  ['number', 1],
  ['boolean', true],
  ['array', []],
  ['object', {}],
]);

/** Every declared member with its default, or a value of its type. */
export function sampleInput(definition: Written<typeof endpoint>): JsonObject {
  return objectFrom(Object.entries(propertiesOf(definition)).map(([name, field]) => [name, sampleOf(field)]));
}

/** Suggested tests of an endpoint: that the sample passes, and that it fails without each required member. */
export function suggestedTests(slug: string, definition: Written<typeof endpoint>): JsonObject[] {
  const input = sampleInput(definition);
  const passes = { name: `${slug} answers`, endpoint: slug, input, expect: { outcome: 'pass' } };
  const fails = requiredOf(definition).map((name) => ({
    name: `${slug} needs ${name}`,
    endpoint: slug,
    input: Object.fromEntries(Object.entries(input).filter(([member]) => member !== name)),
    expect: { outcome: 'fail' },
  }));
  return [passes, ...fails];
}

function propertiesOf(definition: Written<typeof endpoint>): JsonObject {
  return objectOf(declared(definition).properties);
}

function declared({ input }: Written<typeof endpoint>): Written<typeof inputObject> {
  return objectOf(input);
}

function requiredOf(definition: Written<typeof endpoint>): string[] {
  const listed = listOf(declared(definition).required).flatMap((name) => stringOf(name) ?? []);
  const own = Object.entries(propertiesOf(definition)).flatMap(([name, field]) => (fieldOf(field).required === true ? [name] : []));
  return [...new Set([...listed, ...own])];
}

/** A field that is only a text names its type. */
function fieldOf(field: Json): Written<typeof inputObject> {
  return longForm(field, 'type');
}

/** A value that fits what is declared, a pattern aside. */
function sampleOf(written: Json): Json {
  const { default: initial, enum: allowed, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, ...field } = inputField(written);
  if (initial !== undefined) return initial;
  if (allowed?.[0] !== undefined) return allowed[0];
  const { type } = fieldOf(written);
  const first = isArray(type) ? type[0] : type;
  const value = (typeof first === 'string' ? SAMPLES.get(first.toLowerCase()) : undefined) ?? null;
  if (isNumber(value)) return compareNumbers(value, min) < 0 ? min : compareNumbers(value, max) > 0 ? max : value;
  return typeof value === 'string' ? value.padEnd(Math.min(field.minLength ?? 0, MAX_SAMPLE), value).slice(0, field.maxLength) : value;
}

/** Characters of a text that is made up. */
const MAX_SAMPLE = 1000;
