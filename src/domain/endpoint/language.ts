import type { Json } from '../../kernel/json.ts';
import type { Check, Eval } from './scope.ts';

/**
 * The compilers of the language, as they call each other: a template holds functions, whose selectors hold expressions, which hold
 * templates. They meet in `compilers.ts`, so that no file imports its own user. Compiling does not throw; what is wrong fails when
 * it is evaluated.
 */
export interface Language {
  /** A text with tokens: typed when it is one token, else a text (endpoint-language 4.1). */
  template(text: string): Eval;
  /** The inside of a token, or a condition's field: `player.gold|0`. Nested tokens are allowed. */
  token(body: string): Eval;
  /** A path without a token around it, such as an argument of a function. The only one that throws. */
  path(text: string, aliases: boolean): Eval;
  /** Typed expression (5.1). */
  expression(text: string): Eval;
  /** Numbers only (5.2). */
  math(text: string): Eval;
  /** A condition object or group (6). */
  condition(json: Json | undefined): Check;
}
