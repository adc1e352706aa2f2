import { STEPS, stepTypes } from '../../contract/resources/step.ts';
import { isText, type Known } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { type Logic, type NormalStep, normalise } from '../normal/logic.ts';
import type { NormalRoute } from '../route.ts';

/** A route or a step: the members that call are the same in both. */
type Caller = NormalRoute & NormalStep<'call'>;

/** Steps that call what their member `workflow` names. */
const CALLERS: ReadonlySet<Json | undefined> = new Set(stepTypes.filter((type) => 'workflow' in STEPS[type].shape));

/** The pointer of the first call by which a workflow reaches itself, even one that never runs; `undefined`: it does not. */
export function recursiveCall(workflow: Logic, known: Known): string | undefined {
  const own = stringOf(workflow.id);
  if (own === undefined) return undefined;
  const seen = new Set<string>();
  const reaches = (name: string): boolean => {
    const waiting = [name];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === own) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      const called = known.workflow(next);
      if (called !== undefined) waiting.push(...calledBy(normalise(called).definition));
    }
    return false;
  };
  return callsIn(workflow, '').find(({ workflow: name }) => reaches(name))?.pointer;
}

/** What the steps and routes of a definition call, by name. */
export function calledBy(json: Json): string[] {
  return callsIn(json, '').map(({ workflow }) => workflow);
}

function callsIn(json: Json, pointer: string): { readonly workflow: string; readonly pointer: string }[] {
  if (!isArray(json) && !isObject(json)) return [];
  const { type, action, workflow }: Caller = objectOf(json);
  const isCall = (CALLERS.has(type) || action === 'run') && isText(workflow);
  const inner = Object.entries(json).flatMap(([name, each]) => callsIn(each, `${pointer}/${name}`));
  return isCall ? [{ workflow, pointer: `${pointer}/workflow` }, ...inner] : inner;
}
