import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expression } from '../../language/support.ts';

/** The parser agrees with a plain evaluation of the tree that the text was printed from. */

interface Tree {
  readonly text: string;
  readonly value: number;
  /** 0: a sum, 1: a product, 2: anything that needs no parentheses. */
  readonly rank: 0 | 1 | 2;
}

const NAMES = { a: 3, b: -2, c: { d: 0.5 }, s: '7' };
const TOKENS: Readonly<Record<string, number>> = { '{{a}}': 3, '{{b}}': -2, '{{c.d}}': 0.5, '{{s}}': 7, '{{nope|4}}': 4, '{{-a}}': -3 };

const inner = (tree: Tree, rank: number) => (tree.rank < rank ? `(${tree.text})` : tree.text);

function binary(operator: string, left: Tree, right: Tree): Tree {
  const product = '*/%'.includes(operator);
  const rank = product ? 1 : 0;
  const text = `${inner(left, rank)} ${operator} ${inner(right, rank + 1)}`;
  return { text, rank, value: compute(operator, left.value, right.value) };
}

function compute(operator: string, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  return operator === '/' ? a / b : a % b;
}

const FUNCTIONS: readonly [string, number, (...args: number[]) => number][] = [
  ['floor', 1, Math.floor],
  ['ceil', 1, Math.ceil],
  ['abs', 1, Math.abs],
  ['round', 1, (x) => Math.floor(x + 0.5)],
  ['max', 2, Math.max],
  ['min', 3, Math.min],
  ['pow', 2, (x, y) => x ** y],
  ['clamp', 3, (x, low, high) => Math.max(low, Math.min(high, x))],
];

function call([name, , apply]: (typeof FUNCTIONS)[number], args: readonly Tree[]): Tree {
  return { text: `${name}(${args.map(({ text }) => text).join(', ')})`, rank: 2, value: apply(...args.map(({ value }) => value)) };
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.nat({ max: 50 }).map((n): Tree => ({ text: String(n), value: n, rank: 2 })),
    fc.constantFrom(...Object.entries(TOKENS)).map(([text, value]): Tree => ({ text, value, rank: 2 })),
    tie('tree').map((operand): Tree => ({ text: `-${inner(operand, 2)}`, value: -operand.value, rank: 2 })),
    fc.tuple(fc.constantFrom('+', '-', '*', '/', '%'), tie('tree'), tie('tree')).map(([op, left, right]) => binary(op, left, right)),
    fc
      .constantFrom(...FUNCTIONS)
      .chain((fn) => fc.array(tie('tree'), { minLength: fn[1], maxLength: fn[1] }).map((args) => call(fn, args))),
  ),
}));

describe('expressions', () => {
  it('evaluate as the tree they spell', () => {
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        fc.pre(text.replace(/\{\{.*?\}\}/g, '').length <= 1000);
        // One token alone keeps its type. Adding 0 makes one zero of two.
        expect(Number(expression(text, NAMES)) + 0).toBe(value + 0);
      }),
      { numRuns: 1000 },
    );
  });
});
