import { isArray, isObject, type Json } from '../../kernel/json.ts';
import type { Clause } from '../expressions/condition.ts';
import { LanguageError } from '../expressions/errors.ts';
import { standardOperator } from '../expressions/operators.ts';
import { parsePath } from '../expressions/path.ts';
import { findTokens, isOneToken } from '../expressions/scan.ts';
import { bind, type Names, typeOfName, unaliased } from './names.ts';
import { narrowed } from './walk.ts';

/** What is known of names after a condition. */

/** Narrows names by a condition that holds, or does not: a value that was checked to exist exists. */
export function knowing(names: Names, check: Json, holds: boolean): Names {
  if (!isObject(check)) return names;
  const { all, any, field, op }: Clause = check;
  if (isArray(all)) return holds ? all.reduce<Names>((known, each) => knowing(known, each, true), names) : names;
  if (isArray(any)) return holds ? names : any.reduce<Names>((known, each) => knowing(known, each, false), names);
  if (typeof field !== 'string' || typeof op !== 'string') return names;
  return standardOperator(op) === (holds ? 'exists' : 'not_exists') ? withPresent(names, field) : names;
}

function withPresent(names: Names, text: string): Names {
  const spans = findTokens(text);
  const inside = isOneToken(text, spans) ? text.slice(2, -2).trim() : text;
  if (findTokens(inside).length > 0 || ['[', '|', '(', '-'].some((char) => inside.includes(char))) return names;
  try {
    const path = unaliased(names, parsePath(inside));
    return path === null ? names : bind(names, [path.root, narrowed(typeOfName(names, path.root), path.rest)]);
  } catch (error) {
    if (error instanceof LanguageError) return names;
    throw error;
  }
}
