import type { NormalStep } from '../normal/logic.ts';
import { runList } from '../run-steps.ts';
import type { CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import type { StepFlow } from '../types/flow.ts';

/** `block`: steps of its own. */

const compile: CompileStep<'block'> = (step, compilation) => {
  const steps = compilation.list(step.json.steps);
  return (frame) => runList(frame, steps);
};

const flow: StepFlow<NormalStep<'block'>> = ({ json }, names, frame) => frame.analysis.list(frame, names, json.steps);

export const blockStep: StepKind<'block'> = {
  compile,
  check: (step, pointer, findings) => findings.missing(step, ['steps'], pointer, 'MISSING_BLOCK_STEPS'),
  binds: () => null,
  flow,
};
