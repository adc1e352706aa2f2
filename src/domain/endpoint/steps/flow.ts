import { refusal } from '../../../kernel/errors.ts';
import { LanguageError } from '../errors.ts';
import { runList } from '../run-steps.ts';
import type { Check } from '../scope.ts';
import {
  type Body,
  type Compilation,
  type CompileStep,
  type Frame,
  firstString,
  type Signal,
  type SourceOf,
  type Step,
  type StepSource,
} from '../step.ts';
import { compileTakes } from '../take.ts';
import { compileDeep } from '../template.ts';
import { toList, toNumber } from '../value.ts';

/** `block`, loops and `return`. */

const MAX_ITERATIONS = 1000;
export const LOOPS: ReadonlySet<string> = new Set(['while', 'until', 'foreach']);

export const blockStep: CompileStep<'block'> = (source, compilation) => {
  const steps = bodyOf(source, compilation);
  return (frame) => runList(frame, steps);
};

export const whileStep: CompileStep<'while'> = (source, compilation) => loop(source, compilation, true);
export const untilStep: CompileStep<'until'> = (source, compilation) => loop(source, compilation, false);

/** Runs the body while the condition gives `wanted`. It is checked before every turn. */
function loop(source: SourceOf<'while' | 'until'>, compilation: Compilation, wanted: boolean): Body {
  const condition: Check = compilation.language.condition(source.json.condition ?? source.json.check);
  const steps = bodyOf(source, compilation);
  const take = compileTakes(compilation.language, source.json.let);
  const most = iterationsOf(source);
  return (frame) => {
    for (let turn = 0; condition(frame.scope) === wanted; turn += 1) {
      countTurn(frame, source, turn, most);
      take?.(frame.scope);
      const signal = runList(frame, steps);
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
}

export const foreachStep: CompileStep<'foreach'> = (source, compilation) => {
  const from = firstString(source.json, 'from', 'source');
  if (from === undefined) throw new LanguageError('it has no from.');
  const list = from.includes('{{') ? compilation.language.template(from) : compilation.language.token(from);
  const item = firstString(source.json, 'item') ?? 'item';
  const steps = bodyOf(source, compilation);
  const take = compileTakes(compilation.language, source.json.let);
  const most = iterationsOf(source);
  return (frame) => {
    const items = toList(list(frame.scope), 'from');
    for (const [turn, value] of items.entries()) {
      countTurn(frame, source, turn, most);
      const signal: Signal | undefined = frame.scope.with(item, value, () => {
        take?.(frame.scope);
        return runList(frame, steps);
      });
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
};

/** The steps inside; editors write `body`. */
function bodyOf(source: SourceOf<'block' | 'while' | 'until' | 'foreach'>, compilation: Compilation): readonly Step[] {
  return compilation.list(source.json.steps ?? source.json.body);
}

function iterationsOf({ json }: SourceOf<'while' | 'until' | 'foreach'>): number {
  const most = Math.floor(toNumber(json.maxIterations));
  return most >= 1 ? Math.min(most, MAX_ITERATIONS) : MAX_ITERATIONS;
}

/** A loop that exceeds its turns fails: half of its work must not pass for all of it. */
function countTurn(frame: Frame, source: StepSource, turn: number, most: number): void {
  if (turn >= most) throw refusal('LIMIT_EXCEEDED', `Step "${source.id}" needs more than ${most} iterations`);
  frame.scope.context.countStep();
  frame.budgets?.spend('maxIterations', 1);
}

/** Ends the endpoint or workflow. Its value is the answer or result; without a value the end is as at the end of the steps. */
export const returnStep: CompileStep<'return'> = (source, { language }) => {
  if (!Object.hasOwn(source.json, 'value')) return () => ({ kind: 'return' });
  const value = compileDeep(language, source.json.value);
  return ({ scope }) => ({ kind: 'answer', value: value(scope) });
};

/** `return` if its condition (`on`, or `check`) holds, else the next step. */
export const returnOnStep: CompileStep<'return_on'> = (source, compilation) => {
  const { json } = source;
  const check = compilation.language.condition(json.on ?? json.check ?? json.condition);
  const leave = returnStep(source, compilation);
  return (frame) => (check(frame.scope) ? leave(frame) : undefined);
};
