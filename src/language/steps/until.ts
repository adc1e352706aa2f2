import type { StepKind } from '../step-kind.ts';
import { checkedLoopFindings, compileLoop, loopFlow } from './shared/loop.ts';

/** `until`: repeats its steps until its check holds. */

export const untilStep: StepKind<'until'> = {
  isLoop: true,
  compile: (step, compilation) => compileLoop(step, compilation, false),
  check: checkedLoopFindings,
  binds: () => null,
  flow: loopFlow,
};
