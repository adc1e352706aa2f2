import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { listOf, objectOf, stringOf } from '../definition/read.ts';
import type { StepDefinition } from './step.ts';

/** Where a call failed that was in something called: `error.step` names a step, and `error.within` what it is a step of. */

/** Runs what a step calls. A refusal from there names both, the outermost first. */
export function within<T>(step: StepDefinition, called: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, extra } = error;
    const deeper = listOf(extra.error?.['within']);
    throw new Refusal(status, code, message, { ...extra, error: { ...extra.error, within: [{ step: step.id, called }, ...deeper] } });
  }
}

/** Where a refused call failed, for people: `pay > charge > enough` is the step `enough` of `charge`, which the step `pay` called. `null`: in no step. */
export function placeOf({ extra: { error } }: Refusal): string | null {
  const outer = listOf(error?.['within']).flatMap(namesIn);
  const step = stringOf(objectOf(error?.['step'])['id']);
  // The check of what was called is reported as the step that called it.
  const place = step === undefined || step === outer.at(-2) ? outer : [...outer, step];
  return place.length === 0 ? null : place.join(' > ');
}

function namesIn(json: Json): readonly string[] {
  if (!isObject(json)) return [];
  return [stringOf(json['step']) ?? '', stringOf(json['called']) ?? ''];
}
