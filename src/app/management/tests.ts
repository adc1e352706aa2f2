import type * as contract from '../../contract/answers.ts';
import { RUN_SCOPES, SCOPES } from '../../contract/credentials.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { noSuchEndpoint } from '../../domain/access/refusals.ts';
import { answered } from '../../domain/definition/push/publish-events.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { decidePutTests, testsIn } from '../../domain/test/decide.ts';
import { testsFindings } from '../../domain/test/findings.ts';
import { savedTest, storedTests, type TestCase, testCase } from '../../domain/test/model.ts';
import { suggestedTests } from '../../domain/test/sample.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { listOf, stringOf } from '../../kernel/json-read.ts';
import { accessAt, accessOf, actorOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { compileAhead } from './compile-ahead.ts';
import { publishWhole, withStrictMode } from './publish-whole.ts';
import { autoTests, runSavedTests, SINGLE_TRACE_BYTES, type TestEnvironment, type TestsDone, testReport } from './test-runs.ts';

/** Saved tests and dry runs. Only the run itself sees its writes; nothing is stored. */
export interface Tests {
  list(caller: Caller): Promise<ManageAnswer<contract.Tests>>;
  /** `body`: a list of tests or source items, or `{tests}`. */
  replace(caller: Caller, body: Json | undefined, strict: boolean): Promise<ManageAnswer<contract.TestsReplaced>>;
  /** `body`: `{testId}`, or a test itself. `strict`: members that a run does nothing with refuse it; else they are warnings. */
  testEndpoint(caller: Caller, body: JsonObject, target: PublishTarget, strict: boolean): Promise<ManageAnswer<contract.TestReport>>;
  runTests(caller: Caller, target: PublishTarget): Promise<ManageAnswer<contract.TestRun>>;
  /** `slug`: `null` for every endpoint. */
  autoTest(caller: Caller, slug: string | null, target: PublishTarget): Promise<ManageAnswer<contract.AutoTested>>;
  /** `slug`: as for {@link autoTest}. */
  suggestTests(caller: Caller, slug: string | null, target: PublishTarget): Promise<ManageAnswer<contract.SuggestedTests>>;
}

/** Time limit of a list of tests, ms: the editor gives up after 30 s. */
const LIST_MS = 20_000;

export function createTests(context: AppContext): Tests {
  /** The project and the caller's authority, for a key with these permissions. */
  const open = async (caller: Caller, target: PublishTarget, scopes: readonly string[], level: 'r' | 'rw' | 'x') => {
    const project = await projectOf(context, caller);
    const access = accessAt(project, caller, target);
    requirePermissions(access.key, scopes, level);
    return {
      project,
      access,
      answer: <Own extends object>(own: Own) => ({ ...positioned(context, project, caller), result: answered(own) }),
    };
  };

  return {
    async list(caller) {
      const { access, answer } = await open(caller, 'live', SCOPES, 'r');
      return answer({ data: storedTests(access.state) });
    },

    async replace(caller, body, strict) {
      await compileAhead(
        context,
        caller.projectId,
        listOf(testsIn(body)).map((item) => [item, 'test']),
      );
      const decide = withStrictMode(strict, ({ state }) => accepted(decidePutTests(state, body)));
      return publishWhole(context, caller, 'tests.put', 'live', SCOPES, decide);
    },

    async testEndpoint(caller, body, target, strict) {
      const { project, access, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const unread = unreadIn(body);
      if (strict && unread.length > 0) throw refusal('STRICT_FINDINGS', `Nothing was run. ${unread.join(' ')}`);
      const test = requestedTest(access, body);
      const report = await testReport(context, environmentOf(project, caller, target), test, SINGLE_TRACE_BYTES);
      if (report === null) throw noSuchEndpoint(test.endpoint, target);
      return answer({ ...report, warnings: [...unread, ...report.warnings] });
    },

    async runTests(caller, target) {
      const { project, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const done = await runSavedTests(context, environmentOf(project, caller, target), { withinMs: LIST_MS });
      const { total, passed, failed } = done;
      return answer({ dryRun: true as const, total, passed, failed, ...listed(done) });
    },

    async autoTest(caller, slug, target) {
      const { project, access, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const endpoint = slug === null ? undefined : access.definitions.endpoint(slug);
      if (slug !== null && endpoint === undefined) {
        // 400, unlike everywhere else: an editor takes 404 for a missing route.
        throw new Refusal(400, 'ENDPOINT_NOT_FOUND', `Endpoint '${slug}' was not found.`);
      }
      const endpoints = endpoint === undefined ? access.definitions.endpoints : [endpoint];
      const done = await autoTests(context, environmentOf(project, caller, target), endpoints, { withinMs: LIST_MS });
      const [only] = done.results;
      return endpoint === undefined || only === undefined ? answer(listed(done)) : answer(only);
    },

    async suggestTests(caller, slug, target) {
      const { access, answer } = await open(caller, target, SCOPES, 'rw');
      const endpoint = slug === null ? undefined : access.definitions.endpoint(slug);
      if (slug !== null && endpoint === undefined) throw noSuchEndpoint(slug, target);
      const endpoints = endpoint === undefined ? access.definitions.endpoints : [endpoint];
      return answer({ suggestions: endpoints.flatMap((each) => suggestedTests(each.slug, each.definition)) });
    },
  };
}

/** A key needs its permission during the whole run, so every command checks it. */
function environmentOf(project: Project, caller: Caller, target: PublishTarget): TestEnvironment {
  return {
    project,
    actor: actorOf(caller),
    accessOf(ctx) {
      const access = accessOf(ctx, caller, target);
      requirePermissions(access.key, RUN_SCOPES, 'x');
      return access;
    },
  };
}

/** The saved test named by `testId`, else the body itself. */
function requestedTest(access: AccessContext, body: JsonObject): TestCase {
  const testId = stringOf(body['testId']);
  const test = testId === undefined ? testCase(body) : savedTest(access.state, testId);
  if (test === undefined) throw refusal('TEST_NOT_FOUND');
  if (test.endpoint === '') throw refusal('VALIDATION_FAILED', ['Endpoint slug is required.', ...unreadIn(body)].join(' '));
  return test;
}

/** What a run does nothing with. A saved test, by its `testId`, runs as it was saved. */
function unreadIn(body: JsonObject): readonly string[] {
  const { testId, id: _, ...test } = body;
  if (stringOf(testId) !== undefined) return Object.keys(test).map((name) => `A saved test runs as it is: '${name}' counts for nothing.`);
  return testsFindings([body]).map(({ message, fix = '' }) => `${message} ${fix}`.trim());
}

function listed<Result>({ results, total, passed, failed }: TestsDone<Result>) {
  return { results, summary: { total, passed, failed } };
}
