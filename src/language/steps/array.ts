import { type Findings, isTemplated } from '../../domain/finding.ts';
import { isArray } from '../../kernel/json.ts';
import { LanguageError } from '../expressions/errors.ts';
import { compileDeep } from '../expressions/template.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds, only } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { typeOfDeep } from '../types/templates.ts';

/** `array`: a list of these items. */

const compile: CompileStep<'array'> = (step, { language }) => {
  const items = compileDeep(language, step.json.items);
  return binding(step, ({ scope }) => {
    const list = items(scope);
    if (!isArray(list)) throw new LanguageError('items must be a list.');
    return list;
  });
};

function check({ items }: NormalStep<'array'>, pointer: string, findings: Findings): void {
  if (!isArray(items) && !isTemplated(items)) findings.add('INVALID_ARRAY_ITEMS', pointer, `'items' must be a list.`);
}

const flow: StepFlow<NormalStep<'array'>> = (step, names) => binds(step, names, only(typeOfDeep(names, step.json.items), 'list'));

export const arrayStep: StepKind<'array'> = {
  compile,
  check,
  binds: () => 'open',
  flow,
};
