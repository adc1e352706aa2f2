import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { refused, result, run } from './support.ts';

const zero: JsonObject = { id: 'n', type: 'transform', value: 0 };
const up: JsonObject = { id: 'n', type: 'transform', expression: '{{n}} + 1' };
const below = (limit: number): JsonObject => ({ field: 'n', op: '<', value: limit });

describe('a loop', () => {
  it('while runs as long as its condition holds', () => {
    expect(result([zero, { id: 'l', type: 'while', condition: below(5), maxIterations: 10, body: [up] }], '{{n}}')).toEqual({ result: 5 });
  });

  it('until runs as long as it does not', () => {
    expect(result([zero, { id: 'l', type: 'until', condition: { field: 'n', op: '>=', value: 3 }, body: [up] }], '{{n}}')).toEqual({
      result: 3,
    });
  });

  it('foreach binds each item for its turn only', () => {
    const steps = [
      { id: 'n', type: 'transform', value: 0 },
      { id: 'row', type: 'transform', value: 'mine' },
      { id: 'list', type: 'array', items: [{ v: 1 }, { v: 2 }] },
      { id: 'l', type: 'foreach', from: 'list', item: 'row', body: [{ id: 'n', type: 'transform', expression: '{{n}} + {{row.v}}' }] },
    ];
    expect(result(steps, ['{{n}}', '{{row}}'])).toEqual({ result: [3, 'mine'] });
  });

  it('writes once a turn', () => {
    const write = { id: 'w', type: 'write', collection: 'c', key: '{{k}}', ops: [{ op: 'inc', path: 'a', value: 1 }] };
    const { writes } = run(
      { steps: [{ id: 'l', type: 'foreach', from: '{{input.keys}}', item: 'k', body: [write] }] },
      { input: { keys: ['x', 'y'] } },
    );
    expect(writes.map(({ target }) => target.key)).toEqual(['x', 'y']);
  });

  it.each<[string, readonly Json[]]>([
    ['more turns than maxIterations', [zero, { id: 'l', type: 'while', condition: below(5), maxIterations: 4, body: [up] }]],
    ['more turns than a thousand', [{ id: 'l', type: 'while', condition: below(5), body: [] }]],
    [
      'more steps than ten thousand',
      [{ id: 'l', type: 'foreach', from: 'input.many', body: [{ id: 'm', type: 'foreach', from: 'input.many', body: [zero] }] }],
    ],
  ])('refuses %s', (_name, steps) => {
    const many = Array.from({ length: 200 }, (_, index) => index);
    expect(refused({ steps }, { input: { many } })).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });

  it('is left by a route inside', () => {
    const leave = {
      id: 'c',
      type: 'condition',
      check: { expression: '{{n}} == 3' },
      routes: { true: { action: 'goto', step: 'end' }, false: 'continue' },
    };
    const steps = [
      zero,
      { id: 'l', type: 'while', condition: below(99), body: [up, leave] },
      { id: 'skipped', type: 'teleport' },
      { id: 'end', type: 'response' },
    ];
    expect(result(steps, '{{n}}')).toEqual({ result: 3 });
  });
});

