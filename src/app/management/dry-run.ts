import type { TestReport } from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import type { EndpointModel } from '../../domain/model.ts';
import { type TestCase, type Verdict, verdictOf } from '../../domain/test/model.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Value } from '../../language/expressions/value.ts';
import { withoutInfinities } from '../../language/response.ts';
import type { PendingWrite, Reads } from '../../language/run.ts';
import { requireStorable } from '../access.ts';
import { type RunAs, runSteps } from '../endpoints/endpoint-steps.ts';
import type { Webhooks } from '../ports/webhooks.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import { DocumentWrites } from '../storage/document-writes.ts';

type Pending = NonNullable<TestReport['pendingWrites']>[number];

/**
 * Runs an endpoint as a test. It is decided on the real state like any call, and only the run itself sees its writes. Nothing is appended:
 * no document, no ledger entry, no count of a limit. The definition's access rules only warn.
 */
export interface DryRun {
  readonly endpoint: EndpointModel;
  readonly ok: boolean;
  readonly status: number;
  readonly body: Json;
  /** Message of an answer that is not ok. */
  readonly message: string;
  readonly steps: readonly JsonObject[];
  readonly pendingWrites: readonly Pending[];
  readonly warnings: readonly string[];
  readonly verdict: Verdict;
}

export interface DryCall {
  readonly test: TestCase;
  readonly endpoint: EndpointModel;
  readonly as: Pick<RunAs, 'hasSecretKey' | 'isDedicatedServer'>;
  readonly documentBytes: number;
  readonly answerBytes: number;
  /** Bytes that the steps' results may take, and the documents to be written: values share parts, but each is printed whole. */
  readonly traceBytes: number;
  /** Finds the documents of a collection that a step looks through. */
  readonly keys: Reads['keys'];
  readonly webhooks: Pick<Webhooks, 'isAllowed'>;
  /** Throws if the run has computed for too long. */
  checkTime(): void;
  readonly ready: RunAs['ready'];
  /** Looks at what a run that came through would write, in the decision. */
  readonly inspect?: ((ctx: DecisionContext, access: AccessContext, writes: DocumentWrites) => void) | undefined;
}

/** Runs one test inside a decision that stores no events. A refusal of the call is part of the result. */
export function dryRun(ctx: DecisionContext, access: AccessContext, call: DryCall, now: number, random: () => number): DryRun {
  const { test, endpoint } = call;
  const steps: JsonObject[] = [];
  const [traced, written] = [{ budget: call.traceBytes }, { budget: call.traceBytes }];
  const pending: Pending[] = [];
  const answer = refusalAsAnswer(() => {
    requireStorable(test.platformId);
    const writes = new DocumentWrites(ctx, access, now, call.documentBytes);
    for (const { collection, key, document } of test.seed.documents) {
      writes.insert(access.definitions.collection(collection)?.id ?? collection, key, document);
    }
    const { ready, answerBytes } = call;
    const as = {
      ...call.as,
      platformId: test.platformId,
      now,
      random,
      effects: suppressedEffects(call),
      ready,
      answerBytes,
      ...seededValues(access, test),
    };
    const result = runSteps(
      access,
      writes,
      endpoint,
      { input: test.input, fromQuery: false },
      as,
      ({ id, type }, value, passed) => {
        steps.push({ id, type, result: shown(value, traced), passed });
      },
      call.keys,
    );
    call.inspect?.(ctx, access, writes);
    pending.push(...result.writes.map((write) => pendingWrite(writes, write, written)));
    return { status: result.status, body: result.body };
  });
  const ok = answer.status < 400 && objectOf(answer.body)['ok'] !== false;
  const message = ok ? '' : messageOf(answer.body);
  const verdict = verdictOf(test.expect, { ok, status: answer.status, message, body: answer.body });
  const body = ok ? answer.body : withError(answer.body, message);
  return { endpoint, ok, status: answer.status, body, message, steps, pendingWrites: pending, warnings: warningsOf(endpoint), verdict };
}

/** The game values that the run sees, if the test seeds some: entries of a group over the project's, a table in its place. */
function seededValues({ definitions }: AccessContext, { seed }: TestCase): Pick<RunAs, 'values'> {
  const seeded = Object.entries(seed.values);
  if (seeded.length === 0) return {};
  const values = { ...definitions.values.values };
  for (const [id, given] of seeded) {
    const stored = Object.hasOwn(values, id) ? values[id] : undefined;
    values[id] = isObject(given) && isObject(stored) ? { ...stored, ...given } : given;
  }
  return { values };
}

/** Effects of a dry run: nothing sleeps, and webhooks are shown but not sent. */
function suppressedEffects({ webhooks, checkTime }: DryCall): RunAs['effects'] {
  const shown = (url: string, payload: JsonObject) => (webhooks.isAllowed(url) ? { ok: true, status: 200, skipped: true, payload } : null);
  return {
    sleep: () => undefined,
    notify: shown,
    webhook: (_index, url, payload) => shown(url, payload),
    checkTime,
  };
}

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** The answer that a caller would have got. A request to load a document is no `Error`, and passes through. */
function refusalAsAnswer(run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return answerOf(error);
    if (error instanceof Error) return answerOf(refusal('ENDPOINT_EXECUTION_FAILED'));
    throw error;
  }
}

function answerOf({ status, code, message, extra }: Refusal): Answer {
  return { status, body: { ...extra.body, ok: false, error: { ...extra.error, code, message }, message } };
}

function messageOf(body: Json): string {
  const { error, message: own } = objectOf(body);
  const message = isObject(error) ? error['message'] : own;
  return stringOrEmpty(message);
}

/** The editor's test windows need `error` to be an object if a call failed; authors may have written something else. */
function withError(body: Json, message: string): Json {
  if (!isObject(body)) return { ok: false, error: { code: 'REJECTED', message }, answer: body };
  const { error } = body;
  if (isObject(error)) return typeof error['message'] === 'string' ? body : { ...body, error: { ...error, message } };
  const code = typeof error === 'string' && error !== '' ? error : 'REJECTED';
  return { ...body, error: { code, message: message === '' ? code : message } };
}

function pendingWrite(writes: DocumentWrites, { kind, target }: PendingWrite, budget: Budget): Pending {
  const document = kind === 'delete' ? undefined : writes.located(target.collection, target.key).state?.document;
  return { collection: target.named, key: target.keyText, op: kind, data: shown(document ?? undefined, budget) };
}

function warningsOf(endpoint: EndpointModel): string[] {
  const { enabled, deprecated, internal, requiresSecretKey } = endpoint;
  return [
    ...(enabled ? [] : ['This endpoint is disabled: calls are refused.']),
    ...(deprecated ? ['This endpoint is deprecated: calls are refused.'] : []),
    ...(internal ? ['This endpoint is internal: only steps can call it.'] : []),
    ...(requiresSecretKey ? ['This endpoint needs a secret key.'] : []),
  ];
}

interface Budget {
  budget: number;
}

/** A value as JSON; null if there is none, or no room for it. */
function shown(value: Value, room: Budget): Json {
  if (value === undefined) return null;
  const left = room.budget - sizeOf(value, room.budget);
  if (left < 0) return null;
  room.budget = left;
  return withoutInfinities(value);
}

/** Approximate length of a value's JSON text. Stops counting above `limit`. */
function sizeOf(value: Json, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isArray(value) && !isObject(value)) return 8;
  let size = 2;
  for (const [name, item] of Object.entries(value)) {
    size += name.length + 4 + sizeOf(item, limit - size);
    if (size > limit) return size;
  }
  return size;
}
