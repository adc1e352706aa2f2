import type { AutoTest, TestReport } from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import type { Actor } from '../../domain/events.ts';
import type { EndpointModel } from '../../domain/model.ts';
import { storedTests, type TestCase, testCase } from '../../domain/test/model.ts';
import { sampleInput } from '../../domain/test/sample.ts';
import type { Json } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { yielding } from '../../kernel/scheduler.ts';
import type { CompiledEndpoint } from '../../language/compile.ts';
import type { AppContext } from '../context.ts';
import { CallEffects } from '../endpoints/call-effects.ts';
import { replayableRandom } from '../endpoints/endpoint-steps.ts';
import { type Decision, newCommandId } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { type DryCall, type DryRun, dryRun } from './dry-run.ts';

/** Runs tests, and reports them in the form that the editor's windows read. */

/** For whom tests run, and where. `accessOf` throws if the authority no longer holds. */
export interface TestEnvironment {
  readonly project: Project;
  readonly actor: Actor;
  accessOf(ctx: DecisionContext): AccessContext;
}

export type TestContext = Pick<AppContext, 'scheduler' | 'webhooks'> & {
  readonly limits: Pick<AppContext['limits'], 'documentBytes' | 'answerBytes' | 'endpointMs'>;
};

/** Bytes that the trace of one run may take: of a single test, and of a test among many. */
export const SINGLE_TRACE_BYTES = 64 * 1024;
const LISTED_TRACE_BYTES = 8 * 1024;

interface Run extends DryRun {
  readonly totalMs: number;
}

/** Runs one test; `null`: there is no such endpoint. Each test is a command of its own, so the project can write in between. */
export async function runTest(
  context: TestContext,
  environment: TestEnvironment,
  test: TestCase,
  as: DryCall['as'],
  traceBytes: number,
  inspect?: DryCall['inspect'],
): Promise<Run | null> {
  const started = context.scheduler.monotonic();
  const random = replayableRandom();
  const effects = new CallEffects(environment.project, context);
  const decide = (ctx: DecisionContext, now: number): Decision<DryRun | null> => {
    effects.begin();
    ctx.onlyReads = true;
    const access = environment.accessOf(ctx);
    const endpoint = access.definitions.endpoint(test.endpoint);
    if (endpoint === undefined) return { events: [], answer: null };
    const keys = (collection: string) => effects.keys(ctx, access.space, collection);
    const { limits, webhooks } = context;
    const ready = (compiled: CompiledEndpoint) => effects.prepared(compiled);
    const call = {
      test,
      endpoint,
      as,
      documentBytes: limits.documentBytes,
      answerBytes: limits.answerBytes,
      traceBytes,
      keys,
      webhooks,
      checkTime: () => effects.checkTime(),
      ready,
      inspect,
    };
    return { events: [], answer: dryRun(ctx, access, call, now, random()) };
  };
  const command = { cause: 'endpoint.test', actor: environment.actor, decide };
  const execute = () => environment.project.execute({ ...command, commandId: newCommandId() });
  const { answer } = await execute().catch((error) => effects.after(error, execute));
  return answer === null ? null : { ...answer, totalMs: Math.round((context.scheduler.monotonic() - started) * 10) / 10 };
}

/** Report of a single test; `null`: there is no such endpoint. */
export async function testReport(
  context: TestContext,
  environment: TestEnvironment,
  test: TestCase,
  traceBytes: number,
): Promise<TestReport | null> {
  const as = { hasSecretKey: test.asServer, isDedicatedServer: test.asServer };
  const done = await runTest(context, environment, test, as, traceBytes);
  return done === null ? null : report(test, done);
}

function report(test: TestCase, done: Run): TestReport {
  const { verdict, endpoint, ok, status, body, totalMs: total } = done;
  return {
    ok: true,
    dryRun: true,
    id: test.id,
    name: test.name,
    endpoint: endpoint.slug,
    method: endpoint.method,
    platformId: test.platformId,
    passed: verdict.passed,
    reason: verdict.passed ? null : verdict.reason,
    timing: { total },
    result: { ok, status, body, timing: { total } },
    steps: done.steps,
    pendingWrites: done.pendingWrites,
    warnings: done.warnings,
    expectation: { ...verdict },
    input: test.input,
    expect: test.expect,
  };
}

export interface TestsDone<Result = TestReport> {
  readonly results: readonly Result[];
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
}

/** Time limit and progress of a run. */
export interface RunLimits {
  /** Tests that have not begun after this long are reported as not run. */
  readonly withinMs?: number;
  /** Called with the number of finished tests and of all tests. */
  onProgress?(done: number, of: number): void;
}

/** Runs every saved test, in order. */
export async function runSavedTests(context: TestContext, environment: TestEnvironment, limits: RunLimits = {}): Promise<TestsDone> {
  return runInOrder(context, storedTests(environment.project.definitions), limits, async (stored, isLate): Promise<TestReport> => {
    const test = testCase(stored);
    const { id, name, endpoint } = test;
    const failed = (reason: string) => ({ id, name, endpoint, passed: false, reason, warnings: [] });
    if (isLate) return failed(TOO_LATE);
    if (endpoint === '') return failed('The test does not name an endpoint.');
    return (await testReport(context, environment, test, LISTED_TRACE_BYTES)) ?? failed(`Endpoint '${endpoint}' was not found.`);
  });
}

/** Runs these endpoints with made-up input, as a player with a secret key. */
export async function autoTests(
  context: TestContext,
  environment: TestEnvironment,
  endpoints: readonly EndpointModel[],
  limits: RunLimits = {},
): Promise<TestsDone<AutoTest>> {
  return runInOrder(context, endpoints, limits, async (endpoint, isLate): Promise<AutoTest> => {
    const { slug, method, deprecated } = endpoint;
    const about = { ok: true as const, name: `Auto-test ${slug}`, endpoint: slug, method };
    const test = testCase({ endpoint: slug, input: sampleInput(endpoint.definition) });
    const done = isLate
      ? null
      : await runTest(context, environment, test, { hasSecretKey: true, isDedicatedServer: false }, LISTED_TRACE_BYTES);
    if (done === null) return { ...about, passed: false, deprecated, errors: [TOO_LATE], warnings: [], result: null };
    const { ok, status, body, warnings, totalMs: total } = done;
    const errors = ok ? [] : [`Endpoint returned HTTP ${status}.`, errorText(body)];
    return { ...about, passed: ok, deprecated, errors, warnings, result: { status, body, timing: { total } } };
  });
}

const TOO_LATE = 'Not run: there was no time left to answer this request.';

function errorText(body: Json): string {
  const { code, message } = objectOf(objectOf(body)['error']);
  return `${stringOf(code) ?? ''}: ${stringOf(message) ?? ''}`;
}

async function runInOrder<T, Result extends { readonly passed: boolean }>(
  context: TestContext,
  items: readonly T[],
  { withinMs = Number.POSITIVE_INFINITY, onProgress }: RunLimits,
  one: (item: T, isLate: boolean) => Promise<Result>,
): Promise<TestsDone<Result>> {
  const { scheduler } = context;
  const started = scheduler.monotonic();
  // A dry run awaits nothing if everything is in memory, so it must yield by itself.
  const rest = yielding(context.scheduler);
  const results: Result[] = [];
  for (const item of items) {
    await rest();
    results.push(await one(item, scheduler.monotonic() - started > withinMs));
    onProgress?.(results.length, items.length);
  }
  const passed = results.filter((result) => result.passed).length;
  return { results, total: results.length, passed, failed: results.length - passed };
}
