import { BUTTON_KEYS } from '../../contract/credentials.ts';
import { buttonAccess, callingPlayer, endpointAccess } from '../../domain/access/calls.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { playerOf } from '../../domain/access/credential.ts';
import { recordedInput } from '../../domain/commit/recorded-input.ts';
import { CAUSE } from '../../domain/correction/causes.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { EffectiveDefinitions, EndpointModel } from '../../domain/model.ts';
import type { RevisionStatus } from '../../domain/revision/status.ts';
import { inputOfPayload, requestIdIn } from '../../domain/security/call-body.ts';
import { encryptionRequired, sessionMismatch } from '../../domain/security/mismatch.ts';
import { idempotencySubject } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { accepted, Refusal } from '../../kernel/errors.ts';
import { type Json, type JsonObject, stringOrEmpty } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { CompiledEndpoint } from '../../language/compile.ts';
import { accessOf, requireNeed } from '../access.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, settingsOf } from '../context.ts';
import { type AnswerCodec, type KeyedRequest, keyedBy, remembering, replayed } from '../idempotency.ts';
import { type Decided, type Decision, decidedBy, type Outcome } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { type OpenSealed, opener } from '../security/open-request.ts';
import { identify, mustProve, requireProof } from '../security/players.ts';
import { consuming } from '../security/request-ids.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { CallEffects } from './call-effects.ts';
import { counted } from './call-limits.ts';
import { type CallRecorder, callRecorder } from './endpoint-calls.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint-request.ts';
import { requireCurrent, revisionOfCall, withRevision } from './endpoint-revision.ts';
import { onlyReads, replayableRandom, runSteps } from './endpoint-steps.ts';

export interface Endpoints {
  call(caller: Caller, call: EndpointRequest): Awaitable<EndpointAnswer>;
}

interface CallOutcome {
  readonly status: number;
  readonly body: Json;
  readonly wrote: boolean;
  readonly publish: string;
}

const OUTCOME_CODEC: AnswerCodec<CallOutcome> = {
  encode: ({ status, body, publish }) => ({ status, body, publish }),
  decode(kept) {
    const { status, body, publish } = objectOf(kept);
    const ran = { body: body ?? null, wrote: true, publish: stringOrEmpty(publish) };
    return { ...ran, status: typeof status === 'number' ? status : 200 };
  },
};

/** Calls with one idempotency key that may wait while the first one waits for a service. */
const MAX_SAME_KEY = 8;

/** Endpoint calls: one decision over everything that the steps read, and one atomic append of everything that they write. */
export function createEndpoints(context: AppContext): Endpoints {
  const sameKey = new KeyedMutex(MAX_SAME_KEY);
  return {
    call: (caller, call) =>
      andThen(projectOf(context, caller), (project) => {
        const revision = revisionOfCall(context, project, caller, call);
        // A button is pressed by whoever runs the game, and tells nothing of what players do.
        const recorder = call.pressed === null ? callRecorder(context, project, call) : null;
        const running = runOnce(context, sameKey, project, caller, call, revision, recorder);
        const answer = recorder === null ? running : recorder.recordOutcome(running);
        return revision === null ? answer : withRevision(answer, revision, call.slug, context.scheduler.now());
      }),
  };
}

