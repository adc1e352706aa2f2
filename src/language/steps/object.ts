import { isObject } from '../../kernel/json.ts';
import { LanguageError } from '../expressions/errors.ts';
import { compileDeep } from '../expressions/template.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds, only } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { typeOfDeep } from '../types/templates.ts';
import { keysOf } from '../validate/shape.ts';

/** `object`: an object of these fields. */

const compile: CompileStep<'object'> = (step, { language }) => {
  const fields = compileDeep(language, step.json.fields);
  return binding(step, ({ scope }) => {
    const object = fields(scope);
    if (!isObject(object)) throw new LanguageError('fields must be an object.');
    return object;
  });
};

const flow: StepFlow<NormalStep<'object'>> = (step, names) => binds(step, names, only(typeOfDeep(names, step.json.fields), 'object'));

export const objectStep: StepKind<'object'> = {
  compile,
  check: (step, pointer, findings) => findings.missing(step, ['fields'], pointer, 'MISSING_OBJECT_FIELDS'),
  binds: ({ fields }) => keysOf(fields),
  flow,
};
