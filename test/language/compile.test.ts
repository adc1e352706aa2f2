import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/kernel/json.ts';
import { callOf, compile, NO_READS, ran, refused } from './support.ts';

/** Compiling a large definition holds nobody up. */

const step = (n: number): JsonObject => ({ id: `s${n}`, type: 'transform', value: `{{input.a}} of ${n}` });
const steps = Array.from({ length: 1500 }, (_, n) => step(n));

describe('a large endpoint', () => {
  it('is compiled step by step, nested steps too, and then runs like any other', () => {
    const loop = { id: 'l', type: 'foreach', from: 'input.list', item: 'i', steps };
    const compiled = compile({ steps: [step(-1), loop], response: { body: { last: '{{s1499}}' } } });
    expect(compiled.isLarge).toBe(true);
    expect([...compiled.prepare()]).toHaveLength(1502);
    expect(ran(compiled, callOf({ input: { a: 'one', list: [1] } }), NO_READS).body).toEqual({ last: 'one of 1499' });
  });

  it('is compiled as far as a call reaches if it was not prepared', () => {
    const leave = { id: 'r', type: 'return', value: { ok: true } };
    expect(ran(compile({ steps: [leave, ...steps] }), callOf({}), NO_READS).body).toEqual({ ok: true });
  });
});

it('a small endpoint is not large', () => {
  expect(compile({ steps: [step(1)] }).isLarge).toBe(false);
});

it('steps nested too deeply fail the call that reaches them', () => {
  let inner: JsonObject = step(0);
  for (let depth = 0; depth < 20; depth += 1) inner = { id: `b${depth}`, type: 'block', steps: [inner] };
  expect(refused({ steps: [inner] })).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.BLOCK' });
});
