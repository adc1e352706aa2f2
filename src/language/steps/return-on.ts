import type { NormalStep } from '../normal/logic.ts';
import type { CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { either, goesOn, type StepFlow } from '../types/flow.ts';
import { knowing } from '../types/known.ts';
import { checkedFindings } from '../validate/checked.ts';
import { returnStep } from './return.ts';

/** `return` if its `check` holds, else the next step. */
const compile: CompileStep<'return_on'> = (step, compilation) => {
  const check = compilation.language.condition(step.json.check);
  const leave = returnStep.compile(step, compilation);
  return (frame) => (check(frame.scope) ? leave(frame) : undefined);
};

const flow: StepFlow<NormalStep<'return_on'>> = (step, names, frame) => {
  const check = step.json.check ?? null;
  return either(goesOn(knowing(names, check, false)), returnStep.flow(step, knowing(names, check, true), frame));
};

export const returnOnStep: StepKind<'return_on'> = {
  compile,
  check: checkedFindings,
  binds: () => null,
  flow,
};
