import { flag, members, optional, wholeNumber } from '../../folder/answer-shape.ts';
import { RemoteRefusal } from '../../folder/refusal.ts';
import { checkedBody, type Remote, type Target } from '../../folder/remote.ts';
import { refusal } from '../../kernel/errors.ts';
import { type JsonObject, jsonEquals, stringOrEmpty } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { namesOf } from './names.ts';
import { objectsIn, pathOf } from './requests.ts';

/** Runs tests of a project over HTTP. They are dry runs: nothing is stored. */

export interface TestChoice {
  readonly target: Target;
  /** Ids of tests, and slugs of endpoints; `null`: every test. */
  readonly only: readonly string[] | null;
  /** Tests of the folder. One that differs from the saved test with its id replaces it. */
  readonly folder: readonly JsonObject[];
}

const REPORT = members({ passed: flag, result: optional(members({ status: wholeNumber })) });

export type TestsDone = {
  /** The results as the server reports them. */
  readonly results: readonly JsonObject[];
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
};

/** Runs tests. Throws `TEST_NOT_FOUND` for a name in `only` that matches nothing, and the server's refusals. */
export async function runTests(
  remote: Remote,
  { target, only, folder }: TestChoice,
  onProgress: (done: number, of: number) => void = () => undefined,
): Promise<TestsDone> {
  const saved = only === null && folder.length === 0 ? [] : await remote.tests();
  const unsaved = folder.filter(
    (test) => !saved.some((one) => idOf(one) === idOf(test) && jsonEquals({ ...test, id: one['id'] ?? '' }, one)),
  );
  if (only === null && unsaved.length === 0) return summed(await runSaved(remote, target, onProgress));
  const tests = chosen([...new Map([...saved, ...unsaved].map((test) => [idOf(test), test])).values()], only);
  const results: JsonObject[] = [];
  for (const test of tests) {
    results.push(await runOne(remote, test, target));
    onProgress(results.length, tests.length);
  }
  return summed(results);
}

/** Runs all saved tests in one request. Those for which it had no time are run one by one. */
async function runSaved(remote: Remote, target: Target, onProgress: (done: number, of: number) => void): Promise<readonly JsonObject[]> {
  const answer = await remote.runTests(target);
  const results: JsonObject[] = [];
  for (const result of objectsIn([...answer.results])) {
    const isLeft = result['result'] === undefined && stringOrEmpty(result['reason']).startsWith('Not run');
    results.push(isLeft ? await runOne(remote, { id: result['id'] ?? '', testId: result['id'] ?? '' }, target) : result);
    onProgress(results.length, answer.total);
  }
  return results;
}

async function runOne(remote: Remote, test: JsonObject, target: Target): Promise<JsonObject> {
  try {
    return await testEndpoint(remote, test, target, 'read');
  } catch (error) {
    // A missing endpoint or an invalid test is the result of this test, not a failure of the command.
    if (!(error instanceof RemoteRefusal) || error.status === 401 || error.status === 403 || error.status >= 500) throw error;
    const endpoint = endpointOf(test);
    const reason = error.code === 'ENDPOINT_NOT_FOUND' ? await noSuchEndpoint(remote, endpoint, target) : error.message;
    return { id: idOf(test), name: stringOrEmpty(test['name']), endpoint, passed: false, reason, warnings: [] };
  }
}

/** A dry run of an endpoint as the server reports it. `again`: as of a request. */
export async function testEndpoint(remote: Remote, test: JsonObject, target: Target, again: 'read' | 'never'): Promise<JsonObject> {
  return checkedBody(await remote.request('POST', pathOf(remote, 'manage', 'test-endpoint'), { body: test, target, again }), REPORT);
}

async function noSuchEndpoint(remote: Remote, endpoint: string, target: Target): Promise<string> {
  const meant = didYouMean(endpoint, await namesOf(remote, 'endpoint', target));
  return `There is no endpoint '${endpoint}' in ${target}. ${meant ?? 'Has it been pushed under this name?'}`;
}

function chosen(tests: readonly JsonObject[], only: readonly string[] | null): readonly JsonObject[] {
  if (only === null) return tests;
  const namesOf = (test: JsonObject) => [idOf(test), endpointOf(test)];
  for (const name of only) {
    if (tests.some((test) => namesOf(test).includes(name))) continue;
    const meant = didYouMean(name, tests.flatMap(namesOf)) ?? 'Without --only every test runs.';
    throw refusal('TEST_NOT_FOUND', `No test has the id '${name}', and none is of such an endpoint. ${meant}`);
  }
  return tests.filter((test) => namesOf(test).some((name) => only.includes(name)));
}

/** The id of a test; a test without one is named after its endpoint. */
export function idOf(test: JsonObject): string {
  return stringOrEmpty(test['id']) || endpointOf(test);
}

export function endpointOf(test: JsonObject): string {
  return stringOrEmpty(test['endpoint']) || stringOrEmpty(test['slug']);
}

function summed(results: readonly JsonObject[]): TestsDone {
  const passed = results.filter((result) => result['passed'] === true).length;
  return { results, total: results.length, passed, failed: results.length - passed };
}
