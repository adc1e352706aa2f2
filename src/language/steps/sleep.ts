import type { Findings } from '../../domain/finding.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { goesOn } from '../types/flow.ts';

const MAX_MS = 300_000;

/**
 * `sleep`: delays the answer. A run decides in one turn and may be repeated, so the step itself does not wait: the caller of the run delays
 * the answer by the sum of its sleeps.
 */
const compile: CompileStep<'sleep'> = (step) => {
  const { ms } = step.json;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_MS)) throw new LanguageError(`it needs a number of ms from 0 to ${MAX_MS}.`);
  return binding(step, ({ scope, budgets }) => {
    budgets?.spend('maxSleepMs', ms);
    scope.context.sleep(ms);
    return { sleptMs: ms };
  });
};

function check({ ms }: NormalStep<'sleep'>, pointer: string, findings: Findings): void {
  const isMs = typeof ms === 'number' && ms >= 0 && ms <= MAX_MS;
  if (!isMs) findings.add('INVALID_SLEEP_MS', pointer, `This step needs 'ms', from 0 to ${MAX_MS}.`, 'A call may sleep 1000 ms in all.');
}

export const sleepStep: StepKind<'sleep'> = {
  compile,
  check,
  binds: () => ['sleptMs'],
  flow: (_step, names) => goesOn(names),
};
