import { bracketPathEnd } from './brackets.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import { isEqual, ORDER_SYMBOLS, orderBy } from './operators.ts';
import { parsePath } from './path.ts';
import { closingParenthesis, findTokens, literalOf } from './scan.ts';
import type { Eval, Scope } from './scope.ts';
import { isTruthy, type Value } from './value.ts';

/**
 * The boolean dialect of lambda bodies. `!` binds less tightly than `==`. Comparisons do not chain, and there is no arithmetic. A token is
 * a value, quoted or not, and never becomes syntax.
 */
export function compileBoolean(language: Language, text: string): Eval {
  const parser = new BooleanParser(language, text);
  return parser.whole();
}

const LONGER_FIRST: readonly string[] = [...ORDER_SYMBOLS].sort((a, b) => b.length - a.length);

/** Charges for every term. A literal costs nothing by itself, and there may be thousands per row. */
function charged(scope: Scope, term: Eval): Value {
  scope.context.spend(1);
  return term(scope);
}

class BooleanParser {
  private readonly language: Language;
  private readonly text: string;
  private readonly tokens: ReadonlyMap<number, number>;
  private at = 0;

  constructor(language: Language, text: string) {
    this.language = language;
    this.text = text;
    this.tokens = new Map(findTokens(text).map((span) => [span.start, span.end]));
  }

  whole(): Eval {
    const result = this.or();
    this.blanks();
    if (this.at < this.text.length) throw this.unexpected();
    return result;
  }

  private blanks(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
  }

  private take(symbol: string): boolean {
    this.blanks();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  private unexpected(): LanguageError {
    return new LanguageError(`Unexpected "${this.text.slice(this.at, this.at + 10)}" in a lambda.`);
  }

  private or(): Eval {
    const terms = [this.and()];
    while (this.take('||')) terms.push(this.and());
    const [only] = terms;
    if (terms.length === 1 && only !== undefined) return only;
    return (scope) => terms.some((term) => isTruthy(charged(scope, term)));
  }

  private and(): Eval {
    const terms = [this.not()];
    while (this.take('&&')) terms.push(this.not());
    const [only] = terms;
    if (terms.length === 1 && only !== undefined) return only;
    return (scope) => terms.every((term) => isTruthy(charged(scope, term)));
  }

  private not(): Eval {
    let count = 0;
    while (this.take('!')) count += 1;
    const operand = this.equality();
    if (count === 0) return operand;
    return (scope) => isTruthy(operand(scope)) === (count % 2 === 0);
  }

  private equality(): Eval {
    const left = this.primary();
    if (this.take('==')) return this.equals(left, true);
    if (this.take('!=')) return this.equals(left, false);
    const symbol = LONGER_FIRST.find((each) => this.take(each));
    if (symbol === undefined) return left;
    const compare = orderBy(symbol, Number.NaN);
    const right = this.primary();
    return (scope) => compare(scope, left(scope), right(scope));
  }

  private equals(left: Eval, wanted: boolean): Eval {
    const right = this.primary();
    return (scope) => isEqual(scope, left(scope), right(scope)) === wanted;
  }

  private primary(): Eval {
    this.blanks();
    const tokenEnd = this.tokens.get(this.at);
    if (tokenEnd !== undefined) return this.language.token(this.slice(tokenEnd).slice(2, -2));
    const char = this.text.charAt(this.at);
    if (char === '(') return this.parenthesised();
    if (char === '"' || char === "'") return this.quoted(char);
    return this.word();
  }

  private slice(end: number): string {
    const text = this.text.slice(this.at, end);
    this.at = end;
    return text;
  }

  private parenthesised(): Eval {
    const end = closingParenthesis(this.text, this.at);
    if (end < 0) throw this.unexpected();
    const inside = this.slice(end + 1).slice(1, -1);
    return compileBoolean(this.language, inside);
  }

  private quoted(quote: string): Eval {
    const end = this.text.indexOf(quote, this.at + 1);
    if (end < 0) throw this.unexpected();
    return this.language.template(this.slice(end + 1).slice(1, -1));
  }

  private word(): Eval {
    const match = /^(?:-?\d+(?:\.\d+)?(?![\w.])|[A-Za-z_][\w.-]*)/.exec(this.text.slice(this.at));
    if (match === null) throw this.unexpected();
    const end = this.at + match[0].length;
    if (this.text.charAt(end) === '[') return this.language.path(this.slice(bracketPathEnd(this.text, end)), false);
    const word = this.slice(end);
    const literal = word === 'null' ? null : literalOf(word);
    if (literal !== undefined) return () => literal;
    const path = parsePath(word);
    return (scope) => scope.path(path);
  }
}
