import { COLLECTION_FUNCTIONS, compileCollectionCall } from './collections.ts';
import { LanguageError, UnresolvedError } from './errors.ts';
import type { Language } from './language.ts';
import { AdjoiningToken, MathParser, type Num } from './math.ts';
import { checkParentheses, closingParenthesis, findTokens, isOneToken, type Span, scanTop, splitArguments, wholeCall } from './scan.ts';
import type { Eval, Scope } from './scope.ts';
import { tokensOf } from './template.ts';
import { isNullish, toNumber, toText } from './value.ts';

/** Expressions: a list function, one token, or arithmetic. */

/** Most characters of arithmetic, without its tokens. */
const MAX_MATH = 1000;
/**
 * A text that is parsed during a call is searched from its start at each function call in it. So it costs its length squared, divided by
 * this power of two.
 */
const PARSED_SHIFT = 4;

export function compileExpression(language: Language, expression: string): Eval {
  const text = expression.trim();
  checkParentheses(text);
  const call = wholeCall(text);
  if (call !== null && isCollectionCall(call.name, call.args)) return compileCollectionCall(language, call.name, call.args);
  if (isOneToken(text, tokensOf(text))) return language.template(text);
  return compileMath(language, text);
}

/** Whether a call is one of a function over lists. `min` and `max` are, if they have one argument; else they are arithmetic. */
export function isCollectionCall(name: string, args: string): boolean {
  if (!COLLECTION_FUNCTIONS.has(name)) return false;
  return (name !== 'min' && name !== 'max') || splitArguments(args).length === 1;
}

/**
 * Compiles arithmetic. A token that stands alone is a value in the parsed text. If a token touches a digit or another token, the tokens are
 * inserted as text: by the rules of the language `{{a}}{{b}}` joins digits.
 */
export function compileMath(language: Language, expression: string): Num {
  const text = expression.trim();
  const spans = tokensOf(text);
  checkParentheses(text);
  checkLength(text.length - spans.reduce((sum, span) => sum + span.end - span.start, 0));
  const operands = new Map(spans.map((span) => [span.start, { end: span.end, number: compileOperand(language, text, span) }]));
  try {
    return new MathParser(language, text, operands).whole();
  } catch (error) {
    if (!(error instanceof AdjoiningToken)) throw error;
    return withInsertedTokens(language, text, spans);
  }
}

function checkLength(length: number): void {
  if (length > MAX_MATH) throw new LanguageError('Math expression is too long.');
}

/** A token as a number. */
function compileOperand(language: Language, text: string, span: Span): Num {
  const token = text.slice(span.start, span.end);
  const evaluate = language.token(token.slice(2, -2));
  return (scope) => {
    const value = evaluate(scope);
    if (isNullish(value)) throw new UnresolvedError(`Unresolved variable "${token}" in math expression.`);
    const plain = scope.context.plain(value);
    const number = toNumber(plain);
    if (Number.isFinite(number)) return number;
    throw new LanguageError(`Variable "${token}" resolved to non-numeric value: ${toText(plain).slice(0, 100)}`);
  };
}

/** Inserts tokens as text. Arguments of list functions stay as written, because they are lists whose tokens the function reads itself. */
function withInsertedTokens(language: Language, text: string, spans: readonly Span[]): Num {
  const calls = listCalls(text);
  const operands = spans
    .filter(({ start }) => !calls.some((call) => start > call.open && start < call.close))
    .map((span) => ({ ...span, number: compileOperand(language, text, span) }));
  return (scope: Scope) => {
    let out = '';
    let from = 0;
    for (const { start, end, number } of operands) {
      out += text.slice(from, start) + String(number(scope));
      from = end;
    }
    out += text.slice(from);
    checkLength(out.length);
    scope.context.spend(out.length + ((out.length * out.length) >> PARSED_SHIFT));
    return new MathParser(language, out, new Map()).whole()(scope);
  };
}

/** Positions of the arguments of list functions. */
function listCalls(text: string): { readonly open: number; readonly close: number }[] {
  const calls: { open: number; close: number }[] = [];
  scanTop(text, 0, (char, open) => {
    if (char !== '(') return false;
    const name = /[A-Za-z_]\w*$/.exec(text.slice(0, open).trimEnd())?.[0] ?? '';
    const close = closingParenthesis(text, open);
    if (close >= 0 && isCollectionCall(name, text.slice(open + 1, close))) calls.push({ open, close });
    return false;
  });
  return calls;
}

/** Whether a text has an operator or a call of arithmetic outside tokens and quotes, and nothing that arithmetic refuses. */
export function looksLikeMath(text: string): boolean {
  let rest = text;
  for (const span of findTokens(text).reverse()) rest = `${rest.slice(0, span.start)}0${rest.slice(span.end)}`;
  return /[+\-*/%(]/.test(rest) && /^[\s\w.,+\-*/%()]*$/.test(rest);
}
