import { randomBytes } from 'node:crypto';
import type { EffectiveDefinitions, EndpointModel } from '../domain/definition/model.ts';
import { fillDefaults } from '../domain/document/schema.ts';
import { type CompiledEndpoint, compileEndpoint } from '../domain/endpoint/compile.ts';
import { runEndpoint } from '../domain/endpoint/execute.ts';
import { checkInput } from '../domain/endpoint/input.ts';
import type { EndpointCall, EndpointResult, PendingWrite, Reads } from '../domain/endpoint/run.ts';
import type { Trace } from '../domain/endpoint/step.ts';
import { mayWrite } from '../domain/endpoint/writes.ts';
import { projectSettings } from '../domain/project/settings.ts';
import {
  isBlocked,
  type RevisionStatus,
  revisionIdOf,
  revisionMessage,
  revisionStatus,
  revisionStatusBody,
} from '../domain/revision/status.ts';
import { inputOfPayload, requestIdIn } from '../domain/security/call-body.ts';
import { encryptionRequired } from '../domain/security/mismatch.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { member } from '../kernel/path.ts';
import { type Grounds, groundsOf, playerOf, requirePermission, requireVerifiedPlayer } from './access.ts';
import type { App, Caller, EndpointAnswer, EndpointRequest } from './app.ts';
import type { Decision } from './commit.ts';
import { type AppContext, decided, execute, positioned, projectOf } from './context.ts';
import { DocumentWrites } from './document-writes.ts';
import { type OpenSealed, opener } from './open-request.ts';
import type { Project } from './project.ts';
import { type Consumed, consuming, unwrapped } from './request-ids.ts';
import type { View } from './view.ts';

interface Ran {
  readonly status: number;
  readonly body: Json;
  readonly wrote: boolean;
}

/** Endpoint calls: one decision over everything the steps read, one atomic append of everything they write (decision 4). */
export function createEndpoints(context: AppContext): App['endpoints'] {
  return {
    async call(caller, call) {
      const project = await projectOf(context, caller);
      const revision = revisionOfCall(context, project, caller, call);
      const answer = runOnce(context, project, caller, call, revision);
      return revision === null ? answer : withRevision(answer, revisionStatusBody(revision));
    },
  };
}

async function runOnce(
  context: AppContext,
  project: Project,
  caller: Caller,
  call: EndpointRequest,
  revision: RevisionStatus | null,
): Promise<EndpointAnswer> {
  const draw = draws();
  const open = call.sealed === null ? null : opener(caller, call.slug, call.sealed, null);
  const run = (view: View, now: number): Decision<Ran | Consumed<Ran>> => {
    const run: Run = { context, view, ground: groundsOf(view, caller, call.target), caller, call, revision, now, random: draw() };
    const player = admitted(run);
    return open === null ? runPlain(run, player) : runSealed(run, player, open);
  };
  const outcome = await execute(project, caller, 'endpoint.call', run, call.slug);
  const { wrote, ...answer } = 'wrote' in outcome.answer ? outcome.answer : { ...unwrapped(outcome.answer), wrote: true };
  // What was written is stored, and current by that: a 503 now, after a log that was silent, would have the caller write it again.
  const stale = wrote ? false : positioned(context, project, caller).stale;
  return { ...answer, position: outcome.revision, stale };
}

/** A published game says its revision in a header and in the `security` block; one of them is enough. */
function revisionOfCall(context: AppContext, project: Project, caller: Caller, { security }: EndpointRequest): RevisionStatus | null {
  const { authority } = project;
  if (caller.revision !== null || security === null || authority === null) return caller.revision;
  const client = { revision: revisionIdOf(member(security, 'revisionId')), clientType: null };
  return revisionStatus(projectSettings(authority.settings), authority.gamePackage, client, context.scheduler.now());
}

