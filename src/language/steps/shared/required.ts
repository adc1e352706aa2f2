import { type onMissing, STEPS } from '../../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../../contract/resources/synonyms.ts';
import type { Findings } from '../../../domain/finding.ts';
import { isObject } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import type { Language } from '../../expressions/language.ts';
import type { Scope } from '../../expressions/scope.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { firstString, type StepDefinition, type StepDefinitionOf, statusOf, stepFailure } from '../../step.ts';
import { binds } from '../../types/bound.ts';
import type { Flow, FlowFrame } from '../../types/flow.ts';
import type { Names } from '../../types/names.ts';
import { NULL, type Type, union } from '../../types/type.ts';
import { unknownPartMembers } from '../../validate/members.ts';
import { compileMessage } from './message.ts';

/** Steps that find something, or refuse the call where it is required and not there. */

/** Steps that look for rows by a condition. */
export type SearchStep = 'lookup' | 'filter' | 'random_select';

/** Fails the call as `onMissing` says; `null` if the result may be missing. */
export function compileRequired(
  step: StepDefinitionOf<'read' | 'lookup' | 'filter' | 'random_select'>,
  language: Language,
): ((scope: Scope) => never) | null {
  if (!isRequired(step.json)) return null;
  const words: Normal<typeof onMissing, typeof PART_SYNONYMS.onMissing> = objectOf(step.json.onMissing);
  const status = statusOf(words.status, 400);
  const code = firstString(words, 'errorCode') ?? 'NOT_FOUND';
  const text = firstString(words, 'message');
  const message = compileMessage(language, text ?? `Step "${step.id}": required ${step.type} returned no result.`);
  return (scope) => {
    throw stepFailure(step, status, code, message(scope));
  };
}

/** A flag, which a tool may have written as text. */
export function isRequired({ required }: NormalStep<'read' | SearchStep>): boolean {
  return required === true || required === 'true';
}

export function requiredFindings(step: NormalStep<'read'>, pointer: string, findings: Findings): void {
  findings.structure(STEPS.read, step, pointer, 'required', 'onMissing');
  if (isObject(step.onMissing)) unknownPartMembers(step.onMissing, 'onMissing', `${pointer}/onMissing`, findings);
}

/** Binds what is found, or null; if a result is required, refuses otherwise. */
export function foundFlow(step: StepDefinition<NormalStep<'read' | SearchStep>>, names: Names, frame: FlowFrame, type: Type): Flow {
  if (!isRequired(step.json)) return binds(step, names, union(type, NULL));
  const words: Normal<typeof onMissing, typeof PART_SYNONYMS.onMissing> = objectOf(step.json.onMissing);
  const message = firstString(words, 'message');
  frame.analysis.refused(firstString(words, 'errorCode') ?? 'NOT_FOUND', { status: statusOf(words.status, 400), message });
  return binds(step, names, type);
}
