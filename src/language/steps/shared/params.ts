import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import type { Language } from '../../expressions/language.ts';
import type { Scope } from '../../expressions/scope.ts';
import { compileDeep } from '../../expressions/template.ts';
import type { Value } from '../../expressions/value.ts';
import type { Names } from '../../types/names.ts';
import { typeOfDeep } from '../../types/templates.ts';
import type { Type } from '../../types/type.ts';

/** Params, resolved in the caller's scope. One without a value there has none inside. */
export function compileParams(language: Language, json: Json | undefined): (scope: Scope) => JsonObject {
  const resolve = compileDeep(language, objectOf(json));
  return (scope) => objectOf(resolve(scope));
}

/** Params as names of their own, and together as `params`. */
export function bindNames(params: JsonObject): Map<string, Value> {
  return new Map<string, Value>([['params', params], ...Object.entries(params)]);
}

export function paramsType(names: Names, json: Json | undefined): Type {
  return typeOfDeep(names, isObject(json) ? json : {});
}
