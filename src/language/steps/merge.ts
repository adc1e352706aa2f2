import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { LanguageError } from '../expressions/errors.ts';
import { MEMBER_COST } from '../expressions/scope.ts';
import { compileDeep, setMember } from '../expressions/template.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds, only } from '../types/bound.ts';
import { REFUSED, type StepFlow } from '../types/flow.ts';
import { typeOfDeep } from '../types/templates.ts';
import { ANY_OBJECT, EMPTY_OBJECT, isNever, laidOver, merged, type ObjectType, partsOf } from '../types/type.ts';

/** `merge`: one object out of several. */

const compile: CompileStep<'merge'> = (step, { language }) => {
  const sources = compileDeep(language, step.json.sources);
  return binding(step, ({ scope }) => {
    const list = sources(scope);
    if (!isArray(list)) throw new LanguageError('sources must be a list.');
    const merged: Record<string, Json> = {};
    for (const item of list) {
      if (!isObject(item)) throw new LanguageError('every source must be an object.');
      const entries = Object.entries(item);
      scope.context.spend(MEMBER_COST * entries.length);
      for (const [name, value] of entries) setMember(merged, name, value);
    }
    return merged;
  });
};

const flow: StepFlow<NormalStep<'merge'>> = (step, names) => {
  const { sources } = step.json;
  if (!isArray(sources)) return binds(step, names, ANY_OBJECT);
  const types = sources.map((item) => only(typeOfDeep(names, item), 'object'));
  if (types.some(isNever)) return REFUSED;
  const objects = types.map((type) => merged(partsOf(type).filter((part) => part.kind === 'object')));
  return binds(step, names, objects.reduce<ObjectType>(laidOver, EMPTY_OBJECT));
};

export const mergeStep: StepKind<'merge'> = {
  compile,
  check: (step, pointer, findings) => findings.missing(step, ['sources'], pointer, 'MISSING_MERGE_SOURCES'),
  binds: () => 'open',
  flow,
};
