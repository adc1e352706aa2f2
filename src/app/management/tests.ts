import type * as contract from '../../contract/answers.ts';
import { RUN_SCOPES, SCOPES } from '../../contract/credentials.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { noSuchEndpoint } from '../../domain/access/refusals.ts';
import { answered } from '../../domain/definition/publish.ts';
import { listOf } from '../../domain/definition/read.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { decidePutTests, testsIn } from '../../domain/test/decide.ts';
import { runRequest, savedTest, storedTests, type TestCase } from '../../domain/test/model.ts';
import { suggestedTests } from '../../domain/test/sample.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
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
  /** `body`: `{testId}`, or a test itself. */
  testEndpoint(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer<contract.TestReport>>;
  runTests(caller: Caller, target: PublishTarget): Promise<ManageAnswer<contract.TestRun>>;
  /** `body`: `{slug}`, or nothing for every endpoint. */
  autoTest(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer<contract.AutoTested>>;
  /** `body`: as for {@link autoTest}. */
  suggestTests(caller: Caller, body: Json | undefined, target: PublishTarget): Promise<ManageAnswer<contract.SuggestedTests>>;
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

    async testEndpoint(caller, body, target) {
      const { project, access, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const test = requestedTest(access, body);
      const report = await testReport(context, environmentOf(project, caller, target), test, SINGLE_TRACE_BYTES);
      if (report === null) throw noSuchEndpoint(test.endpoint, target);
      return answer(report);
    },

    async runTests(caller, target) {
      const { project, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const done = await runSavedTests(context, environmentOf(project, caller, target), { withinMs: LIST_MS });
      const { total, passed, failed } = done;
      return answer({ dryRun: true as const, total, passed, failed, ...listed(done) });
    },

    async autoTest(caller, body, target) {
      const { project, access, answer } = await open(caller, target, RUN_SCOPES, 'x');
      const { slug } = accepted(runRequest(body));
      const endpoint = slug === undefined ? undefined : access.definitions.endpoint(slug);
      if (slug !== undefined && endpoint === undefined) {
        // 400, unlike everywhere else: an editor takes 404 for a missing route.
        throw new Refusal(400, 'ENDPOINT_NOT_FOUND', `Endpoint '${slug}' was not found.`);
      }
      const endpoints = endpoint === undefined ? access.definitions.endpoints : [endpoint];
      const done = await autoTests(context, environmentOf(project, caller, target), endpoints, { withinMs: LIST_MS });
      const [only] = done.results;
      return endpoint === undefined || only === undefined ? answer(listed(done)) : answer(only);
    },

    async suggestTests(caller, body, target) {
      const { access, answer } = await open(caller, target, SCOPES, 'rw');
      const { slug } = accepted(runRequest(body));
      const endpoint = slug === undefined ? undefined : access.definitions.endpoint(slug);
      if (slug !== undefined && endpoint === undefined) throw noSuchEndpoint(slug, target);
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
function requestedTest(access: AccessContext, body: Json | undefined): TestCase {
  const request = accepted(runRequest(body));
  const test = request.testId === undefined ? request.test : savedTest(access.state, request.testId);
  if (test === undefined) throw refusal('TEST_NOT_FOUND');
  if (test.endpoint === '') throw refusal('VALIDATION_FAILED', 'Endpoint slug is required.');
  return test;
}

function listed<Result>({ results, total, passed, failed }: TestsDone<Result>) {
  return { results, summary: { total, passed, failed } };
}
