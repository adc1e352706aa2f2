import { LanguageError } from '../expressions/errors.ts';
import { binding, type CompileStep } from '../step.ts';

const MAX_MS = 300_000;

/**
 * `sleep`: delays the answer. A run decides in one turn and may be repeated, so the step itself does not wait: the caller of the run delays the
 * answer by the sum of its sleeps.
 */
export const sleepStep: CompileStep<'sleep'> = (step) => {
  const { ms } = step.json;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_MS)) throw new LanguageError(`it needs a number of ms from 0 to ${MAX_MS}.`);
  return binding(step, ({ scope, budgets }) => {
    budgets?.spend('maxSleepMs', ms);
    scope.context.sleep(ms);
    return { sleptMs: ms };
  });
};
