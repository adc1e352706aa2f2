import type { Json } from '../../kernel/json.ts';
import type { Check, Eval } from './scope.ts';

/**
 * The compilers of the language. They call each other: a template holds functions, whose selectors hold expressions, which hold templates.
 * `compilers.ts` puts them together, so that there are no import cycles. Compiling does not throw; what is wrong fails when it is
 * evaluated.
 */
export interface Language {
  /** A text with tokens. A single token keeps its type; everything else gives a text. */
  template(text: string): Eval;
  /** The inside of a token, or a condition's field: `player.gold|0`. Nested tokens are allowed. */
  token(body: string): Eval;
  /** A path without a token around it, such as an argument of a function. The only compiler that throws. */
  path(text: string, aliases: boolean): Eval;
  /** An expression, whose result keeps its type. */
  expression(text: string): Eval;
  /** An expression whose result is a number. */
  math(text: string): Eval;
  /** A condition object or group. */
  condition(json: Json | undefined): Check;
}
