import type { workflow as workflowSchema } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { route } from '../../contract/resources/step.ts';
import { isText, type Known } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';

/** A route or a step: the members that call are the same in both. */
type Caller = Written<typeof route>;

/** Members that name a called workflow: of steps by type, of routes by action. */
const CALLERS: ReadonlyMap<Json | undefined, readonly (keyof Caller)[]> = new Map<Json | undefined, readonly (keyof Caller)[]>([
  ['workflow', ['workflow', 'target']],
  ['call', ['workflow', 'target']],
  ['flow', ['flow', 'workflow', 'target']],
  ['condition', ['workflow']],
]);

/** Whether a workflow reaches itself by any of its calls, even one that never runs. */
export function isRecursive(workflow: Written<typeof workflowSchema>, known: Known): boolean {
  const own = stringOf(workflow.id);
  if (own === undefined) return false;
  const seen = new Set<string>();
  const waiting = calledBy(workflow);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === own) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    const called = known.workflow(name);
    if (called !== undefined) waiting.push(...calledBy(called));
  }
  return false;
}

function calledBy(json: Json): string[] {
  if (isArray(json)) return json.flatMap(calledBy);
  if (!isObject(json)) return [];
  const caller: Caller = json;
  const members = CALLERS.get(caller.type) ?? CALLERS.get(caller.action) ?? [];
  const names = members.map((name) => caller[name]).filter(isText);
  return [...names, ...Object.values(json).flatMap(calledBy)];
}
