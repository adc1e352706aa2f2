import { Refusal } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { listOf, objectOf, stringOf } from '../kernel/json-read.ts';
import type { StepDefinition } from './step.ts';

/**
 * Where a call failed inside a workflow, an internal endpoint or a block: `error.step` names the step, and `error.within` the callables
 * that it is nested in.
 */

/** Runs what a step calls. A refusal from it gets the names of the step and of what it called, the outermost first. */
export function callNested<T>(step: StepDefinition, called: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, extra } = error;
    const deeper = listOf(extra.error?.['within']);
    throw new Refusal(status, code, message, { ...extra, error: { ...extra.error, within: [{ step: step.id, called }, ...deeper] } });
  }
}

/**
 * Where a refused call failed, as text for people: `pay > charge > enough` is the step `enough` of `charge`, which the step `pay` called.
 * `null`: outside of steps.
 */
export function failurePath({ extra: { error } }: Refusal): string | null {
  const outer = listOf(error?.['within']).flatMap(namesIn);
  const step = stringOf(objectOf(error?.['step'])['id']);
  // A failed check of a workflow is reported as the step that called the workflow.
  const path = step === undefined || step === outer.at(-2) ? outer : [...outer, step];
  return path.length === 0 ? null : path.join(' > ');
}

function namesIn(json: Json): readonly string[] {
  if (!isObject(json)) return [];
  return [stringOf(json['step']) ?? '', stringOf(json['called']) ?? ''];
}
