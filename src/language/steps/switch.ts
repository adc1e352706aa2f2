import type { switchCase } from '../../contract/resources/condition.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import type { Findings } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Check, Eval } from '../expressions/scope.ts';
import { compileDeep } from '../expressions/template.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import { REFUSED, type StepFlow } from '../types/flow.ts';
import type { Names } from '../types/names.ts';
import { typeOfDeep } from '../types/templates.ts';
import { NEVER, type Type, union } from '../types/type.ts';
import { conditionFindings } from '../validate/condition.ts';
import { unknownPartMembers } from '../validate/members.ts';

/** `switch`: the value of the first case that holds. */

type Case = Normal<typeof switchCase, typeof PART_SYNONYMS.case>;

const compile: CompileStep<'switch'> = (step, { language }) => {
  const { cases } = step.json;
  if (!isArray(cases)) throw new LanguageError('cases must be a list.');
  const compiled = cases.map((item) => compileCase(language, item));
  const fallback = compileDeep(language, step.json.default ?? null);
  return binding(step, ({ scope }) => {
    const matched = compiled.find(({ when }) => {
      scope.context.spend(1);
      return when(scope);
    });
    return (matched?.result ?? fallback)(scope);
  });
};

function compileCase(language: Language, json: Json): { readonly when: Check; readonly result: Eval } {
  if (!isObject(json)) throw new LanguageError('every case must be an object.');
  const { when, then }: Case = json;
  return { when: language.condition(when), result: compileDeep(language, then) };
}

function check({ cases }: NormalStep<'switch'>, pointer: string, findings: Findings): void {
  if (!isArray(cases) || cases.length === 0) {
    findings.add('MISSING_SWITCH_CASES', pointer, `A switch needs a list of 'cases'.`);
    return;
  }
  for (const [index, each] of cases.entries()) {
    const at = `${pointer}/cases/${index}`;
    const { when }: Case = objectOf(each);
    if (!isObject(each) || when === undefined) {
      findings.add('INVALID_SWITCH_CASE', at, `A case needs a 'when'.`);
      continue;
    }
    conditionFindings(when, `${at}/when`, findings);
    unknownPartMembers(each, 'case', at, findings);
    if (!Object.hasOwn(each, 'then')) findings.add('SWITCH_CASE_THEN', at, `The case gives nothing: it has no 'then'.`);
  }
}

const flow: StepFlow<NormalStep<'switch'>> = (step, names) => {
  const { cases } = step.json;
  if (!isArray(cases)) return REFUSED;
  const results = cases.map((item) => (isObject(item) ? caseType(names, item) : NEVER));
  return binds(step, names, union(...results, typeOfDeep(names, step.json.default ?? null)));
};

function caseType(names: Names, { then }: Case): Type {
  return typeOfDeep(names, then);
}

export const switchStep: StepKind<'switch'> = {
  compile,
  check,
  binds: () => 'open',
  flow,
};
