import type { StepKind } from '../step-kind.ts';
import { compileLoop, loopFindings, loopFlow } from './shared/loop.ts';

/** `while`: repeats its steps while its check holds. */

export const whileStep: StepKind<'while'> = {
  isLoop: true,
  compile: (step, compilation) => compileLoop(step, compilation, true),
  check: loopFindings,
  binds: () => null,
  flow: loopFlow,
};
