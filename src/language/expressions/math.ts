import { COLLECTION_NUMBERS, compileCollectionCall } from './collections.ts';
import { LanguageError } from './errors.ts';
import type { Language } from './language.ts';
import { closingParenthesis, splitArguments } from './scan.ts';
import type { Scope } from './scope.ts';

/** Arithmetic over doubles, compiled by recursive descent into closures. */

export type Num = (scope: Scope) => number;

/** Thrown if a token touches a digit or another token. Such tokens are inserted as text before parsing. */
export class AdjoiningToken extends Error {
  override readonly name = 'Glued';
}

/** Tokens by their start in the text. */
export type Operands = ReadonlyMap<number, { readonly end: number; readonly number: Num }>;

interface MathFunction {
  readonly least: number;
  readonly most: number;
  readonly apply: (args: readonly number[], scope: Scope) => number;
}

const of = (count: number, apply: MathFunction['apply']): MathFunction => ({ least: count, most: count, apply });
const one = (apply: (x: number) => number): MathFunction => of(1, ([x = Number.NaN]) => apply(x));
const two = (apply: (x: number, y: number) => number): MathFunction => of(2, ([x = Number.NaN, y = Number.NaN]) => apply(x, y));

const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map([
  ['floor', one(Math.floor)],
  ['ceil', one(Math.ceil)],
  ['abs', one(Math.abs)],
  ['round', one((x) => Math.floor(x + 0.5))],
  ['min', { least: 2, most: Number.POSITIVE_INFINITY, apply: (args) => Math.min(...args) }],
  ['max', { least: 2, most: Number.POSITIVE_INFINITY, apply: (args) => Math.max(...args) }],
  ['pow', two((x, y) => x ** y)],
  ['log10', one(log10)],
  ['clamp', of(3, ([x = Number.NaN, low = Number.NaN, high = Number.NaN]) => Math.max(low, Math.min(high, x)))],
  ['diffMs', two((a, b) => a - b)],
  ['diffS', two((a, b) => (a - b) / 1000)],
  ['now', of(0, (_args, { context }) => context.call.now)],
  ['nowS', of(0, (_args, { context }) => Math.floor(context.call.now / 1000))],
  ['hour', of(0, (_args, { context }) => new Date(context.call.now).getUTCHours())],
  ['dayOfWeek', of(0, (_args, { context }) => new Date(context.call.now).getUTCDay())],
]);

function log10(x: number): number {
  if (Number.isFinite(x) && x > 0) return Math.log10(x);
  throw new LanguageError('log10() needs a finite number above 0.');
}

export const MATH_FUNCTIONS: readonly string[] = [...FUNCTIONS.keys()];

const SUMS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['+', (a: number, b: number) => a + b],
  ['-', (a: number, b: number) => a - b],
]);
const PRODUCTS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ['*', (a: number, b: number) => a * b],
  ['/', (a: number, b: number) => a / b],
  ['%', (a: number, b: number) => a % b],
]);

export class MathParser {
  private readonly language: Language;
  private readonly text: string;
  private readonly operands: Operands;
  private at = 0;

  constructor(language: Language, text: string, operands: Operands) {
    this.language = language;
    this.text = text;
    this.operands = operands;
  }

  whole(): Num {
    const result = this.expr();
    if (this.peek() !== '') throw this.unexpected();
    return result;
  }

  /** The next character that is not blank; '' at the end. */
  private peek(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
    return this.text.charAt(this.at);
  }

  private take(symbol: string): boolean {
    if (this.peek() !== symbol) return false;
    this.at += 1;
    return true;
  }

