import type { onFail as onFailSchema } from '../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import type { EffectiveDefinitions } from '../../domain/model.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { compileAliases } from '../expressions/aliases.ts';
import { type Logic, normalise } from '../normal/logic.ts';
import { stepIn } from '../step.ts';
import { kindOf } from '../steps/registry.ts';
import { refuses, taking } from './bound.ts';
import { type Analysis, andThen, either, type Flow, type FlowFrame, goesOn, REFUSED, type Refused } from './flow.ts';
import { bind, changedNames, forgotten, joined, type Names, type World, withAliases } from './names.ts';
import { responseType } from './response-type.ts';
import { objectType, typeOfShallow } from './templates.ts';
import { isNever, NEVER, NULL, nullForMissing, type ObjectType, partsOf, type Type, typeKey, UNKNOWN, union } from './type.ts';

/**
 * Runs the steps of an endpoint on types instead of values, along every path that they may take (abstract interpretation). The result is
 * the type of the endpoint's answers, and the codes of its refusals.
 */

/** Workflows in workflows, as deep as a call may go. */
const MAX_DEPTH = 5;
/** Most workflows and blocks, each with its params, that are analysed for one endpoint. Types of further ones are unknown. */
const MAX_CALLS = 500;
/** Most visits of a step by `goto`. A type that still changes then is unknown. */
const MAX_VISITS = 6;

/** Documents as endpoints read them, by the id of their collection. */
export type Documents = ReadonlyMap<string, ObjectType>;

export class EndpointAnalysis implements Analysis {
  readonly #definitions: EffectiveDefinitions;
  readonly #documents: Documents;
  readonly #world: World;
  readonly #results = new Map<Logic, Map<string, Type>>();
  #calls = 0;
  /** Refusals by code, each as its author wrote it first. */
  readonly refusals = new Map<string, Refused>();
  /** Whether the analysis was cut off, so that there may be further refusals. */
  isPartial = false;
  readonly written = new Set<string>();
  readonly scanned = new Set<string>();
  hasDeletes = false;

  constructor(definitions: EffectiveDefinitions, documents: Documents, world: World) {
    this.#definitions = definitions;
    this.#documents = documents;
    this.#world = world;
  }

  /** The type of everything that a call of the endpoint may answer; never: it always refuses. */
  answers(definition: Logic): Type {
    const frame: FlowFrame = { analysis: this, home: definition, depth: 0, routed: true };
    return nullForMissing(this.#logic(frame, definition, [], (names) => responseType(names, definition.response)));
  }

  documents(name: string | undefined): ObjectType | null {
    const collection = name === undefined ? undefined : this.#definitions.collection(name);
    return collection === undefined ? null : (this.#documents.get(collection.id) ?? null);
  }

  touched(how: 'scans' | 'writes', name: string | undefined): void {
    const collection = name === undefined ? undefined : this.#definitions.collection(name);
    if (collection === undefined) this.hasDeletes ||= how === 'writes';
    else (how === 'writes' ? this.written : this.scanned).add(collection.id);
  }

  refused(code: string, how: Refused): void {
    if (!this.refusals.has(code)) this.refusals.set(code, how);
  }

  list(frame: FlowFrame, names: Names, json: Json | undefined): Flow {
    return stepsIn(json).reduce<Flow>((flow, step) => andThen(flow, (before) => this.#step(frame, before, step)), goesOn(names));
  }

  #step(frame: FlowFrame, names: Names, json: Json): Flow {
    if (!isObject(json)) return REFUSED;
    const step = stepIn(json);
    const kind = kindOf(json);
    if (kind === undefined) return REFUSED;
    const before = withAliases(names, compileAliases(json['let']));
    const flow = kind.flow(step, kind.isLoop === true ? before : taking(before, json['let']), frame);
    const when = json['when'] ?? true;
    return when === true ? flow : either(flow, goesOn(before));
  }

  /** The steps of a whole definition, which `goto` and `skip` may lead through in any order. */
  #program(frame: FlowFrame, names: Names, json: Json | undefined): Flow {
    const steps = stepsIn(json);
    const indexes = indexesOf(steps);
    const entries = new Map<number, Names>([[0, names]]);
    const visits = new Map<number, number>();
    const waiting = new Set([0]);
    let whole: Flow = REFUSED;
    while (waiting.size > 0) {
      const at = Math.min(...waiting);
      waiting.delete(at);
      const [step, before] = [steps[at], entries.get(at)];
      if (before === undefined) continue;
      if (step === undefined) {
        whole = { ...whole, next: joined(whole.next, before) };
        continue;
      }
      const flow = this.#step(frame, before, step);
      whole = either(whole, { ...flow, next: null, jumps: [] });
      for (const [to, after] of waysOn(flow, at, indexes)) {
        if (arrive(entries, visits, Math.min(to, steps.length), after)) waiting.add(Math.min(to, steps.length));
      }
    }
    return whole;
  }

  guard(name: string): boolean {
    const workflow = this.#definitions.workflow(name);
    return workflow !== undefined && this.#guarded(normalise(workflow.definition).definition);
  }

  #guarded({ check, onFail }: Logic): boolean {
    if (check === undefined || check === null) return false;
    const words: Normal<typeof onFailSchema, typeof PART_SYNONYMS.onFail> = objectOf(onFail);
    refuses({ analysis: this, home: {}, depth: 0, routed: false }, words, { code: 'WORKFLOW_FAILED', status: 400 });
    return true;
  }

  call(frame: FlowFrame, name: string, params: Type): Type {
    if (isNever(params) || frame.depth >= MAX_DEPTH) return NEVER;
    const found = this.#callable(frame.home, name);
    if (found === null) return NEVER;
    const known = this.#results.get(found.definition) ?? new Map<string, Type>();
    this.#results.set(found.definition, known);
    const key = `${frame.depth} ${typeKey(params)}`;
    const result = known.get(key) ?? this.#result(frame, found, params);
    known.set(key, result);
    return result;
  }

  #result(frame: FlowFrame, { kind, definition, home }: Callable, params: Type): Type {
    this.#calls += 1;
    if (this.#calls > MAX_CALLS) {
      this.isPartial = true;
      return UNKNOWN;
    }
    const inner: FlowFrame = { ...frame, home, depth: frame.depth + 1, routed: kind === 'endpoint' };
    if (kind === 'workflow') this.#guarded(definition);
    const given = paramsIn(params);
    return this.#logic(inner, definition, [['params', params], ...given], (names) => {
      if (kind === 'endpoint') return responseType(names, definition.response);
      if (isObject(definition.returns)) return returned(names, definition.returns);
      return kind === 'block' ? NULL : boundIn(names);
    });
  }

  /** The result of a definition: what it returns, or the value at its end. */
  #logic(frame: FlowFrame, definition: Logic, bound: readonly (readonly [string, Type])[], atEnd: (names: Names) => Type): Type {
    const bare: Names = { world: this.#world, bound: new Map(), aliases: new Map() };
    const names = withAliases(bind(bare, ...bound), compileAliases(definition.let));
    const { next, ended, answers } = this.#program(frame, names, definition.steps);
    const end = joined(next, ended);
    return union(...answers, ...(end === null ? [] : [atEnd(end)]));
  }

  /** A workflow, then an internal endpoint, then a block: of this definition, or `library.block`. */
  #callable(home: Logic, name: string): Callable | null {
    const workflow = this.#definitions.workflow(name);
    if (workflow !== undefined) return { kind: 'workflow', definition: normalise(workflow.definition).definition, home };
    const endpoint = this.#definitions.endpoint(name);
    if (endpoint?.internal === true && endpoint.enabled)
      return { kind: 'endpoint', definition: normalise(endpoint.definition).definition, home };
    const dot = name.indexOf('.');
    if (dot < 0) return blockIn(home, name);
    const id = name.slice(0, dot);
    const library = this.#definitions.library(id) ?? this.#definitions.workflow(id);
    return library === undefined ? null : blockIn(normalise(library.definition).definition, name.slice(dot + 1));
  }
}

