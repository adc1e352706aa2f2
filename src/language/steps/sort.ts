import { STEPS } from '../../contract/resources/step.ts';
import type { Findings } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import { parseSegments, walk } from '../expressions/path.ts';
import type { Scope } from '../expressions/scope.ts';
import { compileShallow } from '../expressions/template.ts';
import { isNullish, toNumber, toText, type Value } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds, only } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { typeOfShallow } from '../types/templates.ts';
import { expressionFindings } from '../validate/expression.ts';

/** `sort`: stable. Missing keys come last, and first in descending order. */
const compile: CompileStep<'sort'> = (step, { language }) => {
  const { json } = step;
  const list = compileShallow(language, json.source);
  const keyOf = compileKeyOf(language, json);
  const sign = (firstString(json, 'direction') ?? 'asc') === 'desc' ? -1 : 1;
  return binding(step, ({ scope }) => {
    const items = list(scope);
    if (!isArray(items)) throw new LanguageError('source must resolve to a list, as "{{rows}}" does.');
    scope.context.spend(items.length * 8);
    const keyed = items.map((item, index) => ({ item, key: scope.context.plain(keyOf(scope, item, index)) }));
    return keyed.sort((a, b) => sign * compareKeys(scope, a.key, b.key)).map(({ item }) => item);
  });
};

type KeyOf = (scope: Scope, item: Json, index: number) => Value;

function compileKeyOf(language: Language, json: NormalStep<'sort'>): KeyOf {
  const expression = firstString(json, 'expression');
  if (expression !== undefined) return withItem(language.math(expression));
  const by = firstString(json, 'by');
  if (by === undefined) return (_scope, item) => item;
  if (by.includes('{{')) return withItem(language.template(by));
  // A member of this name comes first: rows of a table may have one.
  if (by === 'item') return (_scope, item) => (isObject(item) ? member(item, 'item') : item);
  const segments = parseSegments(by.startsWith('item.') ? by.slice('item.'.length) : by);
  return (_scope, item) => walk(item, segments);
}

function withItem(evaluate: (scope: Scope) => Value): KeyOf {
  return (scope, item, index) => scope.with('item', item, () => scope.with('index', index, () => evaluate(scope)));
}

function compareKeys(scope: Scope, a: Value, b: Value): number {
  scope.context.compared(a, b);
  if (isNullish(a) || isNullish(b)) return Number(isNullish(a)) - Number(isNullish(b));
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  const [left, right] = [toNumber(a), toNumber(b)];
  if (Number.isFinite(left) && Number.isFinite(right)) return left - right;
  return compareTexts(toText(a), toText(b));
}

/** By code unit, so that the order is the same on every machine. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function check(step: NormalStep<'sort'>, pointer: string, findings: Findings): void {
  findings.missing(step, ['source'], pointer, 'MISSING_SORT_SOURCE');
  findings.structure(STEPS.sort, step, pointer, 'direction');
  expressionFindings(step.expression, `${pointer}/expression`, findings, 'math');
}

const flow: StepFlow<NormalStep<'sort'>> = (step, names) => binds(step, names, only(typeOfShallow(names, step.json.source), 'list'));

export const sortStep: StepKind<'sort'> = {
  compile,
  check,
  binds: () => 'open',
  items: { of: ({ source }) => source, seenBy: ['by', 'expression'], paths: ['by'] },
  flow,
};
