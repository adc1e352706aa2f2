import type { StepKind } from '../step-kind.ts';
import { checkedLoopFindings, compileLoop, loopFlow } from './shared/loop.ts';

/** `while`: repeats its steps while its check holds. */

export const whileStep: StepKind<'while'> = {
  isLoop: true,
  compile: (step, compilation) => compileLoop(step, compilation, true),
  check: checkedLoopFindings,
  binds: () => null,
  flow: loopFlow,
};
