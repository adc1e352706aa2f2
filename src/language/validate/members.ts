import { clause, switchCase } from '../../contract/resources/condition.ts';
import { DEFINITION_SHAPE } from '../../contract/resources/definition.ts';
import { NOTES, namesIn } from '../../contract/resources/member.ts';
import { onFail, onMissing, operation, ownMembers, route, STEP_SHAPE, stepTypes } from '../../contract/resources/step.ts';
import type { Findings } from '../../domain/finding.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';

/** Members that the parts of a step may have. Any other member is a finding, because it has no effect. */

/** Members of each type of step, besides those of every step. */
const OF_STEPS: ReadonlyMap<string, readonly string[]> = new Map(stepTypes.map((type) => [type, ownMembers(type)]));

const PARTS = { operation, onMissing, route, onFail, clause, case: switchCase };

export function unknownStepMembers(step: JsonObject, type: string, pointer: string, findings: Findings): void {
  const own = OF_STEPS.get(type);
  if (own === undefined) return;
  for (const name of Object.keys(step)) {
    if (Object.hasOwn(STEP_SHAPE, name) || own.includes(name) || isNote(name)) continue;
    const fix = didYouMean(name, [...own, 'when', 'as']) ?? `It may hold ${own.join(', ')}.`;
    findings.add('UNKNOWN_STEP_MEMBER', `${pointer}/${name}`, `A step of the type '${type}' does nothing with '${name}'.`, fix);
  }
}

export function unknownPartMembers(part: JsonObject, kind: keyof typeof PARTS, pointer: string, findings: Findings): void {
  unknownMembers(part, namesIn(PARTS[kind]), 'UNKNOWN_STEP_MEMBER', pointer, findings);
}

/** A finding for each member that is not among the known names, and no note. */
export function unknownMembers(part: JsonObject, known: readonly string[], code: string, pointer: string, findings: Findings): void {
  for (const name of Object.keys(part)) {
    if (findings.isFull) return;
    if (known.includes(name) || isNote(name)) continue;
    const fix = didYouMean(name, known) ?? `It may hold ${known.join(', ')}.`;
    findings.add(code, `${pointer}/${name}`, `Nothing is done with '${name}' here.`, fix);
  }
}

/** Members beside the lists of a document that is pushed whole, such as `rules`. */
export function unknownBeside(document: Json, lists: readonly string[], findings: Findings): void {
  for (const name of isObject(document) ? Object.keys(document) : []) {
    if (findings.isFull) return;
    if (lists.includes(name) || Object.hasOwn(DEFINITION_SHAPE, name) || isNote(name)) continue;
    const fix = didYouMean(name, lists) ?? 'Check its spelling.';
    findings.add('UNKNOWN_TOP_LEVEL_FIELD', `/${name}`, `Nothing is done with '${name}' here.`, fix);
  }
}

const NOTE = new RegExp(NOTES);

/** Whether a member is a note, which editors and authors may write anywhere. */
export function isNote(name: string): boolean {
  return NOTE.test(name);
}
