import { refusal } from '../../kernel/errors.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Check } from '../expressions/scope.ts';
import { compileTakes } from '../expressions/take.ts';
import { compileDeep } from '../expressions/template.ts';
import { toList, toNumber } from '../expressions/value.ts';
import { runList } from '../run-steps.ts';
import {
  type Body,
  type Compilation,
  type CompileStep,
  type Frame,
  firstString,
  type Signal,
  type StepDefinition,
  type StepDefinitionOf,
} from '../step.ts';

/** `block`, loops and `return`. */

const MAX_ITERATIONS = 1000;
export const LOOPS: ReadonlySet<string> = new Set(['while', 'until', 'foreach']);

export const blockStep: CompileStep<'block'> = (step, compilation) => {
  const steps = compilation.list(step.json.steps);
  return (frame) => runList(frame, steps);
};

export const whileStep: CompileStep<'while'> = (step, compilation) => loop(step, compilation, true);
export const untilStep: CompileStep<'until'> = (step, compilation) => loop(step, compilation, false);

/** Runs the body as long as the condition is `wanted`. The condition is checked before every turn. */
function loop(step: StepDefinitionOf<'while' | 'until'>, compilation: Compilation, wanted: boolean): Body {
  const condition: Check = compilation.language.condition(step.json.check);
  const steps = compilation.list(step.json.steps);
  const take = compileTakes(compilation.language, step.json.let);
  const most = iterationsOf(step);
  return (frame) => {
    for (let turn = 0; condition(frame.scope) === wanted; turn += 1) {
      countTurn(frame, step, turn, most);
      take?.(frame.scope);
      const signal = runList(frame, steps);
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
}

export const foreachStep: CompileStep<'foreach'> = (step, compilation) => {
  const from = firstString(step.json, 'from');
  if (from === undefined) throw new LanguageError('it has no from.');
  const list = from.includes('{{') ? compilation.language.template(from) : compilation.language.token(from);
  const item = firstString(step.json, 'item') ?? 'item';
  const steps = compilation.list(step.json.steps);
  const take = compileTakes(compilation.language, step.json.let);
  const most = iterationsOf(step);
  return (frame) => {
    const items = toList(list(frame.scope), 'from');
    for (const [turn, value] of items.entries()) {
      countTurn(frame, step, turn, most);
      const signal: Signal | undefined = frame.scope.with(item, value, () => {
        take?.(frame.scope);
        return runList(frame, steps);
      });
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
};

function iterationsOf({ json }: StepDefinitionOf<'while' | 'until' | 'foreach'>): number {
  const most = Math.floor(toNumber(json.maxIterations));
  return most >= 1 ? Math.min(most, MAX_ITERATIONS) : MAX_ITERATIONS;
}

/** A loop with too many turns fails, because half of its work must not be taken for all of it. */
function countTurn(frame: Frame, step: StepDefinition, turn: number, most: number): void {
  if (turn >= most) throw refusal('LIMIT_EXCEEDED', `Step "${step.id}" needs more than ${most} iterations`);
  frame.scope.context.countStep();
  frame.budgets?.spend('maxIterations', 1);
}

/** Ends the endpoint or workflow. Its value is the answer or result. Without a value it ends as after the last step. */
export const returnStep: CompileStep<'return'> = (step, { language }) => {
  if (!Object.hasOwn(step.json, 'value')) return () => ({ kind: 'return' });
  const value = compileDeep(language, step.json.value);
  return ({ scope }) => ({ kind: 'answer', value: value(scope) });
};

/** `return` if its `check` holds, else the next step. */
export const returnOnStep: CompileStep<'return_on'> = (step, compilation) => {
  const check = compilation.language.condition(step.json.check);
  const leave = returnStep(step, compilation);
  return (frame) => (check(frame.scope) ? leave(frame) : undefined);
};
