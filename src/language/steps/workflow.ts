import type { Json, JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Scope } from '../expressions/scope.ts';
import { compileDeep } from '../expressions/template.ts';
import type { Value } from '../expressions/value.ts';
import { callNested } from '../failure-path.ts';
import { binding, type CompileStep, firstString } from '../step.ts';

/** `workflow` and `call`: run logic that is defined elsewhere. */

export const workflowStep: CompileStep<'workflow' | 'call'> = (step, compilation) => {
  const name = firstString(step.json, 'workflow');
  if (name === undefined) throw new LanguageError('it names no workflow.');
  const params = compileParams(compilation.language, step.json.params);
  return binding(step, (frame) => {
    const target = compilation.callable(name);
    if (target === undefined) throw new LanguageError(`Workflow "${name}" not found.`);
    const given = params(frame.scope);
    return callNested(step, name, () => target.invoke(frame, given, step));
  });
};

/** Params, resolved in the caller's scope. One without a value there has none inside. */
export function compileParams(language: Language, json: Json | undefined): (scope: Scope) => JsonObject {
  const resolve = compileDeep(language, objectOf(json));
  return (scope) => objectOf(resolve(scope));
}

/** Params as names of their own, and together as `params`. */
export function bindNames(params: JsonObject): Map<string, Value> {
  return new Map<string, Value>([['params', params], ...Object.entries(params)]);
}
