import type { StepKind } from '../step-kind.ts';
import { callFindings, callFlow, compileCall, returnedShape } from './shared/calls.ts';

/** `workflow`: runs a workflow, an internal endpoint or a block. */

export const workflowStep: StepKind<'workflow'> = {
  budget: 'nestedCalls',
  compile: compileCall,
  check: (step, pointer, findings) => callFindings(step, pointer, findings, 'MISSING_WORKFLOW_TARGET'),
  binds: returnedShape,
  flow: callFlow,
};