interface Callable {
  readonly kind: 'workflow' | 'endpoint' | 'block';
  readonly definition: Logic;
  readonly home: Logic;
}

function blockIn(home: Logic, name: string): Callable | null {
  const found = isObject(home.blocks) ? member(home.blocks, name) : undefined;
  return isObject(found) ? { kind: 'block', definition: found, home } : null;
}

function stepsIn(json: Json | undefined): readonly Json[] {
  if (json === undefined || json === null) return [];
  return isArray(json) ? json : [json];
}

/** Indexes of steps for `goto`, which finds the first of a name. */
function indexesOf(steps: readonly Json[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [at, step] of steps.entries()) {
    const { name } = stepIn(objectOf(step));
    if (!indexes.has(name)) indexes.set(name, at);
  }
  return indexes;
}

function waysOn(flow: Flow, at: number, indexes: ReadonlyMap<string, number>): readonly (readonly [to: number, names: Names])[] {
  const jumps = flow.jumps.flatMap(({ to, names }) => {
    const index = typeof to === 'number' ? at + 1 + to : indexes.get(to);
    return index === undefined ? [] : [[index, names] as const];
  });
  return flow.next === null ? jumps : [[at + 1, flow.next], ...jumps];
}

/** Whether this path adds new types at the step. */
function arrive(entries: Map<number, Names>, visits: Map<number, number>, index: number, names: Names): boolean {
  const before = entries.get(index);
  if (before === undefined) {
    entries.set(index, names);
    return true;
  }
  const after = joined(before, names) ?? names;
  const changed = changedNames(before, after);
  if (changed.length === 0) return false;
  const count = (visits.get(index) ?? 0) + 1;
  visits.set(index, count);
  entries.set(index, count < MAX_VISITS ? after : forgotten(after, changed));
  return true;
}

/** The params as names. One that the caller leaves out is missing inside. */
function paramsIn(params: Type): readonly (readonly [string, Type])[] {
  const objects = partsOf(params).filter((part) => part.kind === 'object');
  return objects.flatMap(({ members }) => [...members].map(([name, { type }]) => [name, type] as const));
}

function returned(names: Names, returns: JsonObject): Type {
  return objectType(Object.entries(returns).map(([name, value]) => [name, typeOfShallow(names, value)]));
}

/** All names that a workflow bound, except `params`. */
function boundIn(names: Names): Type {
  return objectType([...names.bound].filter(([name]) => name !== 'params'));
}