describe('a budget', () => {
  it('stops values that double in every turn', () => {
    const steps = [
      { id: 'o', type: 'object', fields: { x: 1 } },
      { id: 'n', type: 'transform', value: 0 },
      { id: 'l', type: 'while', condition: below(60), body: [{ id: 'o', type: 'object', fields: { a: '{{o}}', b: '{{o}}' } }, up] },
    ];
    expect(refused({ steps, response: { body: '{{o}}' } }).status).toBe(400);
    const write = { id: 'w', type: 'write', collection: 'c', key: 'k', ops: [{ op: 'set', path: 'a', value: '{{o}}' }] };
    expect(refused({ steps: [...steps, write] }).status).toBe(400);
  });

  it('stops texts that double in every turn', () => {
    const steps = [
      { id: 's', type: 'transform', value: 'x' },
      { id: 'n', type: 'transform', value: 0 },
      { id: 'l', type: 'while', condition: below(60), body: [{ id: 's', type: 'transform', value: '{{s}}{{s}}' }, up] },
    ];
    expect(refused({ steps }).status).toBe(400);
  });

  it.each<[string, JsonObject]>([
    ['comparing long lists', { field: 'input.long', op: '!=', value: 'x' }],
    ['ordering long lists', { field: 'input.long', op: '>=', value: 0 }],
    ['looking for long lists in lists', { field: 'nested', op: 'not_contains', value: 'x' }],
    ['comparing long lists in lambdas', { expression: 'count(nested, x => x != "a") == 1' }],
    ['counting members', { expression: 'length({{input.wide}}) > 0' }],
    ['numbers out of long lists', { field: '{{num(input.long)}}', op: '==', value: 0 }],
  ])('stops %s', (_name, condition) => {
    const long = Array.from({ length: 30_000 }, (_, index) => index % 10);
    const wide = Object.fromEntries(long.map((_, index) => [`k${index}`, 1]));
    const steps = [
      { id: 'nested', type: 'array', items: ['{{input.long}}'] },
      { id: 'l', type: 'while', condition, maxIterations: 1000, body: [] },
    ];
    const { code, message } = refused({ steps }, { input: { long, wide } });
    expect([code, message]).toEqual(['LIMIT_EXCEEDED', 'A call may not process more data than this']);
  });

  it('stops sorting by long lists', () => {
    const long = Array.from({ length: 30_000 }, (_, index) => index % 10);
    const rows = Array.from({ length: 300 }, () => '{{input.long}}');
    const steps = [
      { id: 'rows', type: 'array', items: rows },
      { id: 's', type: 'sort', source: '{{rows}}' },
    ];
    expect(refused({ steps }, { input: { long } }).code).toBe('LIMIT_EXCEEDED');
  });

  it('stops writing a large document again and again, but not a small one', () => {
    const write = { id: 'w', type: 'write', collection: 'bags', key: 'k', ops: [{ op: 'inc', path: 'n', value: 1 }] };
    const steps = [{ id: 'l', type: 'foreach', from: 'input.items', steps: [write] }];
    const items = Array.from({ length: 900 }, () => 1);
    const large = { n: 0, list: Array.from({ length: 5_000 }, () => 1) };
    expect(refused({ steps }, { input: { items }, documents: { 'bags/k': large } }).code).toBe('LIMIT_EXCEEDED');
    const small = { n: 0, list: Array.from({ length: 200 }, () => 1) };
    expect(run({ steps }, { input: { items }, documents: { 'bags/k': small } }).writes).toHaveLength(900);
  });

  it('stops a template that prints a long list again and again', () => {
    const long = Array.from({ length: 80_000 }, (): Json[] => []);
    const steps = [{ id: 't', type: 'transform', value: '{{input.long}}'.repeat(700) }];
    expect(refused({ steps }, { input: { long } }).status).toBe(400);
  });

  it('stops looking for a member in wide rows', () => {
    const wide = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`k${index}`, 1]));
    const rows = { id: 'rows', type: 'array', items: Array.from({ length: 300 }, () => '{{input.wide}}') };
    const steps = [rows, { id: 's', type: 'transform', expression: 'sum(rows, price)' }];
    expect(refused({ steps }, { input: { wide } }).code).toBe('LIMIT_EXCEEDED');
  });

  it('stops a pattern that takes long, and patterns that take long together', () => {
    const text = 'a'.repeat(2000);
    const one = { id: 'c', type: 'condition', check: { field: 'input.text', op: 'matches', value: '(.{0,300}){3}z' } };
    expect(refused({ steps: [one] }, { input: { text } }).message).toContain('takes too long');
    const until = { field: 'input.text', op: 'matches', value: '(.{0,20}){3}z' };
    const many = { id: 'l', type: 'until', condition: until, maxIterations: 1000, body: [] };
    expect(refused({ steps: [many] }, { input: { text } }).message).toContain('process more data');
  });

  it('stops values that nest without end', () => {
    const steps = [
      { id: 'n', type: 'transform', value: 0 },
      { id: 'o', type: 'transform', value: 1 },
      { id: 'l', type: 'while', condition: below(900), body: [{ id: 'o', type: 'array', items: ['{{o}}'] }, up] },
    ];
    expect(refused({ steps, response: { body: '{{o}}' } }).message).toContain('nested too deeply');
    expect(refused({ steps, response: { body: 'x{{o}}' } }).message).toContain('nested too deeply');
  });
});
