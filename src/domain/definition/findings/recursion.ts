import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { textOf } from '../read.ts';
import { isText, type Known } from './finding.ts';

/** What calls another workflow, and in which of its members it says which: steps by their type, routes by their action. */
const CALLERS: ReadonlyMap<Json | undefined, readonly string[]> = new Map<Json | undefined, readonly string[]>([
  ['workflow', ['workflow', 'target']],
  ['call', ['workflow', 'target']],
  ['flow', ['flow', 'workflow', 'target']],
  ['condition', ['workflow']],
]);

/** Whether a workflow reaches itself by any call in it, made or not. */
export function isRecursive(workflow: JsonObject, known: Known): boolean {
  const own = textOf(member(workflow, 'id'));
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
  const members = CALLERS.get(member(json, 'type')) ?? CALLERS.get(member(json, 'action')) ?? [];
  const names = members.map((name) => member(json, name)).filter(isText);
  return [...names, ...Object.values(json).flatMap(calledBy)];
}
