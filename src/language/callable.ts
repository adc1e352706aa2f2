import type { onFail } from '../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../contract/resources/synonyms.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { type BudgetLimits, Budgets, compileBudgets } from './budgets.ts';
import { compileAliases } from './expressions/aliases.ts';
import { LanguageError } from './expressions/errors.ts';
import { ENTRY_COST, Scope } from './expressions/scope.ts';
import { compileShallow, setMember } from './expressions/template.ts';
import type { Value } from './expressions/value.ts';
import type { Logic } from './normal/logic.ts';
import { compileResponse } from './response.ts';
import { type Program, programOf, runProgram } from './run-steps.ts';
import { type Callable, type Compilation, type Frame, firstString, type StepDefinition, statusOf, stepFailure } from './step.ts';
import { compileMessage } from './steps/shared/message.ts';
import { bindNames } from './steps/shared/params.ts';

/** Workflows, internal endpoints and library blocks, as other logic calls them. */

const MAX_DEPTH = 5;

type Aliases = ReturnType<typeof compileAliases>;

/**
 * Compiles a workflow. Its scope holds the built-ins and its params, and nothing of its caller. Its check runs first, then its steps. The
 * result is `returns`, or without `returns` every name that the workflow bound.
 */
export function compileWorkflow(compilation: Compilation, definition: Logic): Callable {
  const aliases = compileAliases(definition.let);
  const guard = compileGuard(compilation, definition, aliases);
  const budgets = compileBudgets(definition.budgets);
  const program = compiledLazily(() => programOf(compilation.list(definition.steps, definition)));
  const result = compileReturns(compilation, definition.returns);
  return {
    guard,
    invoke: (frame, params, caller) => {
      const inner = innerFrame(frame, params, { aliases, routed: false, budgets });
      guard?.(inner.scope, caller);
      const end = runProgram(inner, program());
      return end?.kind === 'answer' ? end.value : result(inner.scope, params);
    },
  };
}

/** Compiles an internal endpoint. Its result is its response body; its routes work as in any endpoint. */
export function compileInternalEndpoint(compilation: Compilation, definition: Logic): Callable {
  const aliases = compileAliases(definition.let);
  const budgets = compileBudgets(definition.budgets);
  const program = compiledLazily(() => programOf(compilation.list(definition.steps, definition)));
  const response = compileResponse(compilation.language, definition.response);
  return {
    guard: null,
    invoke: (frame, params) => {
      const inner = innerFrame(frame, params, { aliases, routed: true, budgets });
      const end = runProgram(inner, program());
      return end?.kind === 'answer' ? end.value : response.body(inner.scope);
    },
  };
}

/** Compiles a block of a library. Its result is the value that it returns, else its `returns`. */
export function compileBlock(compilation: Compilation, definition: Logic): Callable {
  const aliases = compileAliases(definition.let);
  const { returns } = definition;
  const result = isObject(returns) ? compileReturns(compilation, returns) : () => null;
  const program = compiledLazily(() => programOf(compilation.list(definition.steps, definition)));
  return {
    guard: null,
    invoke: (frame, params) => {
      const inner = innerFrame(frame, params, { aliases, routed: false, budgets: null });
      const end = runProgram(inner, program());
      return end?.kind === 'answer' ? end.value : result(inner.scope, params);
    },
  };
}

/** Compiles at the first call, so that workflows may call each other and themselves. */
function compiledLazily(make: () => Program): () => Program {
  let made: Program | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** Its own budgets, on top of those of its callers. */
function innerBudgets(outer: Budgets | null, limits: BudgetLimits | null, depth: number): Budgets | null {
  outer?.entered(depth);
  return limits === null ? outer : new Budgets(limits, outer, depth);
}

interface CallableParts {
  readonly aliases: Aliases;
  readonly routed: boolean;
  readonly budgets: BudgetLimits | null;
}

function innerFrame(frame: Frame, params: JsonObject, { aliases, routed, budgets: limits }: CallableParts): Frame {
  if (frame.depth >= MAX_DEPTH) throw new LanguageError(`Workflow nesting depth exceeded (max ${MAX_DEPTH}).`);
  frame.scope.context.spend(ENTRY_COST * Object.keys(params).length);
  const scope = new Scope(frame.scope.context, bindNames(params), aliases);
  const budgets = innerBudgets(frame.budgets, limits, frame.depth + 1);
  return { scope, documents: frame.documents, depth: frame.depth + 1, trace: null, routed, budgets };
}

/** The `check` with its `onFail`. */
function compileGuard(compilation: Compilation, definition: Logic, aliases: Aliases): Callable['guard'] {
  const { check: json } = definition;
  if (json === undefined || json === null) return null;
  const check = compilation.language.condition(json);
  const words: Normal<typeof onFail, typeof PART_SYNONYMS.onFail> = objectOf(definition.onFail);
  const status = statusOf(words.status, 400);
  const code = firstString(words, 'errorCode') ?? 'WORKFLOW_FAILED';
  const message = compileMessage(compilation.language, firstString(words, 'message') ?? 'Workflow condition failed.');
  return (scope: Scope, caller: StepDefinition) => {
    if (aliases !== null) scope.addAliases(aliases);
    if (!check(scope)) throw stepFailure(caller, status, code, message(scope));
  };
}

function compileReturns(compilation: Compilation, json: Json | undefined): (scope: Scope, params: JsonObject) => Value {
  if (!isObject(json)) return boundNames;
  const members = Object.entries(json).map(([name, value]) => [name, compileShallow(compilation.language, value)] as const);
  return (scope) => {
    scope.context.spend(members.length);
    const result: Record<string, Json> = {};
    for (const [name, evaluate] of members) setMember(result, name, evaluate(scope));
    return result;
  };
}

function boundNames(scope: Scope, params: JsonObject): JsonObject {
  scope.context.spend(scope.names.size);
  const result: Record<string, Json> = {};
  for (const [name, value] of scope.names) {
    if (name !== 'params' || value !== params) setMember(result, name, value);
  }
  return result;
}
