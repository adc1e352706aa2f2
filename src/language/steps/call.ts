import type { StepKind } from '../step-kind.ts';
import { callFindings, callFlow, compileCall, returnedShape } from './shared/calls.ts';

/** `call`: runs a block, a workflow or an internal endpoint. */

export const callStep: StepKind<'call'> = {
  budget: 'nestedCalls',
  compile: compileCall,
  check: (step, pointer, findings) => callFindings(step, pointer, findings, 'MISSING_CALL_TARGET'),
  binds: returnedShape,
  flow: callFlow,
};
