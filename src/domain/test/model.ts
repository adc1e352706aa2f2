import type { Written } from '../../contract/resources/member.ts';
import type { expectation, seed as seedSchema, test as testSchema } from '../../contract/resources/test.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { flagOf, numberOf, objectOf, objectsIn, stringOf } from '../../kernel/json-read.ts';
import { definitionOf } from '../definition/model/overlay.ts';
import { SINGLE_ID } from '../events.ts';
import type { DefinitionsState } from '../states.ts';
import { acceptMembers, SYNTHETIC_PLAYER } from '../wire-names.ts';
import { bodyDifference } from './expected-body.ts';

/** A test of an endpoint: its caller, its input, and what is expected. */
export interface TestCase {
  readonly id: string;
  readonly name: string;
  /** Slug or id; empty: not given. */
  readonly endpoint: string;
  readonly input: JsonObject;
  readonly platformId: string;
  readonly asServer: boolean;
  /** The expectation as written; `verdictOf` reads it. */
  readonly expect: Written<typeof expectation>;
  readonly seed: Seed;
}

/** What exists for one test alone. */
interface Seed {
  readonly documents: readonly { readonly collection: string; readonly key: string; readonly document: JsonObject }[];
  /** Game values: entries by group, rows by table. */
  readonly values: JsonObject;
}

export interface Verdict {
  readonly outcome: 'pass' | 'fail' | 'any';
  /** Expected status; `null`: any. */
  readonly status: number | null;
  readonly passed: boolean;
  /** Empty if the test passed. */
  readonly reason: string;
}

/** Reads a stored test, or a request's body that is one. Invalid members count as missing. */
export function testCase(json: JsonObject): TestCase {
  const test: Written<typeof testSchema> = acceptMembers(json);
  const endpoint = stringOf(test.endpoint) ?? stringOf(test.slug) ?? '';
  const { endpoint: _, slug: __, ...input } = objectOf(test.input);
  const expected: Written<typeof expectation> = objectOf(test.expect);
  const id = stringOf(test.id) ?? endpoint;
  return {
    id,
    name: stringOf(test.name) ?? (endpoint === '' ? id : `${endpoint} test`),
    endpoint,
    input,
    platformId: stringOf(test.platformId) ?? SYNTHETIC_PLAYER,
    asServer: flagOf(test.asServer) ?? false,
    expect: expected,
    seed: seedOf(objectOf(test.seed)),
  };
}

/** The saved test with this id. */
export function savedTest(state: DefinitionsState, testId: string): TestCase | undefined {
  const saved = storedTests(state).find(({ id }) => stringOf(id) === testId);
  return saved === undefined ? undefined : testCase(saved);
}

/** The list of tests. It is live, and serves both targets. */
export function storedTests(state: DefinitionsState): readonly JsonObject[] {
  const item = state.live.tests.get(SINGLE_ID);
  return item === undefined ? [] : objectsIn(definitionOf(item));
}

/** The result of a run. */
interface RunResult {
  readonly ok: boolean;
  readonly status: number;
  readonly message: string;
  /** The body as a caller gets it. */
  readonly body: Json;
}

/** Compares the status first, then the outcome, then the body. */
export function verdictOf(expect: Written<typeof expectation>, result: RunResult): Verdict {
  const status = statusOf(expect.status);
  const outcome = outcomeOf(expect.outcome, status);
  const reason =
    reasonOf(outcome, status, result) || (Object.hasOwn(expect, 'body') ? bodyDifference(expect.body ?? null, result.body) : '');
  return { outcome, status, passed: reason === '', reason };
}

function reasonOf(outcome: Verdict['outcome'], status: number | null, { ok, status: found, message }: RunResult): string {
  const detail = message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  if (status !== null && status !== found) return `Expected HTTP ${status}, got HTTP ${found}${detail}.`;
  if (outcome === 'fail' && ok) return `Expected a rejection, got HTTP ${found}.`;
  if (outcome === 'pass' && !ok) return `Expected success, got HTTP ${found}${detail}.`;
  return '';
}

/** The expected outcome. If a test names only a status, 400 and above mean that a rejection is expected. */
function outcomeOf(value: Json | undefined, status: number | null): Verdict['outcome'] {
  const word = stringOf(value)?.toLowerCase();
  if (word === 'fail' || word === 'any' || word === 'pass') return word;
  return status !== null && status >= 400 ? 'fail' : 'pass';
}

function statusOf(value: Json | undefined): number | null {
  const status = numberOf(value);
  return status !== undefined && Number.isInteger(status) ? status : null;
}

function seedOf(seed: Written<typeof seedSchema>): Seed {
  return { documents: seededDocuments(objectOf(seed.collections)), values: objectOf(seed.values) };
}

function seededDocuments(collections: JsonObject): Seed['documents'] {
  return Object.entries(collections).flatMap(([collection, documents]) =>
    Object.entries(objectOf(documents)).flatMap(([key, document]) => (isObject(document) ? [{ collection, key, document }] : [])),
  );
}
