import type { Written } from '../../contract/resources/member.ts';
import { type seed as seedSchema, type test as testSchema, writtenTest } from '../../contract/resources/test.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { type KnownByName, withSuggestions } from '../../language/validate/meant.ts';
import { type Finding, formFindings } from '../finding.ts';
import type { FieldModel } from '../model.ts';
import { memberSpellings } from '../wire-names.ts';

/** Findings for members of a test that no run reads. Without them a test would pass that does not check what its author wrote. */

const MEMBERS: ReadonlySet<string> = new Set([
  ...['sourceVersion', 'kind', 'resourceKind', 'id', 'slug', 'name', 'description', 'notes', 'imports', 'metadata', 'authoringMode'],
  ...['sourceFormat', 'sourcePath', 'sourceText', 'method', 'input', 'seed', 'expect', 'endpoint', 'asServer', 'skipWebhooks'],
  ...['createdAt', 'updatedAt', 'title', ...memberSpellings('platformId')],
]);
/** Members that only the editor's own runs read. */
const EDITOR_MEMBERS: ReadonlySet<string> = new Set(['inputMode', 'mockData', 'workflow']);
const EXPECTED: ReadonlySet<string> = new Set(['status', 'outcome', 'body', 'notes']);
const SEEDED: ReadonlySet<string> = new Set(['collections', 'values', 'notes']);
/** Most findings. Nobody reads more. */
const MAX = 100;

/** `tests`: as stored, in the order of the push. The pointer names each by its index. */
export function testsFindings(tests: readonly JsonObject[]): readonly Finding[] {
  return tests.flatMap((test, index) => testFindings(test, `/${index}`)).slice(0, MAX);
}

/** Findings for what a test names and there is not: an endpoint, so it fails; what nothing reads of its seed. */
export function namesFindings(tests: readonly JsonObject[], known: KnownByName): readonly Finding[] {
  const found = tests.flatMap((test: Written<typeof testSchema>, index) => [
    ...endpointFindings(test, `/${index}`, known),
    ...seedFindings(test, `/${index}/seed`, known),
  ]);
  return withSuggestions(found.slice(0, MAX), known);
}

function endpointFindings(test: Written<typeof testSchema>, at: string, known: KnownByName): Finding[] {
  const name = stringOf(test.endpoint) ?? stringOf(test.slug);
  if (name === undefined || known.endpoint(name)) return [];
  const pointer = `${at}/${test.endpoint === undefined ? 'slug' : 'endpoint'}`;
  const message = `There is no endpoint '${name}', so this test fails.`;
  return [{ code: 'ENDPOINT_NOT_FOUND', pointer, message, missing: { kind: 'endpoint', name } }];
}

function seedFindings(test: Written<typeof testSchema>, at: string, known: KnownByName): Finding[] {
  const { collections, values }: Written<typeof seedSchema> = objectOf(test.seed);
  return [
    ...Object.entries(objectOf(collections)).flatMap(([name, documents]) =>
      documentsFindings(name, documents, `${at}/collections/${name}`, known),
    ),
    ...Object.entries(objectOf(values)).flatMap(([id, entries]) => valuesFindings(id, entries, `${at}/values/${id}`, known)),
  ];
}

function documentsFindings(name: string, documents: Json, pointer: string, known: KnownByName): Finding[] {
  if (!known.collection(name)) {
    const message = `There is no collection '${name}', so nothing reads what is seeded there.`;
    return [{ code: 'COLLECTION_NOT_FOUND', pointer, message, missing: { kind: 'collection', name } }];
  }
  const fields = known.fields(name);
  if (fields === null) return [];
  return Object.entries(objectOf(documents)).flatMap(([key, document]) => unknownFields(fields, document, `${pointer}/${key}`));
}

/** Fields that the schema forbids; where it takes any, those that look like a typing error. */
function unknownFields({ properties, additional }: FieldModel, value: Json, pointer: string): Finding[] {
  const names = [...(properties?.keys() ?? [])];
  return Object.entries(objectOf(value)).flatMap(([name, inner]) => {
    const field = properties?.get(name);
    if (field !== undefined) return unknownFields(field, inner, `${pointer}/${name}`);
    const fix = didYouMean(name, names);
    if (name.startsWith('_') || (fix === undefined && additional !== false)) return [];
    const message = `The schema of the collection has no field '${name}'.`;
    return [{ code: 'UNKNOWN_SEED_FIELD', pointer: `${pointer}/${name}`, message, ...(fix === undefined ? {} : { fix }) }];
  });
}

/** A group or table that nobody has, and entries that look like a typing error: a test may add others. */
function valuesFindings(id: string, entries: Json, pointer: string, known: KnownByName): Finding[] {
  if (!known.value(id)) {
    const message = `The game values have no group or table '${id}', so nothing reads what is seeded there.`;
    return [{ code: 'VALUE_NOT_FOUND', pointer, message, missing: { kind: 'value', name: id } }];
  }
  return Object.keys(objectOf(entries)).flatMap((name): Finding[] => {
    const missing = { kind: 'value', name: `${id}.${name}` } as const;
    if (known.value(missing.name) || known.suggestion(missing) === undefined) return [];
    return [
      {
        code: 'VALUE_NOT_FOUND',
        pointer: `${pointer}/${name}`,
        message: `The group '${id}' of the game values has no '${name}'.`,
        missing,
      },
    ];
  });
}

function testFindings(test: Written<typeof testSchema>, pointer: string): Finding[] {
  const { expect, seed } = test;
  const found = [
    ...unknown(test, MEMBERS, pointer, 'A run of a test does nothing with'),
    ...(isObject(expect) ? unknown(expect, EXPECTED, `${pointer}/expect`, 'Nothing is compared with') : []),
    ...(isObject(seed) ? unknown(seed, SEEDED, `${pointer}/seed`, 'Nothing is seeded from') : []),
  ];
  return [...found, ...formFindings(writtenTest, test, { numbersAreTexts: true }, found, pointer)];
}

function unknown(object: JsonObject, known: ReadonlySet<string>, pointer: string, does: string): Finding[] {
  return Object.keys(object).flatMap((name) => {
    if (known.has(name) || name.startsWith('_')) return [];
    const fix = EDITOR_MEMBERS.has(name) ? undefined : didYouMean(name, known);
    return [
      { code: 'UNKNOWN_TEST_MEMBER', pointer: `${pointer}/${name}`, message: `${does} '${name}'.`, ...(fix === undefined ? {} : { fix }) },
    ];
  });
}
