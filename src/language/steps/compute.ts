import { STEPS } from '../../contract/resources/step.ts';
import type { Findings } from '../../domain/finding.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError, UnresolvedError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import { isWord, namesReadIn } from '../expressions/mentions.ts';
import type { Eval, Scope } from '../expressions/scope.ts';
import { compileShallow, setMember } from '../expressions/template.ts';
import type { Value } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString, type StepDefinition } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import { goesOn, REFUSED, type StepFlow } from '../types/flow.ts';
import { typeOfLiteral } from '../types/json-type.ts';
import { bind, type Names } from '../types/names.ts';
import { objectType, typeOfExpression, typeOfShallow, typeOfTemplate } from '../types/templates.ts';
import { isNever, MISSING, type Type, union } from '../types/type.ts';
import { expressionFindings } from '../validate/expression.ts';
import { keysOf } from '../validate/shape.ts';

/** `compute`: several values, each of which may use the ones before. */

type Entry = readonly [name: string, evaluate: Eval];

const compile: CompileStep<'compute'> = (step, { language }) => {
  const { values } = step.json;
  if (!isObject(values)) throw new LanguageError('values must be an object.');
  const asTemplates = firstString(step.json, 'mode') === 'template';
  const entries = Object.entries(values).map(([name, json]): Entry => [name, compileEntry(language, json, asTemplates)]);
  const apart = firstString(step.json, 'output') === 'scalars';
  if (!apart) return binding(step, ({ scope }) => computeAll(scope, step, entries));
  // The entries see each other under the step's name only while they are computed.
  return ({ scope }) => {
    const result = scope.with(step.name, scope.name(step.name), () => computeAll(scope, step, entries));
    for (const [name, value] of Object.entries(result)) scope.names.set(name, value);
    return undefined;
  };
};

function compileEntry(language: Language, json: Json, asTemplate: boolean): Eval {
  if (typeof json === 'string') return asTemplate ? language.template(json) : language.expression(json);
  if (!isObject(json)) return () => json;
  const { expression, value }: NormalStep<'transform'> = json;
  if (typeof expression === 'string') return language.expression(expression);
  return value === undefined ? () => json : compileShallow(language, value);
}

/** Computes entries. Each sees the earlier ones as `{{step.name}}`. One that needs a later entry is tried again in another round. */
function computeAll(scope: Scope, step: StepDefinition, entries: readonly Entry[]): JsonObject {
  let open = entries;
  let result: Record<string, Json> = {};
  while (open.length > 0) {
    const waiting: Entry[] = [];
    for (const entry of open) {
      scope.context.spend(1 + open.length);
      const value = attempt(scope, entry);
      if (value === WAITING) {
        waiting.push(entry);
        continue;
      }
      result = extended(result, entry[0], value);
      scope.names.set(step.name, result);
    }
    if (waiting.length === open.length) throw unresolvable(waiting, step);
    open = waiting;
  }
  return inOrder(result, entries);
}

/** The error of entries that cannot be resolved. Authors write `{{rate}}` for an entry of the same step, which must be `{{step.rate}}`. */
function unresolvable(waiting: readonly Entry[], step: StepDefinition): LanguageError {
  const of = `entries of this step are read as {{${step.name}.NAME}}`;
  return new LanguageError(`Cannot resolve "${waiting[0]?.[0] ?? ''}": circular or missing dependency (${of})`);
}

const WAITING = Symbol('waiting');

function attempt(scope: Scope, [, evaluate]: Entry): Value | typeof WAITING {
  try {
    return evaluate(scope);
  } catch (error) {
    if (error instanceof UnresolvedError) return WAITING;
    throw error;
  }
}

/** A new object each time: an earlier entry may hold the result as it was, which must not change. */
function extended(result: JsonObject, name: string, value: Value): Record<string, Json> {
  const next: Record<string, Json> = { ...result };
  setMember(next, name, value);
  return next;
}

function inOrder(result: JsonObject, entries: readonly Entry[]): JsonObject {
  const ordered: Record<string, Json> = {};
  for (const [name] of entries) setMember(ordered, name, member(result, name));
  return ordered;
}

function check(step: NormalStep<'compute'>, pointer: string, findings: Findings): void {
  findings.missing(step, ['values'], pointer, 'MISSING_COMPUTE_VALUES');
  findings.structure(STEPS.compute, step, pointer, 'output');
  if (step.mode === 'template') return;
  for (const [entry, value] of Object.entries(objectOf(step.values))) expressionFindings(value, `${pointer}/values/${entry}`, findings);
}

function isApart({ output }: NormalStep<'compute'>): boolean {
  return output === 'scalars';
}

const flow: StepFlow<NormalStep<'compute'>> = (step, names) => {
  const { values } = step.json;
  if (!isObject(values)) return REFUSED;
  const asTemplates = firstString(step.json, 'mode') === 'template';
  const done: { readonly name: string; readonly type: Type; readonly waits: boolean }[] = [];
  let current = names;
  for (const [name, json] of Object.entries(values)) {
    done.push({ name, type: entryType(current, json, asTemplates), waits: readsStep(json, step.name) });
    // An entry that needs a later one is computed after the others, which may not see it.
    const seen = objectType(done.map(({ name: each, type, waits }) => [each, waits ? union(type, MISSING) : type]));
    if (isNever(seen)) return REFUSED;
    current = bind(current, [step.name, seen]);
  }
  const result = done.map(({ name, type }) => [name, type] as const);
  return firstString(step.json, 'output') === 'scalars' ? goesOn(bind(names, ...result)) : binds(step, names, objectType(result));
};

function entryType(names: Names, json: Json, asTemplate: boolean): Type {
  if (typeof json === 'string') return asTemplate ? typeOfTemplate(names, json) : typeOfExpression(names, json);
  if (!isObject(json)) return typeOfLiteral(json);
  const { expression, value } = json;
  if (typeof expression === 'string') return typeOfExpression(names, expression);
  return value === undefined ? typeOfLiteral(json) : typeOfShallow(names, value);
}

export const computeStep: StepKind<'compute'> = {
  compile,
  check,
  binds: (step) => (isApart(step) ? 'open' : keysOf(step.values)),
  bindsAlso: (step) => (isApart(step) ? Object.keys(objectOf(step.values)) : []),
  calculated: ({ mode }) => (mode === 'template' ? [] : ['values']),
  flow,
};

const NO_PATHS: ReadonlySet<string> = new Set();

function readsStep(entry: Json, name: string): boolean {
  return name !== '' && (!isWord(name) || namesReadIn(entry, NO_PATHS).has(name));
}
