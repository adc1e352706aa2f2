import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import type { Clause } from '../../expressions/condition.ts';
import { LanguageError } from '../../expressions/errors.ts';
import type { Language } from '../../expressions/language.ts';
import { compileOperator } from '../../expressions/operators.ts';
import { parseSegments, walk } from '../../expressions/path.ts';
import type { Scope } from '../../expressions/scope.ts';
import { compileShallow } from '../../expressions/template.ts';
import { toText } from '../../expressions/value.ts';

/** `where` clauses: conditions on a row. The field is a path in the row. Field and value are resolved once per scan, not per row. */
export type PreparedWhere = (row: Json) => boolean;

const MAX_NESTING = 32;

export function compileWhere(language: Language, json: Json, depth = 0): (scope: Scope) => PreparedWhere {
  if (depth > MAX_NESTING) throw new LanguageError('where is nested too deeply.');
  if (isArray(json)) return group(language, json, depth, true);
  if (!isObject(json)) throw new LanguageError('where must be an object.');
  const { all, any }: Clause = json;
  if (isArray(all)) return group(language, all, depth, true);
  if (isArray(any)) return group(language, any, depth, false);
  return comparison(language, json);
}

function group(language: Language, items: readonly Json[], depth: number, all: boolean): (scope: Scope) => PreparedWhere {
  const parts = items.map((item) => compileWhere(language, item, depth + 1));
  return (scope) => {
    scope.context.spend(parts.length);
    const tests = parts.map((part) => part(scope));
    return all ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
  };
}

function comparison(language: Language, { op, ...json }: Clause): (scope: Scope) => PreparedWhere {
  if (typeof op !== 'string') {
    return (scope) => () => {
      scope.context.spend(1);
      return false;
    };
  }
  const compare = compileOperator(op);
  const field = compileShallow(language, json.field);
  const value = compileShallow(language, json.value);
  return (scope) => {
    const segments = parseSegments(toText(scope.context.plain(field(scope))));
    const right = value(scope);
    return (row) => {
      scope.context.spend(1);
      return compare(scope, walk(row, segments), right);
    };
  };
}