async function runOnce(
  context: AppContext,
  sameKey: KeyedMutex,
  project: Project,
  claimed: Caller,
  call: EndpointRequest,
  revision: RevisionStatus | null,
  recorder: CallRecorder | null,
): Promise<EndpointAnswer> {
  // Callers that need no proof do not wait here.
  const caller = mustProve(settingsOf(project), claimed) ? await proven(context, project, claimed, call) : claimed;
  recorder?.setCaller(caller);
  const draw = replayableRandom();
  const open = call.sealed === null ? null : opener(caller, call.slug, call.sealed, caller.session?.sessionId ?? null);
  const effects = new CallEffects(project, context, sameKey);
  const once = (ctx: DecisionContext, now: number): Decided<CallOutcome> => {
    effects.begin();
    const run: Run = { context, ctx, access: accessOf(ctx, caller, call.target), caller, call, revision, now, random: draw(), effects };
    if ((caller.session ?? caller.device ?? caller.passed) !== undefined) withReadableRefusal(() => requireProof(ctx, caller, now));
    const player = call.pressed === null ? accepted(callingPlayer(run.access, caller, context.platformId)) : pressingFor(run);
    return open === null ? runPlain(run, player) : runSealed(run, player, open);
  };
  const run = (ctx: DecisionContext, now: number): Decided<CallOutcome> => context.roundRobin.count(project.id, () => once(ctx, now));
  const turn = context.roundRobin.wait(project.id);
  if (turn !== null) await turn;
  const cause = call.pressed === null ? 'endpoint.call' : CAUSE.press;
  const decide = () => execute(project, caller, cause, run, call.slug);
  let outcome: Outcome<CallOutcome>;
  try {
    outcome = await decide();
  } catch (error) {
    outcome = await effects.after(error, decide).catch((refused: unknown) => refusedBy(refused, publishOf(project, call)));
  } finally {
    effects.end();
  }
  if (effects.sleptMs > 0) await effects.awaitSleeps();
  const { answer: ran, revision: position, replayed } = outcome;
  if (!replayed) effects.sendNotifications();
  const wrote = open !== null || ran.wrote;
  // The writes are stored, so the answer is current. A 503 because the log was silent would make the caller write again.
  const stale = wrote ? false : positioned(context, project, caller).stale;
  return { status: ran.status, body: ran.body, publish: ran.publish, position, stale, replayed };
}

/** Length of the publish hash in the answer: enough to find the publish in `GET …/publishes`. */
const PUBLISH_LENGTH = 16;

function publishIn(definitions: EffectiveDefinitions): string {
  return definitions.hash.slice(0, PUBLISH_LENGTH);
}

function publishOf(project: Project, { target }: EndpointRequest): string {
  return publishIn(effectiveDefinitions(project.definitions, target));
}

/** Adds the publish hash to a refusal and throws it. */
function refusedBy(refused: unknown, publish: string): never {
  if (!(refused instanceof Refusal)) throw refused;
  const { status, code, message, extra } = refused;
  throw new Refusal(status, code, message, { ...extra, publish });
}

async function proven(context: AppContext, project: Project, caller: Caller, { slug, security }: EndpointRequest): Promise<Caller> {
  const settings = settingsOf(project);
  const mismatch = caller.proof?.sessionToken ? sessionMismatch(settings, security) : null;
  if (mismatch) throw mismatch;
  try {
    return await identify(context, project, caller, settings, { purposes: [slug] });
  } catch (error) {
    return throwReadable(error);
  }
}

function withReadableRefusal<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    return throwReadable(error);
  }
}

/**
 * Gives a refusal of the session HTTP status 200: a game cannot read a body with a status of 400 or more, and has to learn that its session
 * has ended.
 */
function throwReadable(error: unknown): never {
  if (!(error instanceof Refusal) || !error.code.startsWith('AUTH_SESSION_')) throw error;
  throw new Refusal(error.status, error.code, error.message, { ...error.extra, forGame: true });
}

/** One decision of a call. */
interface Run {
  readonly context: AppContext;
  readonly ctx: DecisionContext;
  readonly access: AccessContext;
  readonly caller: Caller;
  readonly call: EndpointRequest;
  readonly revision: RevisionStatus | null;
  readonly now: number;
  random(): number;
  readonly effects: CallEffects;
}

/**
 * Runs a call that was not sealed. A client library that should have sealed it is refused, so that it learns to. A host's request for
 * another player may be the host's own and is never sealed; other callers are not client libraries.
 */
function runPlain(run: Run, player: string): Decided<CallOutcome> {
  const { access, caller, call } = run;
  const { settings } = access;
  if (settings.enableEncryptedRequests && call.library && !caller.isSecret && caller.onBehalfOf === null)
    throw encryptionRequired(settings);
  return perform(run, keyedCall(run, call.unproven), player, call.input, call.unproven);
}

/** Runs a sealed call. Its request id is used up before the endpoint runs, whatever the outcome. */
function runSealed(run: Run, player: string, open: OpenSealed): Decided<CallOutcome> {
  const { ctx, now, access } = run;
  const { payload, type, identity } = withReadableRefusal(() => open(access.authority, player));
  const request = { type, identity, requestId: requestIdIn(payload) };
  const input = inputOfPayload(payload);
  const keyed = keyedCall(run, () => input);
  // A repeated call, sealed again or not, gets its first answer, and uses up no id.
  const before = replayed({ ctx, now, keyed }, OUTCOME_CODEC);
  return before ?? consuming(ctx, now, access.settings, request, () => perform(run, keyed, player, input, () => input));
}

