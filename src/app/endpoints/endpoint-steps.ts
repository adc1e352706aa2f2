import { randomBytes } from 'node:crypto';
import type { AccessContext } from '../../domain/access/context.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { CollectionModel, EffectiveDefinitions, EndpointModel } from '../../domain/model.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import { isLargerThan, type JsonObject } from '../../kernel/json.ts';
import { type CompiledEndpoint, compileEndpoint } from '../../language/compile.ts';
import { runEndpoint } from '../../language/execute.ts';
import type { EndpointCall } from '../../language/expressions/call.ts';
import { checkInput } from '../../language/input.ts';
import type { EndpointResult, PendingWrite, Reads } from '../../language/run.ts';
import type { Trace } from '../../language/step.ts';
import { mayWrite } from '../../language/writes.ts';
import type { DocumentWrites } from '../storage/document-writes.ts';
import type { EndpointRequest } from './endpoint-request.ts';

/** Runs an endpoint's steps over the documents of one command, for calls and for dry runs. */

/** Who a run is for, and its clock, random numbers and effects. */
export interface RunAs
  extends Pick<EndpointCall, 'platformId' | 'hasSecretKey' | 'isDedicatedServer' | 'now' | 'random' | 'effects' | 'values'> {
  /** Called before the run. May throw to have a large endpoint prepared first. */
  ready(compiled: CompiledEndpoint): void;
  /** Most bytes of the answer. */
  readonly answerBytes: number;
  /** What ledgers say why, where a step does not say it. */
  readonly reason?: string | undefined;
}

/**
 * Checks the input and runs the steps over `writes`. A write is decided when its step runs; the caller commits the events. `keys` finds the
 * documents of a collection that a step looks through, by the collection's id. Throws 413 `RESULT_TOO_LARGE` for an answer that is too
 * large, before anything is stored.
 */
export function runSteps(
  access: AccessContext,
  writes: DocumentWrites,
  endpoint: EndpointModel,
  call: Pick<EndpointRequest, 'input' | 'fromQuery'>,
  as: RunAs,
  trace: Trace | null,
  keys: Reads['keys'],
): EndpointResult {
  const compiled = compiledEndpoint(access.definitions, endpoint);
  as.ready(compiled);
  const input =
    access.settings.inputValidation === 'off' ? call.input : accepted(checkInput(compiled, call.input, { fromQuery: call.fromQuery }));
  const { platformId, hasSecretKey, isDedicatedServer, now, random, effects } = as;
  const { projectId } = access.authority;
  const { strictComparisons } = access.settings;
  const key = playerKey(access, platformId, input);
  const caller = { platformId, playerKey: key, hasSecretKey, isDedicatedServer };
  const given = as.values === undefined ? {} : { values: as.values };
  const run = { projectId, slug: endpoint.slug, input, ...caller, strictComparisons, now, random, effects, ...given };
  const result = accepted(runEndpoint(compiled, run, readsOf(access, writes, endpoint.slug, as, keys), trace));
  if (!isLargerThan(result.body, as.answerBytes)) return result;
  throw refusal(
    'RESULT_TOO_LARGE',
    `The answer of this endpoint comes to more than ${as.answerBytes} bytes, so nothing was stored. Its \`response\` must hold less`,
  );
}

/** Whether a call of the endpoint can change no document. */
export function onlyReads(definitions: EffectiveDefinitions, endpoint: EndpointModel): boolean {
  return compiledEndpoint(definitions, endpoint).onlyReads;
}

interface PreparedEndpoint extends CompiledEndpoint {
  readonly onlyReads: boolean;
}

/** Compiled once per publish, because every publish makes a new definitions object. */
const compiledOf = new WeakMap<EffectiveDefinitions, Map<string, PreparedEndpoint>>();

function compiledEndpoint(definitions: EffectiveDefinitions, endpoint: EndpointModel): PreparedEndpoint {
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
    library: (id) => definitions.library(id),
    collection: (name) => definitions.collection(name),
    values: definitions.values.values,
  });
  const ready = { ...compiled, onlyReads: !mayWrite(endpoint, definitions) };
  known.set(endpoint.id, ready);
  return ready;
}

/**
 * The key of the player's document. By the project setting `playerKeyMode` it includes the input's `saveId`, so one player has several
 * saves.
 */
function playerKey(access: AccessContext, platformId: string, input: JsonObject): string {
  const saveId = Object.hasOwn(input, 'saveId') ? input['saveId'] : undefined;
  if (access.settings.playerKeyMode !== 'playerSave' || typeof saveId !== 'string' || saveId === '') return platformId;
  return `${platformId}_${saveId}`;
}

const NOTHING: JsonObject = {};

/** Reads for the steps. Endpoints reach every collection, whatever its access mode. An unknown collection reads as missing. */
function readsOf(access: AccessContext, writes: DocumentWrites, slug: string, as: RunAs, keys: Reads['keys']): Reads {
  const blankOf = (model: CollectionModel | undefined) =>
    model?.schema.hasDefaults && access.settings.fillDefaults ? fillDefaults(model.schema, NOTHING) : NOTHING;
  return {
    document(collection, key) {
      const model = access.definitions.collection(collection);
      return model ? writes.read(model, key) : null;
    },
    blank(collection) {
      const blank = blankOf(access.definitions.collection(collection));
      return blank === NOTHING ? null : blank;
    },
    decide(write) {
      const model = access.definitions.collection(write.target.collection);
      if (!model) throw new Error(`Step ${write.stepId} was compiled for a collection that is not there`);
      as.effects.checkTime();
      decide(writes, access, model, write, { player: as.platformId, slug, reason: as.reason });
      return writes.read(model, write.target.key);
    },
    hasLedger: (collection) => access.definitions.collection(collection)?.schema.hasLedger === true,
    keys(collection) {
      const model = access.definitions.collection(collection);
      if (!model) return [];
      const stored = keys(model.id);
      const inserted = writes.insertedKeys(model.id);
      const found = inserted.length === 0 ? stored : [...new Set([...stored, ...inserted])].sort();
      writes.expect(model.id, found);
      return found;
    },
  };
}

/** Decides one write of the run. Throws the `Refusal` of schema, size or limits. */
function decide(
  writes: DocumentWrites,
  access: AccessContext,
  collection: CollectionModel,
  write: PendingWrite,
  { player, slug, reason }: { readonly player: string; readonly slug: string; readonly reason: string | undefined },
): void {
  const { key } = write.target;
  if (write.kind === 'delete') {
    writes.remove(collection, key, slug, null, reason);
    return;
  }
  // A step names no save version and needs none: what the call has read cannot change before its commit.
  const unversioned = { saveVersion: null, strictSaveVersion: false };
  const checkSchema = access.settings.validateEndpointWrites;
  // Whatever a step says, players must not pass limits by calling an endpoint.
  const how = { player, ...unversioned, checkSchema, source: slug, reason, isCorrection: false };
  writes.write(collection, key, { kind: 'operations', ops: write.ops, applied: write.applied }, how);
}

/** Random numbers of one call. They are drawn once and given out again in the same order when the call is decided again. */
export function replayableRandom(): () => () => number {
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
