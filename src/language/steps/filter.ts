import type { Findings } from '../../domain/finding.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { list } from '../types/type.ts';
import { listOfDocuments, rowsOf } from '../validate/fields.ts';
import type { Shape } from '../validate/shape.ts';
import { compileRequired, foundFlow, isRequired } from './shared/required.ts';
import { compileMatching, rowOf, searchFindings } from './shared/rows.ts';

/** `filter`: all rows that fit. */

const compile: CompileStep<'filter'> = (step, compilation) => {
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, (frame) => {
    const { rows, test } = matching(frame);
    const found = rows.filter(test);
    if (found.length === 0) required?.(frame.scope);
    return found;
  });
};

function shape(step: NormalStep<'filter'>, findings: Findings): Shape {
  const rows = rowsOf(step, findings);
  return rows === null ? 'open' : listOfDocuments(rows);
}

const flow: StepFlow<NormalStep<'filter'>> = (step, names, frame) => {
  const rows = list(rowOf(step, names, frame));
  if (!isRequired(step.json)) return binds(step, names, rows);
  return foundFlow(step, names, frame, rows);
};

export const filterStep: StepKind<'filter'> = {
  budget: 'filters',
  paths: ['from'],
  compile,
  check: searchFindings,
  binds: shape,
  flow,
};
