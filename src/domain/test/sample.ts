import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { listOf, objectFrom, objectOf, textOf } from '../definition/read.ts';

/** Inputs made out of an endpoint's declared ones (management 9.5). */

const SAMPLES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['string', 'test'],
  ['integer', 1],
  ['number', 1],
  ['boolean', true],
  ['array', []],
  ['object', {}],
]);

/** Every declared member with its default, or a value of its type. */
export function sampleInput(definition: JsonObject): JsonObject {
  return objectFrom(Object.entries(propertiesOf(definition)).map(([name, field]) => [name, sampleOf(field)]));
}

/** Tests worth having of an endpoint: that the sample passes, and that it fails without each required member (management 9.6). */
export function suggestedTests(slug: string, definition: JsonObject): JsonObject[] {
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

function propertiesOf(definition: JsonObject): JsonObject {
  return objectOf(member(objectOf(member(definition, 'input')), 'properties'));
}

function requiredOf(definition: JsonObject): string[] {
  const listed = listOf(member(objectOf(member(definition, 'input')), 'required')).flatMap((name) => textOf(name) ?? []);
  const own = Object.entries(propertiesOf(definition)).flatMap(([name, field]) =>
    isObject(field) && member(field, 'required') === true ? [name] : [],
  );
  return [...new Set([...listed, ...own])];
}

function sampleOf(field: Json): Json {
  if (isObject(field) && member(field, 'default') !== undefined) return member(field, 'default') ?? null;
  const type = isObject(field) ? member(field, 'type') : field;
  const first = isArray(type) ? type[0] : type;
  return (typeof first === 'string' ? SAMPLES.get(first.toLowerCase()) : undefined) ?? null;
}
