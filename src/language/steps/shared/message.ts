import type { Language } from '../../expressions/language.ts';
import type { Eval, Scope } from '../../expressions/scope.ts';
import { toText } from '../../expressions/value.ts';

/** A message, as text whatever value its template has. */
export function compileMessage(language: Language, text: string): (scope: Scope) => string {
  const template: Eval = language.template(text);
  return (scope) => {
    const value = template(scope);
    return value === undefined || value === null ? '' : toText(value);
  };
}
