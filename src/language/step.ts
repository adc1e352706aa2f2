import type { StepType } from '../contract/resources/step.ts';
import type { CollectionModel, EndpointModel, LibraryModel, WorkflowModel } from '../domain/model.ts';
import { Refusal, type RefusalExtra, refusal } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { BudgetName, Budgets } from './budgets.ts';
import type { Documents } from './documents.ts';
import { LanguageError } from './expressions/errors.ts';
import type { Language } from './expressions/language.ts';
import type { Path } from './expressions/path.ts';
import type { Check, Scope } from './expressions/scope.ts';
import { toNumber, type Value } from './expressions/value.ts';
import { writtenAs } from './normal/form.ts';
import type { Logic, NormalStep } from './normal/logic.ts';

/** Steps, as the rest of the language sees them. */

/** Where a list of steps runs: its names, the call's documents, its depth in workflows. */
export interface Frame {
  readonly scope: Scope;
  readonly documents: Documents;
  readonly depth: number;
  /** Called for every top-level step of a test run; `null` in calls, and in what an endpoint calls. */
  readonly trace: Trace | null;
  /** False inside a workflow, where the routes `return`, `goto` and `skip` are ignored. */
  readonly routed: boolean;
  /** Budgets of the running definition and its callers; `null`: none declares any. */
  readonly budgets: Budgets | null;
}

/** Called after a step. `value` is bound under its name. `passed: false`: the step failed, which ends the run. */
export type Trace = (step: StepDefinition, value: Value, passed: boolean) => void;

/** Where a step sends the run, if not to the next step. */
export type Signal =
  | { readonly kind: 'return' }
  | { readonly kind: 'answer'; readonly value: Value }
  | { readonly kind: 'goto'; readonly target: string }
  | { readonly kind: 'skip'; readonly count: number };

export type Body = (frame: Frame) => Signal | undefined;

/** A step in normal form. `name` is what its result is bound to: `as`, else `id`. */
export interface StepDefinition<W = JsonObject> {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly json: W;
}

/** Reads a step. An id, name or type that is not a text counts as empty. */
export function stepIn(json: JsonObject): StepDefinition {
  const id = firstString(json, 'id') ?? '';
  return { id, name: firstString(json, 'as') ?? id, type: firstString(json, 'type') ?? '', json };
}

/** A step of this type. */
export type StepDefinitionOf<T extends StepType> = StepDefinition<NormalStep<T>>;

export interface Step {
  readonly definition: StepDefinition;
  /** Compiles the step when it is first reached. A call pays only for what it reaches; a large endpoint is prepared piece by piece. */
  compiled(): CompiledStep;
}

export interface CompiledStep {
  readonly aliases: ReadonlyMap<string, Path> | null;
  readonly when: Check | null;
  /** The budget of which it uses one. */
  readonly budget: BudgetName | null;
  readonly body: Body;
}

/** Definitions that an endpoint may refer to. `EffectiveDefinitions` fits, except for its game values. */
export interface Definitions {
  workflow(id: string): WorkflowModel | undefined;
  endpoint(slug: string): EndpointModel | undefined;
  /** Left out: there are no libraries. */
  library?(id: string): LibraryModel | undefined;
  /** By id or name in any letter case. Left out: every name stands for itself. */
  collection?(idOrName: string): Pick<CollectionModel, 'id' | 'type'> | undefined;
  /** What templates see as `values`. */
  readonly values: JsonObject;
}

/** What compilers of steps may ask the endpoint's compiler. */
export interface Compilation {
  readonly language: Language;
  readonly definitions: Definitions;
  /** Compiles a nested list of steps. `whole`: its definition, if that differs from the one around it. */
  list(json: Json | undefined, whole?: Logic): readonly Step[];
  /** Whether anything in the definition reads a name, such as a step's result. */
  reads(name: string): boolean;
  /** A workflow, an internal endpoint or a library's block, compiled when it is first called. */
  callable(name: string): Callable | undefined;
}

/** Logic that `workflow`, `call` and `run` can call. */
export interface Callable {
  /** Runs it with `params` bound, and gives its result. `caller`: the step that a failed check is reported for. */
  invoke(frame: Frame, params: JsonObject, caller: StepDefinition): Value;
  /** The `check` of a workflow alone, in the given scope; `null` without one. */
  readonly guard: ((scope: Scope, caller: StepDefinition) => void) | null;
}

export type CompileStep<T extends StepType = StepType> = (step: StepDefinitionOf<T>, compilation: Compilation) => Body;

/** Binds a step's result, and goes on. */
export function binding(step: StepDefinition, evaluate: (frame: Frame) => Value): Body {
  return (frame) => {
    frame.scope.names.set(step.name, evaluate(frame));
    return undefined;
  };
}

/** Members of a step that its failures show, as written. */
const SHOWN = ['collection', 'expression', 'key', 'table', 'errorCode'];

function shown({ id, type, json }: StepDefinition): JsonObject {
  const written = writtenAs(json);
  const present = SHOWN.flatMap((name) => (typeof written[name] === 'string' ? [[name, written[name]] as const] : []));
  return { id, type, ...Object.fromEntries(present) };
}

function extra(step: StepDefinition): RefusalExtra {
  return { error: { step: shown(step) } };
}

/** The failure of a step: assert, onMissing, a workflow's onFail, a write. */
export function stepFailure(step: StepDefinition, status: number, code: string, message: string): Refusal {
  return new Refusal(status, code, message, extra(step));
}

/** The code of a step's failures, by its type. */
export function errorCode(step: StepDefinition): string {
  return `ENDPOINT_ERROR.${step.type.toUpperCase()}`;
}

export function notSupported(step: StepDefinition, what: string): Refusal {
  return refusal('ENDPOINT_NOT_SUPPORTED', `Step "${step.id}": ${what} is not supported`, extra(step));
}

/** Turns an error of the language into the step's failure. Refusals and other errors pass unchanged. */
export function asStepFailure(step: StepDefinition, error: unknown): unknown {
  if (!(error instanceof LanguageError)) return error;
  return stepFailure(step, 400, errorCode(step), `${step.type} step "${step.id}" failed: ${error.message}`);
}

/** Statuses that cannot have a body. The transport would send 200 instead. */
const BODILESS: readonly number[] = [204, 205, 304];

/**
 * An author's HTTP status: 200 to 599, else `fallback`. A refusal with 200 lets a game read the reason. A status without a body becomes 200
 * here, so a test shows what a caller gets.
 */
export function statusOf(value: Json | undefined, fallback: number): number {
  const status = toNumber(value);
  if (BODILESS.includes(status)) return 200;
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : fallback;
}

/** The first of these members that is a non-empty text. */
export function firstString<W extends JsonObject>(json: W, ...names: readonly (keyof W & string)[]): string | undefined {
  for (const name of names) {
    const value = json[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
