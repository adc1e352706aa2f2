import type { StepKind } from '../step-kind.ts';
import { compileLoop, loopFindings, loopFlow } from './shared/loop.ts';

/** `until`: repeats its steps until its check holds. */

export const untilStep: StepKind<'until'> = {
  isLoop: true,
  compile: (step, compilation) => compileLoop(step, compilation, false),
  check: loopFindings,
  binds: () => null,
  flow: loopFlow,
};
