import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { LanguageError } from '../errors.ts';
import type { Language } from '../language.ts';
import { compileOperator } from '../operators.ts';
import { parseSegments, walk } from '../path.ts';
import type { Scope } from '../scope.ts';
import { compileShallow } from '../template.ts';
import { toText } from '../value.ts';

/**
 * `where` clauses: conditions on a row. The field is a path in the row; field and value are resolved once a scan, not once a row
 * (endpoint-language 8).
 */
export type PreparedWhere = (row: Json) => boolean;

const MAX_NESTING = 32;

export function compileWhere(language: Language, json: Json, depth = 0): (scope: Scope) => PreparedWhere {
  if (depth > MAX_NESTING) throw new LanguageError('where is nested too deeply.');
  if (isArray(json)) return group(language, json, depth, true);
  if (!isObject(json)) throw new LanguageError('where must be an object.');
  const all = member(json, 'all');
  if (isArray(all)) return group(language, all, depth, true);
  const any = member(json, 'any');
  if (isArray(any)) return group(language, any, depth, false);
  return clause(language, json);
}

function group(language: Language, items: readonly Json[], depth: number, all: boolean): (scope: Scope) => PreparedWhere {
  const parts = items.map((item) => compileWhere(language, item, depth + 1));
  return (scope) => {
    scope.context.spend(parts.length);
    const tests = parts.map((part) => part(scope));
    return all ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
  };
}

function clause(language: Language, json: JsonObject): (scope: Scope) => PreparedWhere {
  const op = member(json, 'op') ?? member(json, 'operator');
  if (typeof op !== 'string') {
    return (scope) => () => {
      scope.context.spend(1);
      return false;
    };
  }
  const compare = compileOperator(op);
  const field = compileShallow(language, member(json, 'field') ?? member(json, 'left'));
  const value = compileShallow(language, Object.hasOwn(json, 'value') ? json['value'] : member(json, 'right'));
  return (scope) => {
    const segments = parseSegments(toText(scope.context.plain(field(scope))));
    const right = value(scope);
    return (row) => {
      scope.context.spend(1);
      return compare(scope, walk(row, segments), right);
    };
  };
}