/** The answer, or the refusal, with how the game's revision stands; what an author put under the name stays (security 8.5). */
async function withRevision(answer: Promise<EndpointAnswer>, status: JsonObject): Promise<EndpointAnswer> {
  try {
    const given = await answer;
    const { body } = given;
    return isObject(body) && !Object.hasOwn(body, '_revisionStatus') ? { ...given, body: { ...body, _revisionStatus: status } } : given;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { extra } = error;
    throw new Refusal(error.status, error.code, error.message, { ...extra, body: { _revisionStatus: status, ...extra.body } });
  }
}

/** One decision of a call. */
interface Run {
  readonly context: AppContext;
  readonly view: View;
  readonly ground: Grounds;
  readonly caller: Caller;
  readonly call: EndpointRequest;
  readonly revision: RevisionStatus | null;
  readonly now: number;
  random(): number;
}

/** Whom the call is for. */
function admitted({ context, ground, caller }: Run): string {
  if (caller.isSecret) requirePermission(ground.key, 'endpoints', 'x');
  const player = playerOf(caller, context.platformId);
  if (!caller.isSecret && ground.settings.requirePlayerAuth) requireVerifiedPlayer();
  return player;
}

/**
 * A game that believes that nothing is to be sealed learns better. What a host sends for a player is not meant: it may be the host's
 * own, and is never sealed (client-wire 2); nor are callers that are no client library (security 6.2).
 */
function runPlain(run: Run, player: string): Decision<Ran> {
  const { ground, caller, call } = run;
  const { settings } = ground;
  if (settings.enableEncryptedRequests && call.library && !caller.isSecret && caller.onBehalfOf === null)
    throw encryptionRequired(settings);
  return perform(run, player, call.input);
}

/** The id is used up before the endpoint runs, and whatever comes of the call (security 7.5). */
function runSealed(run: Run, player: string, open: OpenSealed): Decision<Consumed<Ran>> {
  const { view, now, ground } = run;
  const { payload, type, identity } = open(ground.authority, player);
  const request = { type, identity, requestId: requestIdIn(payload) };
  return consuming(view, now, ground.settings, request, () => perform(run, player, inputOfPayload(payload)));
}

function perform(run: Run, platformId: string, input: JsonObject): Decision<Ran> {
  const { context, view, ground, caller, call, revision, now, random } = run;
  const endpoint = callable(ground.definitions, call.slug, caller);
  if (revision !== null) requireCurrent(revision, endpoint, ground.definitions);
  const writes = new DocumentWrites(view, ground, now, context.limits.documentBytes);
  const as = { platformId, hasSecretKey: caller.isSecret, isDedicatedServer: caller.isSecret, now, random };
  const result = runSteps(ground, writes, endpoint, { input, fromQuery: call.fromQuery }, as, null);
  for (const write of result.writes) commit(writes, ground, write, platformId, endpoint.slug);
  return decided({ status: result.status, body: result.body, wrote: writes.events.length > 0 }, writes.events);
}

/** Whom a run is for, and the clock and chance it sees. */
export type RunAs = Pick<EndpointCall, 'platformId' | 'hasSecretKey' | 'isDedicatedServer' | 'now' | 'random'>;

/** Checks the input and runs the steps over `writes`, which are not written by that: the caller commits what the result asks for. */
export function runSteps(
  ground: Grounds,
  writes: DocumentWrites,
  endpoint: EndpointModel,
  call: Pick<EndpointRequest, 'input' | 'fromQuery'>,
  as: RunAs,
  trace: Trace | null,
): EndpointResult {
  const compiled = compiledEndpoint(ground.definitions, endpoint);
  const input = ground.settings.inputValidation === 'off' ? call.input : checkInput(compiled, call.input, { fromQuery: call.fromQuery });
  const about = { projectId: ground.authority.projectId, slug: endpoint.slug, input, playerKey: playerKey(ground, as.platformId, input) };
  return runEndpoint(compiled, { ...as, ...about }, readsOf(ground, writes), trace);
}

