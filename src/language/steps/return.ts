import { compileDeep } from '../expressions/template.ts';
import type { NormalStep } from '../normal/logic.ts';
import type { CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { REFUSED, type StepFlow } from '../types/flow.ts';
import { typeOfDeep } from '../types/templates.ts';
import { isNever } from '../types/type.ts';

/** Ends the endpoint or workflow. Its value is the answer or result. Without a value it ends as after the last step. */
const compile: CompileStep<'return'> = (step, { language }) => {
  if (!Object.hasOwn(step.json, 'value')) return () => ({ kind: 'return' });
  const value = compileDeep(language, step.json.value);
  return ({ scope }) => ({ kind: 'answer', value: value(scope) });
};

const flow: StepFlow<NormalStep<'return'>> = ({ json }, names) => {
  if (!Object.hasOwn(json, 'value')) return { ...REFUSED, ended: names };
  const answer = typeOfDeep(names, json.value);
  return isNever(answer) ? REFUSED : { ...REFUSED, answers: [answer] };
};

export const returnStep: StepKind<'return'> = {
  compile,
  binds: () => null,
  flow,
};