  private unexpected(): LanguageError {
    const rest = this.text.slice(this.at);
    if (rest === '') return new LanguageError('Math expression ends unexpectedly.');
    if (/^[A-Za-z_"']/.test(rest)) return new LanguageError('Math expression contains invalid characters.');
    return new LanguageError(`Unexpected "${rest.slice(0, 10)}" in math expression.`);
  }

  private expr(): Num {
    return this.leftAssociative(SUMS, () => this.term());
  }

  private term(): Num {
    return this.leftAssociative(PRODUCTS, () => this.unary());
  }

  private leftAssociative(operators: typeof SUMS, operand: () => Num): Num {
    const first = operand();
    const steps: { apply: (a: number, b: number) => number; right: Num }[] = [];
    for (let apply = operators.get(this.peek()); apply !== undefined; apply = operators.get(this.peek())) {
      this.at += 1;
      steps.push({ apply, right: operand() });
    }
    const [only] = steps;
    if (only === undefined) return first;
    if (steps.length === 1) return (scope) => only.apply(first(scope), only.right(scope));
    return (scope) => {
      scope.context.spend(steps.length);
      return steps.reduce((value, step) => step.apply(value, step.right(scope)), first(scope));
    };
  }

  private unary(): Num {
    let negative = false;
    while (this.take('-')) negative = !negative;
    const operand = this.primary();
    return negative ? (scope) => -operand(scope) : operand;
  }

  private primary(): Num {
    const char = this.peek();
    const token = this.operands.get(this.at);
    if (token !== undefined) return this.token(token);
    if (this.take('(')) return this.closed(this.expr());
    if (/[0-9]/.test(char)) return this.number();
    return this.call();
  }

  private closed(inside: Num): Num {
    if (!this.take(')')) throw this.unexpected();
    return inside;
  }

  private token(operand: { readonly end: number; readonly number: Num }): Num {
    this.at = operand.end;
    if (this.operands.has(this.at) || /[\w.]/.test(this.text.charAt(this.at))) throw new AdjoiningToken();
    return operand.number;
  }

  private number(): Num {
    const digits = /^\d+(?:\.\d*)?/.exec(this.text.slice(this.at))?.[0] ?? '';
    const from = this.at;
    this.at += digits.length;
    if (this.operands.has(this.at)) throw new AdjoiningToken();
    if (/[\w.]/.test(this.text.charAt(this.at))) {
      // `1.{{a}}` is one number too.
      if (this.operands.has(this.at + 1)) throw new AdjoiningToken();
      throw this.unexpected();
    }
    const value = Number(this.text.slice(from, this.at));
    return () => value;
  }

  private call(): Num {
    const head = /^([A-Za-z_]\w*)\s*\(/.exec(this.text.slice(this.at));
    if (head === null) throw this.unexpected();
    const name = head[1] ?? '';
    const open = this.at + head[0].length - 1;
    const close = closingParenthesis(this.text, open);
    if (close < 0) throw this.unexpected();
    const args = this.text.slice(open + 1, close);
    if (COLLECTION_NUMBERS.has(name) || this.isListExtreme(name, args)) return this.collection(name, args, close);
    const fn = FUNCTIONS.get(name);
    if (fn === undefined) throw new LanguageError(`Unknown function "${name}" in math expression.`);
    this.at = open + 1;
    return this.application(name, fn);
  }

  private isListExtreme(name: string, args: string): boolean {
    return (name === 'min' || name === 'max') && splitArguments(args).length === 1;
  }

  private collection(name: string, args: string, close: number): Num {
    this.at = close + 1;
    const evaluate = compileCollectionCall(this.language, name, args);
    return (scope) => {
      const number = Number(evaluate(scope));
      if (Number.isNaN(number)) throw new LanguageError(`${name}() is not a number.`);
      return number;
    };
  }

  private application(name: string, fn: MathFunction): Num {
    const args: Num[] = [];
    if (!this.take(')')) {
      do args.push(this.expr());
      while (this.take(','));
      if (!this.take(')')) throw this.unexpected();
    }
    if (args.length < fn.least || args.length > fn.most) throw new LanguageError(`${name}() has the wrong number of arguments.`);
    return (scope) => {
      scope.context.spend(args.length);
      return fn.apply(
        args.map((arg) => arg(scope)),
        scope,
      );
    };
  }
}
