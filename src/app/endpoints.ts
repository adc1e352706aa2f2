import { randomBytes } from 'node:crypto';
import type { EffectiveDefinitions, EndpointModel } from '../domain/definition/model.ts';
import { fillDefaults } from '../domain/document/schema.ts';
import { type CompiledEndpoint, compileEndpoint } from '../domain/endpoint/compile.ts';
import { runEndpoint } from '../domain/endpoint/execute.ts';
import { checkInput } from '../domain/endpoint/input.ts';
import type { PendingWrite, Reads } from '../domain/endpoint/run.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { type Grounds, groundsOf, needsPlayer, playerOf, requirePermission, requireVerifiedPlayer } from './access.ts';
import type { App, Caller } from './app.ts';
import { type AppContext, decided, execute, positioned, projectOf, settingsOf } from './context.ts';
import { DocumentWrites } from './document-writes.ts';
import { identify, mustProve, requireSession } from './players.ts';
import type { Project } from './project.ts';
import type { View } from './view.ts';

type Call = Parameters<App['endpoints']['call']>[1];

/** Endpoint calls: one decision over everything the steps read, one atomic append of everything they write (decision 4). */
export function createEndpoints(context: AppContext): App['endpoints'] {
  return {
    async call(claimed, call) {
      const project = await projectOf(context, claimed);
      // Where nobody has to prove anything, nothing waits.
      const caller = mustProve(settingsOf(project), claimed) ? await proven(context, project, claimed, call.slug) : claimed;
      const draw = draws();
      const run = (view: View, now: number) => {
        const ground = groundsOf(view, caller, call.target);
        if (caller.session !== undefined) stillInForce(view, caller, now);
        return runCall(context, view, ground, caller, call, now, draw());
      };
      const outcome = await execute(project, caller, 'endpoint.call', run, call.slug);
      const { wrote, ...answer } = outcome.answer;
      // What was written is stored, and current by that: a 503 now, after a log that was silent, would have the caller write it again.
      const stale = wrote ? false : positioned(context, project, caller).stale;
      return { ...answer, position: outcome.revision, stale };
    },
  };
}

function proven(context: AppContext, project: Project, caller: Caller, slug: string): Promise<Caller> {
  return identify(context, project, caller, settingsOf(project), { scopes: [slug] }).catch(readable);
}

function stillInForce(view: View, caller: Caller, now: number): void {
  try {
    requireSession(view, caller, now);
  } catch (error) {
    readable(error);
  }
}

/** A game reads no body of an answer from 400 on, and it has to learn that its session has ended (decision 2; security 11.1). */
function readable(error: unknown): never {
  if (!(error instanceof Refusal) || !error.code.startsWith('AUTH_SESSION_')) throw error;
  throw new Refusal(error.status, error.code, error.message, { ...error.extra, httpStatus: 200 });
}

function runCall(context: AppContext, view: View, ground: Grounds, caller: Caller, call: Call, now: number, random: () => number) {
  if (caller.isSecret) requirePermission(ground.key, 'endpoints', 'x');
  const platformId = playerOf(caller, context.platformId);
  if (needsPlayer(ground, caller)) requireVerifiedPlayer(caller);
  const endpoint = callable(ground.definitions, call.slug, caller);
  const compiled = compiledEndpoint(ground.definitions, endpoint);
  const input = ground.settings.inputValidation === 'off' ? call.input : checkInput(compiled, call.input, { fromQuery: call.fromQuery });
  const writes = new DocumentWrites(view, ground, now, context.limits.documentBytes);
  const result = runEndpoint(
    compiled,
    {
      projectId: caller.projectId,
      slug: endpoint.slug,
      input,
      platformId,
      playerKey: playerKey(ground, platformId, input),
      hasSecretKey: caller.isSecret,
      isDedicatedServer: caller.isSecret,
      now,
      random,
    },
    readsOf(ground, writes),
  );
  for (const write of result.writes) commit(writes, ground, write, platformId, endpoint.slug);
  return decided({ status: result.status, body: result.body, wrote: writes.events.length > 0 }, writes.events);
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

function commit(writes: DocumentWrites, ground: Grounds, write: PendingWrite, player: string, slug: string): void {
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
function draws(): () => () => number {
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
