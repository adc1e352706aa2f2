import { type Findings, isWhole } from '../../../domain/finding.ts';
import { refusal } from '../../../kernel/errors.ts';
import { isArray } from '../../../kernel/json.ts';
import type { Check } from '../../expressions/scope.ts';
import { compileTakes } from '../../expressions/take.ts';
import { toNumber } from '../../expressions/value.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { runList } from '../../run-steps.ts';
import type { Body, Compilation, Frame, StepDefinition, StepDefinitionOf } from '../../step.ts';
import { taking } from '../../types/bound.ts';
import type { Flow, StepFlow } from '../../types/flow.ts';
import { changedNames, forgotten, joined, type Names } from '../../types/names.ts';
import { checkedFindings } from '../../validate/checked.ts';

/** Steps that repeat their steps. */

const MAX_ITERATIONS = 1000;

/** Runs the body as long as the condition is `wanted`. The condition is checked before every turn. */
export function compileLoop(step: StepDefinitionOf<'while' | 'until'>, compilation: Compilation, wanted: boolean): Body {
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

export function iterationsOf({ json }: StepDefinitionOf<'while' | 'until' | 'foreach'>): number {
  const most = Math.floor(toNumber(json.maxIterations));
  return most >= 1 ? Math.min(most, MAX_ITERATIONS) : MAX_ITERATIONS;
}

/** A loop with too many turns fails, because half of its work must not be taken for all of it. */
export function countTurn(frame: Frame, step: StepDefinition, turn: number, most: number): void {
  if (turn >= most) throw refusal('LIMIT_EXCEEDED', `Step "${step.id}" needs more than ${most} iterations`);
  frame.scope.context.countStep();
  frame.budgets?.spend('maxIterations', 1);
}

/** Findings for a loop that goes on while, or until, its check holds. */
export function checkedLoopFindings(step: NormalStep<'while' | 'until'>, pointer: string, findings: Findings): void {
  checkedFindings(step, pointer, findings);
  loopFindings(step, pointer, findings);
}

export function loopFindings(step: NormalStep<'while' | 'until' | 'foreach'>, pointer: string, findings: Findings): void {
  if (!isWhole(step.maxIterations ?? null, 1, Number.MAX_SAFE_INTEGER)) {
    findings.add('MISSING_MAX_ITERATIONS', pointer, `A loop needs 'maxIterations', at least 1.`);
  }
  if (!isArray(step.steps)) findings.add('MISSING_LOOP_BODY', pointer, `A loop needs a 'body' list.`);
}

/** Most iterations until the types of names are stable. Those that still change are unknown. */
const MAX_TURNS = 4;

export function turns(names: Names, turn: (names: Names) => Flow): Flow {
  let before = names;
  for (let count = 1; ; count += 1) {
    const flow = turn(before);
    const after = joined(before, flow.next) ?? before;
    const changed = changedNames(before, after);
    if (changed.length === 0) return { ...flow, next: before };
    before = count < MAX_TURNS ? after : forgotten(after, changed);
  }
}

export const loopFlow: StepFlow<NormalStep<'while' | 'until'>> = ({ json }, names, frame) =>
  turns(names, (before) => frame.analysis.list(frame, taking(before, json.let), json.steps));
