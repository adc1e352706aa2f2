import type { EndpointModel, WorkflowModel } from '../../src/domain/model.ts';
import { accepted, Refusal } from '../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { compileEndpoint } from '../../src/language/compile.ts';
import { runEndpoint } from '../../src/language/execute.ts';
import type { EndpointCall } from '../../src/language/expressions/call.ts';
import { language } from '../../src/language/expressions/compilers.ts';
import { CallContext, Scope } from '../../src/language/expressions/scope.ts';
import type { Value } from '../../src/language/expressions/value.ts';
import { checkInput } from '../../src/language/input.ts';
import { normalise } from '../../src/language/normal/logic.ts';
import type { EndpointResult, Reads } from '../../src/language/run.ts';

/** Parts of a call besides the definition. Everything has a default. */
export interface World {
  readonly input?: JsonObject;
  readonly values?: JsonObject;
  /** `collection/key` → document. */
  readonly documents?: Readonly<Record<string, JsonObject>>;
  readonly workflows?: Readonly<Record<string, JsonObject>>;
  readonly endpoints?: Readonly<Record<string, JsonObject>>;
  readonly call?: Partial<EndpointCall>;
}

/** Nothing waits, and nothing is sent. */
export const STILL: EndpointCall['effects'] = {
  sleep: () => undefined,
  webhook: () => null,
  notify: () => null,
  checkTime: () => undefined,
};

/** Tuesday, 14 November 2023, 22:13:20 UTC. */
const NOW = 1_700_000_000_000;

export function callOf(world: World): EndpointCall {
  return {
    projectId: 'p1',
    slug: 'test',
    input: world.input ?? {},
    platformId: '76561198000000001',
    playerKey: '76561198000000001',
    hasSecretKey: false,
    isDedicatedServer: false,
    strictComparisons: false,
    now: NOW,
    random: () => 0.5,
    effects: STILL,
    ...world.call,
  };
}

export function compile(definition: JsonObject, world: World = {}) {
  return compileEndpoint(definition, {
    workflow: (id) => workflowModel(id, world.workflows?.[id]),
    endpoint: (slug) => modelIn(world.endpoints, slug),
    values: world.values ?? {},
  });
}

function workflowModel(id: string, definition: JsonObject | undefined): WorkflowModel | undefined {
  return definition && { id, hash: '', definition };
}

function modelIn(endpoints: World['endpoints'], slug: string): EndpointModel | undefined {
  const definition = endpoints?.[slug];
  return definition && { ...endpointModel(slug, definition), internal: definition['exposure'] === 'internal' };
}

/** An endpoint that everybody may call. */
export function endpointModel(slug: string, definition: JsonObject): EndpointModel {
  return {
    id: slug,
    slug,
    enabled: true,
    deprecated: false,
    internal: false,
    requiresSecretKey: false,
    method: 'POST',
    recordsInput: false,
    button: null,
    callLimit: null,
    hash: '',
    definition,
  };
}

/** Nothing is stored, and nothing has defaults. */
export const NO_READS: Reads = {
  document: () => null,
  blank: () => null,
  decide: (_, document) => document,
  hasLedger: () => false,
  keys: () => [],
};

/** Runs a definition once. Throws what the run throws. */
export function run(definition: JsonObject, world: World = {}): EndpointResult {
  const compiled = compile(definition, world);
  const addresses = Object.keys(world.documents ?? {});
  return ran(compiled, callOf(world), {
    ...NO_READS,
    document: (collection, key) => world.documents?.[`${collection}/${key}`] ?? null,
    keys: (collection) =>
      addresses.filter((address) => address.startsWith(`${collection}/`)).map((address) => address.slice(collection.length + 1)),
  });
}

/** Throws the refusal. */
export function ran(...call: Parameters<typeof runEndpoint>): EndpointResult {
  return accepted(runEndpoint(...call));
}

/** The refusal of a call that must not succeed. */
export function refused(definition: JsonObject, world: World = {}): Refusal {
  return refusalOf(() => run(definition, world));
}

export function refusalOf(body: () => unknown): Refusal {
  try {
    body();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Runs steps and answers the value of the response's template. */
export function result(steps: readonly Json[], template: Json, world: World = {}): Json {
  return run({ steps, response: { body: { result: template } } }, world).body;
}

function scopeOf(names: Readonly<Record<string, Json>>, world: World = {}): Scope {
  return new Scope(new CallContext(callOf(world), world.values ?? {}), new Map(Object.entries(names)));
}

export function template(text: string, names: Readonly<Record<string, Json>> = {}, world: World = {}): Value {
  return language.template(text)(scopeOf(names, world));
}

export function expression(text: string, names: Readonly<Record<string, Json>> = {}, world: World = {}): Value {
  return language.expression(text)(scopeOf(names, world));
}

export function holds(condition: Json, names: Readonly<Record<string, Json>> = {}, world: World = {}): boolean {
  return language.condition(normalise({ check: condition }).definition.check)(scopeOf(names, world));
}

export function checked(schema: Json, input: JsonObject, fromQuery = false): JsonObject {
  return accepted(checkInput(compile({ input: schema }), input, { fromQuery }));
}
