import { isNullish } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { type Body, binding, type Compilation, type CompileStep, type StepDefinitionOf } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import type { StepFlow } from '../types/flow.ts';
import { NEVER, present } from '../types/type.ts';
import type { SearchStep } from './shared/required.ts';
import { compileRequired, foundFlow } from './shared/required.ts';
import { byKey, compileFrom, compileMatching, rowOf, rowShape, searchFindings, typeOfFrom } from './shared/rows.ts';

/** `lookup`: the first row that fits, or null. */

const compile: CompileStep<'lookup'> = (step, compilation) => {
  if (step.json.where === undefined && byKey(step)) return lookupByKey(step, compilation);
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, (frame) => {
    const { rows, test } = matching(frame);
    const found = rows.find(test) ?? null;
    if (found === null) required?.(frame.scope);
    return found;
  });
};

/** The form that editors write: the member `key` of a list or map that the call holds. */
function lookupByKey(step: StepDefinitionOf<SearchStep>, { language }: Compilation): Body {
  const found = compileFrom(step, language) ?? (() => null);
  const required = compileRequired(step, language);
  return binding(step, ({ scope }) => {
    const value = found(scope);
    if (isNullish(value)) required?.(scope);
    return value ?? null;
  });
}

const flow: StepFlow<NormalStep<'lookup'>> = (step, names, frame) => {
  if (step.json.where === undefined && byKey(step)) {
    return foundFlow(step, names, frame, present(typeOfFrom(step, names) ?? NEVER));
  }
  return foundFlow(step, names, frame, present(rowOf(step, names, frame)));
};

export const lookupStep: StepKind<'lookup'> = {
  budget: 'reads',
  paths: ['from'],
  compile,
  check: searchFindings,
  binds: rowShape,
  flow,
};
