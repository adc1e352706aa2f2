import { STEPS, stepTypes } from '../../contract/resources/step.ts';
import { isText, type Known } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { type Logic, type NormalStep, normalise } from '../normal/logic.ts';
import type { NormalRoute } from '../route.ts';

/** A route or a step: the members that call are the same in both. */
type Caller = NormalRoute & NormalStep<'call'>;

/** Steps that call what their member `workflow` names. */
const CALLERS: ReadonlySet<Json | undefined> = new Set(stepTypes.filter((type) => 'workflow' in STEPS[type].shape));

/** Whether a workflow reaches itself by any of its calls, even one that never runs. */
export function isRecursive(workflow: Logic, known: Known): boolean {
  const own = stringOf(workflow.id);
  if (own === undefined) return false;
  const seen = new Set<string>();
  const waiting = calledBy(workflow);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === own) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    const called = known.workflow(name);
    if (called !== undefined) waiting.push(...calledBy(normalise(called).definition));
  }
  return false;
}

/** What the steps and routes of a definition call, by name. */
export function calledBy(json: Json): string[] {
  if (isArray(json)) return json.flatMap(calledBy);
  if (!isObject(json)) return [];
  const { type, action, workflow }: Caller = json;
  const isCall = CALLERS.has(type) || action === 'run';
  return [...(isCall && isText(workflow) ? [workflow] : []), ...Object.values(json).flatMap(calledBy)];
}
