import type { Json } from '../../../kernel/json.ts';
import type { Language } from '../../expressions/language.ts';
import type { Check } from '../../expressions/scope.ts';

/** Whether an operation applies in a call. Without `when` it always does. */
export function compileWhen(language: Language, json: Json | undefined): Check {
  return json === undefined || json === null ? () => true : language.condition(json);
}
