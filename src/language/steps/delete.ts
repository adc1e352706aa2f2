import type { NormalStep } from '../normal/logic.ts';
import type { CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { goesOn, type StepFlow } from '../types/flow.ts';
import { documentFindings } from './shared/documents.ts';
import { compileTarget, OPERATION_COST } from './shared/target.ts';

/** `delete`: deletes a document. It is queued, and committed with the whole call. */

const compile: CompileStep<'delete'> = (step, compilation) => {
  const target = compileTarget(step, compilation);
  return (frame) => {
    frame.scope.context.spend(OPERATION_COST);
    frame.documents.delete(step.id, target(frame.scope));
    return undefined;
  };
};

const flow: StepFlow<NormalStep<'delete'>> = (_source, names, frame) => {
  frame.analysis.touched('writes', undefined);
  return goesOn(names);
};

export const deleteStep: StepKind<'delete'> = {
  budget: 'writes',
  writes: true,
  compile,
  check: documentFindings,
  binds: () => null,
  flow,
};
