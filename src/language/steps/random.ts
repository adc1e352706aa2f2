import { STEPS } from '../../contract/resources/step.ts';
import type { Findings } from '../../domain/finding.ts';
import type { Json } from '../../kernel/json.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Check, Eval, Scope } from '../expressions/scope.ts';
import { compileDeep, compileShallow } from '../expressions/template.ts';
import { isNullish, toList, toNumber } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type Compilation, type CompileStep, firstString, type StepDefinitionOf } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import type { Names } from '../types/names.ts';
import { typeOfDeep, typeOfToken } from '../types/templates.ts';
import { mayBe, NULL, NUMBER, nullForMissing, type Type, UNKNOWN, union } from '../types/type.ts';
import { itemsOf, walkType } from '../types/walk.ts';
import { conditionFindings } from '../validate/condition.ts';
import { drawIndex, weightsOf } from './shared/weights.ts';

/** `random`: numbers and choices from the call's own random source. */

const MAX_ALPHA = 1000;

type Random = NormalStep<'random'>;

type Draw = (scope: Scope) => Json;

type NumberOf = (scope: Scope) => number;

const compile: CompileStep<'random'> = (step, compilation) => {
  const mode = step.json.mode ?? 'int';
  const draw = typeof mode === 'string' ? MODES.get(mode) : undefined;
  if (draw === undefined) throw new LanguageError('unknown mode.');
  return binding(step, drawing(draw(step, compilation)));
};

function drawing(draw: Draw): (frame: { readonly scope: Scope }) => Json {
  return ({ scope }) => draw(scope);
}

const MODES: ReadonlyMap<string, (step: StepDefinitionOf<'random'>, compilation: Compilation) => Draw> = new Map([
  ['int', integer],
  ['float', float],
  ['weighted', weighted],
  ['beta', beta],
]);

/** A number, or a template of one. */
function parameter(language: Language, json: Random, name: keyof Random & string, fallback: number): NumberOf {
  const value: Eval = compileShallow(language, json[name]);
  return (scope) => {
    const resolved = value(scope);
    const number = isNullish(resolved) ? fallback : toNumber(scope.context.plain(resolved));
    if (Number.isFinite(number)) return number;
    throw new LanguageError(`${name} is not a number.`);
  };
}

/** A whole number in [min, max): `max` itself is never drawn. */
function integer({ json }: StepDefinitionOf<'random'>, { language }: Compilation): Draw {
  const min = parameter(language, json, 'min', 0);
  const max = parameter(language, json, 'max', 100);
  return (scope) => {
    const low = Math.floor(min(scope));
    const high = Math.floor(max(scope));
    if (low >= high) return low;
    return Math.min(low + Math.floor(scope.context.call.random() * (high - low)), high - 1);
  };
}

function float({ json }: StepDefinitionOf<'random'>, { language }: Compilation): Draw {
  const min = parameter(language, json, 'min', 0);
  const max = parameter(language, json, 'max', 1);
  const round = rounding(language, json);
  return (scope) => {
    const low = min(scope);
    return round(scope, low + scope.context.call.random() * (max(scope) - low));
  };
}

function rounding(language: Language, json: Random): (scope: Scope, value: number) => number {
  const precision = parameter(language, json, 'precision', 2);
  return (scope, value) => {
    const digits = Math.max(0, Math.min(15, Math.floor(precision(scope))));
    const factor = 10 ** digits;
    const rounded = Math.round(value * factor) / factor;
    return Number.isFinite(rounded) ? rounded : value;
  };
}

/** One item, with a probability by its weight. */
function weighted({ json }: StepDefinitionOf<'random'>, { language }: Compilation): Draw {
  const items = compileItems(json, language);
  const { where } = json;
  const test: Check | null = where === undefined ? null : language.condition(where);
  const weightField = firstString(json, 'weightField') ?? 'weight';
  return (scope) => {
    const all = items(scope);
    if (all.length === 0) throw new LanguageError('there are no items.');
    scope.context.spend(all.length);
    const open = test === null ? all : all.filter((item) => scope.with('item', item, () => test(scope)));
    return (
      open[
        drawIndex(
          scope,
          open.map((item) => weightsOf(scope, item, weightField)),
        )
      ] ?? null
    );
  };
}

function compileItems(json: Random, language: Language): (scope: Scope) => readonly Json[] {
  if (json.source === 'values') {
    const name = firstString(json, 'table', 'collection') ?? '';
    return ({ context }) => context.table(name);
  }
  const items = compileDeep(language, json.items);
  return (scope) => {
    const list = items(scope);
    return typeof list === 'string' ? toList(language.token(list)(scope), 'from') : toList(list, 'items');
  };
}

/** Between min and max, skewed: towards max if only beta is given, else towards the middle. */
function beta({ json }: StepDefinitionOf<'random'>, { language }: Compilation): Draw {
  const alphaOf = parameter(language, json, 'alpha', 1);
  const betaOf = parameter(language, json, 'beta', 1);
  const min = parameter(language, json, 'min', 0);
  const max = parameter(language, json, 'max', 1);
  const round = rounding(language, json);
  return (scope) => {
    const [a, b, low, high] = [alphaOf(scope), betaOf(scope), min(scope), max(scope)];
    if (!(a > 0 && b > 0 && a <= MAX_ALPHA && b <= MAX_ALPHA))
      throw new LanguageError(`alpha and beta must be above 0 and at most ${MAX_ALPHA}.`);
    const { random } = scope.context.call;
    if (a === 1) return round(scope, high - (high - low) * random() ** (1 / b));
    const count = Math.max(1, a === b ? Math.round(a) : Math.ceil((a + b) / 2));
    scope.context.spend(count);
    let sum = 0;
    for (let turn = 0; turn < count; turn += 1) sum += random();
    return round(scope, low + (high - low) * (sum / count));
  };
}

function check(step: Random, pointer: string, findings: Findings): void {
  findings.structure(STEPS.random, step, pointer, 'mode');
  if (step.where !== undefined) conditionFindings(step.where, `${pointer}/where`, findings);
  if (step.mode === 'weighted') findings.missing(step, ['items', 'source'], pointer, 'MISSING_RANDOM_ITEMS');
}

const flow: StepFlow<NormalStep<'random'>> = (step, names) => {
  if ((step.json.mode ?? 'int') !== 'weighted') return binds(step, names, NUMBER);
  const item = nullForMissing(itemsOf(drawnFrom(names, step.json)));
  return binds(step, names, step.json.where === undefined ? item : union(item, NULL));
};

function drawnFrom(names: Names, json: Random): Type {
  if (json.source === 'values') return walkType(names.world.values, [firstString(json, 'table', 'collection') ?? '']);
  const items = typeOfDeep(names, json.items);
  if (items.kind === 'literal' && typeof items.value === 'string') return typeOfToken(names, items.value);
  return mayBe(items, 'string') ? UNKNOWN : items;
}

export const randomStep: StepKind<'random'> = {
  compile,
  check,
  binds: ({ mode }) => (mode === 'weighted' ? 'open' : 'plain'),
  paths: ['items'],
  items: { of: ({ source, items }) => (source === undefined ? items : undefined), seenBy: ['where'], paths: ['weightField'] },
  flow,
};