/** The idempotency key covers the endpoint's input only: proof and request id may differ when the call is sent again. */
function keyedCall({ context, caller, access, call }: Run, input: () => JsonObject): KeyedRequest | null {
  const { game } = context.limits.answers;
  // The body of a pressed button holds no proof: all of it counts.
  if (call.pressed !== null) return keyedBy(caller, access.space, game);
  return keyedBy(caller, access.space, game, caller.keyed ? { slug: call.slug, input: input() } : null);
}

/** The player for whom a button is pressed. Throws 403 FORBIDDEN. */
function pressingFor({ context, access, caller }: Run): string {
  requireNeed(access.key, BUTTON_KEYS.needs);
  return accepted(playerOf(caller, context.platformId));
}

/** `told`: the input without members that prove the caller, as the log may keep it. */
function perform(
  run: Run,
  keyed: KeyedRequest | null,
  platformId: string,
  input: JsonObject,
  told: () => JsonObject,
): Decided<CallOutcome> {
  const { ctx, access, caller, call, revision, now, effects } = run;
  if (keyed !== null) effects.setIdempotencyKey(idempotencySubject(keyed.claim));
  const before = replayed({ ctx, now, keyed }, OUTCOME_CODEC);
  if (before !== null) return before;
  const { pressed } = call;
  const endpoint = accepted(
    pressed === null
      ? endpointAccess(access, caller, call.slug)
      : buttonAccess(access, call.slug, { player: caller.platformId, confirm: pressed.confirm, isLook: false }),
  );
  // The log tells of each button that was pressed.
  ctx.onlyReads = pressed === null && onlyReads(access.definitions, endpoint);
  if (revision !== null) requireCurrent(revision, ctx.onlyReads);
  const decide = () => pressing(run, endpoint, recording(run, endpoint, told, steps(run, endpoint, platformId, input)));
  const once = () => (keyed === null ? decide() : remembering({ ctx, now, keyed }, OUTCOME_CODEC, decidedBy(decide)));
  // A server that names no player calls for itself.
  const isOwn = pressed === null && caller.isSecret && caller.onBehalfOf === null && caller.platformId === null;
  return endpoint.callLimit === null || isOwn ? once() : counted(access, ctx, endpoint, platformId, now, once);
}

/** The decision with the input of the call, where the endpoint keeps it and something is stored. */
function recording(
  { access }: Run,
  endpoint: EndpointModel,
  input: () => JsonObject,
  decision: Decision<CallOutcome>,
): Decision<CallOutcome> {
  if (!endpoint.recordsInput || decision.events.length === 0) return decision;
  const recorded: DomainEvent = { type: 'call.recorded', data: { space: access.space, endpoint: endpoint.id, ...recordedInput(input()) } };
  return { ...decision, events: [recorded, ...decision.events] };
}

/** The decision with who pressed the button, and why. */
function pressing(
  { access, call: { pressed } }: Run,
  { id, button }: EndpointModel,
  decision: Decision<CallOutcome>,
): Decision<CallOutcome> {
  if (pressed === null || button === null) return decision;
  const { reason, ticket } = pressed;
  const data = { space: access.space, endpoint: id, label: button.label, reason, ...(ticket === undefined ? {} : { ticket }) };
  return { ...decision, events: [{ type: 'button.pressed', data }, ...decision.events] };
}

function steps(run: Run, endpoint: EndpointModel, platformId: string, input: JsonObject): Decision<CallOutcome> {
  const { context, ctx, access, caller, call, now, random, effects } = run;
  const { answerBytes, documentBytes } = context.limits;
  const writes = new DocumentWrites(ctx, access, now, documentBytes);
  const ready = (compiled: CompiledEndpoint) => effects.prepared(compiled);
  // Written in place: to spread some of these members from another object was a fiftieth of a call.
  const as = {
    platformId,
    hasSecretKey: caller.isSecret,
    isDedicatedServer: caller.isSecret,
    reason: call.pressed?.reason,
    now,
    random,
    effects,
    ready,
    answerBytes,
  };
  const keys = (collection: string) => effects.keys(ctx, access.space, collection);
  const result = runSteps(access, writes, endpoint, { input, fromQuery: call.fromQuery }, as, null, keys);
  return decided(
    { status: result.status, body: result.body, wrote: writes.events.length > 0, publish: publishIn(access.definitions) },
    writes.events,
  );
}
