import { LanguageError } from '../errors.ts';
import { binding, type CompileStep } from '../step.ts';

const MOST_MS = 300_000;
/** The words that definitions in the wild use; the last is the editor's. */
export const SLEEP_FIELDS = ['durationMs', 'ms', 'sleepMs', 'delayMs'] as const;

/**
 * `sleep`: the call takes longer by so much (endpoint-language 8). A run decides in one turn and may be repeated, so nothing waits here:
 * the caller of the run holds the answer back by the sum of its sleeps.
 */
export const sleepStep: CompileStep<'sleep'> = (source) => {
  const ms = SLEEP_FIELDS.map((name) => source.json[name]).find((value) => value !== undefined);
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MOST_MS)) throw new LanguageError(`it needs a number of ms from 0 to ${MOST_MS}.`);
  return binding(source, ({ scope, budgets }) => {
    budgets?.spend('maxSleepMs', ms);
    scope.context.sleep(ms);
    return { sleptMs: ms };
  });
};
