import { complaintOf, type Written } from '../../contract/resources/member.ts';
import { expectation, type seed as seedSchema, type test as testSchema } from '../../contract/resources/test.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { type KnownByName, withSuggestions } from '../../language/validate/meant.ts';
import type { Finding } from '../finding.ts';
import { memberSpellings } from '../wire-names.ts';

/** Findings for members of a test that no run reads. Without them a test would pass that does not check what its author wrote. */

const MEMBERS: ReadonlySet<string> = new Set([
  ...['sourceVersion', 'kind', 'resourceKind', 'id', 'slug', 'name', 'description', 'notes', 'imports', 'metadata', 'authoringMode'],
  ...['sourceFormat', 'sourcePath', 'sourceText', 'method', 'input', 'seed', 'expect', 'endpoint', 'asServer', 'skipWebhooks'],
  ...['createdAt', 'updatedAt', ...memberSpellings('platformId')],
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

/** Findings for what a test names and there is not: an endpoint, so it fails; a collection of its seed, which nothing reads. */
export function namesFindings(tests: readonly JsonObject[], known: KnownByName): readonly Finding[] {
  const found = tests.flatMap((test: Written<typeof testSchema>, index) => [
    ...endpointFindings(test, `/${index}`, known),
    ...seedFindings(test, `/${index}/seed/collections`, known),
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
  const { collections }: Written<typeof seedSchema> = objectOf(test.seed);
  const missing = Object.keys(objectOf(collections)).filter((name) => !known.collection(name));
  return missing.map((name) => {
    const message = `There is no collection '${name}', so nothing reads what is seeded there.`;
    return { code: 'COLLECTION_NOT_FOUND', pointer: `${at}/${name}`, message, missing: { kind: 'collection', name } };
  });
}

function testFindings(test: Written<typeof testSchema>, pointer: string): Finding[] {
  const { expect, seed } = test;
  return [
    ...unknown(test, MEMBERS, pointer, 'A run of a test does nothing with'),
    ...(isObject(expect) ? unknown(expect, EXPECTED, `${pointer}/expect`, 'Nothing is compared with') : []),
    ...(isObject(expect) ? outcome(expect, `${pointer}/expect`) : []),
    ...(isObject(seed) ? unknown(seed, SEEDED, `${pointer}/seed`, 'Nothing is seeded from') : []),
  ];
}

/** Another outcome is taken for the default. */
function outcome(expected: Written<typeof expectation>, pointer: string): Finding[] {
  const complaint = complaintOf(expectation.shape.outcome, expected.outcome);
  return complaint === null
    ? []
    : [{ code: 'INVALID_TEST_OUTCOME', pointer: `${pointer}/outcome`, message: `'outcome' must be ${complaint.expected}.` }];
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