/** The gates of a definition, in their order (endpoint-language 1.3, rows 12 to 16). */
function callable(definitions: EffectiveDefinitions, slug: string, caller: Caller): EndpointModel {
  const endpoint = definitions.endpoint(slug);
  if (!endpoint) throw refusal('ENDPOINT_NOT_FOUND');
  if (!endpoint.enabled) throw refusal('ENDPOINT_DISABLED');
  if (endpoint.deprecated) throw refusal('ENDPOINT_DEPRECATED');
  if (endpoint.internal) throw refusal('ENDPOINT_NOT_FOUND');
  if (endpoint.requiresSecretKey && !caller.isSecret) throw refusal('SECRET_KEY_REQUIRED');
  return endpoint;
}

/** For as long as the publish that the endpoint is of. */
const writing = new WeakMap<EndpointModel, boolean>();

/** An outdated game may be let read alone, or nothing at all. HTTP 200, or it could not read why (decision 2). */
function requireCurrent(revision: RevisionStatus, endpoint: EndpointModel, definitions: EffectiveDefinitions): void {
  if (!isBlocked(revision, 'write')) return;
  const writes = writing.get(endpoint) ?? mayWrite(endpoint, definitions);
  writing.set(endpoint, writes);
  if (isBlocked(revision, writes ? 'write' : 'read')) throw refusal('REVISION_OUTDATED', revisionMessage(revision), { httpStatus: 200 });
}

/** Compiled once per publish: the definitions object is new with every one. */
const compiledOf = new WeakMap<EffectiveDefinitions, Map<string, CompiledEndpoint>>();

function compiledEndpoint(definitions: EffectiveDefinitions, endpoint: EndpointModel): CompiledEndpoint {
  let known = compiledOf.get(definitions);
  if (!known) {
    known = new Map();
    compiledOf.set(definitions, known);
  }
  const found = known.get(endpoint.id);
  if (found) return found;
  const compiled = compileEndpoint(endpoint.definition, {
    workflow: (id) => definitions.workflow(id),
    endpoint: (slug) => definitions.endpoint(slug),
    collection: (name) => definitions.collection(name),
    values: definitions.values.values,
  });
  known.set(endpoint.id, compiled);
  return compiled;
}

/** Project setting `playerKeyMode`: saves of one player apart by the input's `saveId` (endpoint-language 1.4). */
function playerKey(ground: Grounds, platformId: string, input: JsonObject): string {
  const saveId = Object.hasOwn(input, 'saveId') ? input['saveId'] : undefined;
  if (ground.settings.playerKeyMode !== 'playerSave' || typeof saveId !== 'string' || saveId === '') return platformId;
  return `${platformId}_${saveId}`;
}

/** Endpoints reach every collection, whatever its access mode. An unknown collection reads as missing. */
function readsOf(ground: Grounds, writes: DocumentWrites): Reads {
  return {
    document(collection, key) {
      const model = ground.definitions.collection(collection);
      const document = model ? (writes.located(model.id, key).state?.document ?? null) : null;
      if (!model || document === null || !ground.settings.fillDefaults || !model.schema.hasDefaults) return document;
      return fillDefaults(model.schema, document);
    },
  };
}

/** Decides one of the run's writes. Throws the `Refusal` of schema, size or limits. */
export function commit(writes: DocumentWrites, ground: Grounds, write: PendingWrite, player: string, slug: string): void {
  const collection = ground.definitions.collection(write.collection);
  if (!collection) throw new Error(`Step ${write.stepId} was compiled for a collection that is not there`);
  if (write.kind === 'delete') {
    writes.remove(collection, write.key, slug);
    return;
  }
  const how = { player, saveVersion: null, checkSchema: ground.settings.validateEndpointWrites, source: slug };
  writes.write(collection, write.key, { kind: 'operations', ops: write.ops }, how);
}

/** Random numbers of one call: drawn once, and given again in the same order when the call is decided again. */
export function draws(): () => () => number {
  const drawn: number[] = [];
  return () => {
    let next = 0;
    return () => {
      drawn[next] ??= randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
      next += 1;
      return drawn[next - 1] ?? 0;
    };
  };
}
