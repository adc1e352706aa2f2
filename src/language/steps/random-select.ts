import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import type { StepFlow } from '../types/flow.ts';
import { compileRequired, foundFlow } from './shared/required.ts';
import { compileMatching, rowOf, rowShape, searchFindings } from './shared/rows.ts';
import { drawIndex, weightsOf } from './shared/weights.ts';

/** `random_select`: one row that fits, by chance. */

const compile: CompileStep<'random_select'> = (step, compilation) => {
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  const weightField = firstString(step.json, 'weightField');
  return binding(step, (frame) => {
    const { scope } = frame;
    const { rows, test } = matching(frame);
    const found = rows.filter(test);
    if (found.length === 0) required?.(scope);
    const weights = found.map((row) => (weightField === undefined ? 1 : weightsOf(scope, row, weightField)));
    return found[drawIndex(scope, weights)] ?? null;
  });
};

const flow: StepFlow<NormalStep<'random_select'>> = (step, names, frame) => foundFlow(step, names, frame, rowOf(step, names, frame));

export const randomSelectStep: StepKind<'random_select'> = {
  budget: 'filters',
  paths: ['from'],
  compile,
  check: searchFindings,
  binds: rowShape,
  flow,
};
