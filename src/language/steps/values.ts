import type { switchCase } from '../../contract/resources/condition.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError, UnresolvedError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import { type Check, type Eval, MEMBER_COST, type Scope } from '../expressions/scope.ts';
import { compileDeep, compileShallow, setMember } from '../expressions/template.ts';
import type { Value } from '../expressions/value.ts';
import { binding, type CompileStep, firstString, type StepDefinition } from '../step.ts';
import type { ComputedValue } from './transform.ts';

/** Steps that make a value from others: object, array, merge, compute, switch. */

export const objectStep: CompileStep<'object'> = (step, { language }) => {
  const fields = compileDeep(language, step.json.fields);
  return binding(step, ({ scope }) => {
    const object = fields(scope);
    if (!isObject(object)) throw new LanguageError('fields must be an object.');
    return object;
  });
};

export const arrayStep: CompileStep<'array'> = (step, { language }) => {
  const items = compileDeep(language, step.json.items);
  return binding(step, ({ scope }) => {
    const list = items(scope);
    if (!isArray(list)) throw new LanguageError('items must be a list.');
    return list;
  });
};

export const mergeStep: CompileStep<'merge'> = (step, { language }) => {
  const sources = compileDeep(language, step.json.sources);
  return binding(step, ({ scope }) => {
    const list = sources(scope);
    if (!isArray(list)) throw new LanguageError('sources must be a list.');
    const merged: Record<string, Json> = {};
    for (const item of list) {
      if (!isObject(item)) throw new LanguageError('every source must be an object.');
      const entries = Object.entries(item);
      scope.context.spend(MEMBER_COST * entries.length);
      for (const [name, value] of entries) setMember(merged, name, value);
    }
    return merged;
  });
};

export const switchStep: CompileStep<'switch'> = (step, { language }) => {
  const { cases } = step.json;
  if (!isArray(cases)) throw new LanguageError('cases must be a list.');
  const compiled = cases.map((item) => compileCase(language, item));
  const fallback = compileDeep(language, step.json.default ?? null);
  return binding(step, ({ scope }) => {
    const matched = compiled.find(({ when }) => {
      scope.context.spend(1);
      return when(scope);
    });
    return (matched?.result ?? fallback)(scope);
  });
};

function compileCase(language: Language, json: Json): { readonly when: Check; readonly result: Eval } {
  if (!isObject(json)) throw new LanguageError('every case must be an object.');
  const { when, then }: Normal<typeof switchCase, typeof PART_SYNONYMS.case> = json;
  return { when: language.condition(when), result: compileDeep(language, then) };
}

type Entry = readonly [name: string, evaluate: Eval];

export const computeStep: CompileStep<'compute'> = (step, { language }) => {
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
  const { expression, value }: ComputedValue = json;
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
