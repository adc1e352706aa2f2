import { describe, expect, it } from 'vitest';
import { definitionFindings } from '../../src/domain/definition/findings/definition.ts';
import { compileItem } from '../../src/domain/definition/source/compile.ts';
import type { Known } from '../../src/domain/finding.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { filesOf } from '../docs/support/pages.ts';
import { NOTHING_KNOWN } from '../domain/definition/given.ts';
import { refused, result, run } from './support.ts';

/** A computed name, because an object literal with it looks like a promise to linters. */
const THEN = 'then';

/** `set` and `append` of a transform: names of the call that change, as loops need them. */

const start: JsonObject = { id: 'bag', type: 'object', fields: { gold: 1, items: ['a', 'b'], inner: { n: 1 } } };
const change = (json: object): JsonObject => ({ id: 't', type: 'transform', ...json });

describe('transform', () => {
  it.each<[string, object, Json, Json]>([
    ['sets a name', { set: { gold: 5 } }, '{{gold}}', 5],
    ['sets several, the earlier ones seen by the later', { set: { x: 2, y: '{{x}}' } }, ['{{x}}', '{{y}}'], [2, 2]],
    ['sets a member', { set: { 'bag.gold': 2 } }, '{{bag}}', { gold: 2, items: ['a', 'b'], inner: { n: 1 } }],
    ['makes the members on the way', { set: { 'a.b.c': 1 } }, '{{a}}', { b: { c: 1 } }],
    ['sets by what is in brackets', { set: { 'seen["a.b"]': true, 'seen[bag.gold]': true } }, '{{seen}}', { 1: true, 'a.b': true }],
    ['sets an item', { set: { 'bag.items[1]': 'x' } }, '{{bag.items}}', ['a', 'x']],
    ['sets the item after the last', { set: { 'bag.items.2': 'x' } }, '{{bag.items}}', ['a', 'b', 'x']],
    ['takes every text for a template', { set: { a: { b: ['{{bag.gold}}', 'n{{bag.gold}}'] } } }, '{{a}}', { b: [1, 'n1'] }],
    ['computes an expression', { set: { n: { expression: '{{bag.gold}} + 1' } } }, '{{n}}', 2],
    ['sets what is missing to null', { set: { n: '{{nope}}' } }, '{{n}}', null],
    ['gives its own value to a path', { expression: '1 + 1', set: 'bag.gold' }, ['{{t}}', '{{bag.gold}}'], [2, 2]],
    ['has its own value bound before', { expression: '1 + 1', set: { n: '{{t}}' } }, '{{n}}', 2],
    ['appends', { append: { 'bag.items': '{{bag.gold}}' } }, '{{bag.items}}', ['a', 'b', 1]],
    ['appends to what is not there yet', { append: { queue: 'a', 'bag.new': 'b' } }, ['{{queue}}', '{{bag.new}}'], [['a'], ['b']]],
    ['appends its own value', { value: 'c', append: 'bag.items' }, '{{bag.items}}', ['a', 'b', 'c']],
    ['sets first, appends then', { append: { l: 2 }, set: { l: [1] } }, '{{l}}', [1, 2]],
    ['may hide a built-in name from later steps', { set: { 'input.n': 4 } }, '{{input}}', { n: 4 }],
  ])('%s', (_name, json, template, expected) => {
    expect(result([start, change(json)], template)).toEqual({ result: expected });
  });

  it('refuses too many nested brackets, before it parses them', () => {
    const deep = `${'a['.repeat(20_000)}a${']'.repeat(20_000)}`;
    const steps = [start, change({ set: { [deep]: 1 } })];
    expect(refused({ steps })).toMatchObject({ status: 400, message: expect.stringContaining('nested') });
  });

  it('binds nothing itself when it only changes names', () => {
    expect(result([change({ set: { a: 1 } })], ['{{t}}', '{{a}}'])).toEqual({ result: [null, 1] });
  });

  it('changes only the name: not values that were read from it before, no document, no game value', () => {
    const steps = [
      start,
      { id: 'doc', type: 'read', collection: 'c', key: 'k' },
      change({ set: { kept: '{{bag}}', 'doc.n': 2, 'values.t.x': 2 } }),
      change({ set: { 'bag.inner.n': 2 }, append: { 'bag.items': 'c' } }),
      { id: 'again', type: 'read', collection: 'c', key: 'k' },
    ];
    const world = { documents: { 'c/k': { n: 1 } }, values: { t: { x: 1 } } };
    const seen = ['{{kept.inner.n}}', '{{kept.items.length}}', '{{bag.inner.n}}', '{{doc.n}}', '{{again.n}}', '{{values.t.x}}'];
    expect(result(steps, seen, world)).toEqual({ result: [1, 2, 2, 2, 1, 2] });
    expect(world).toEqual({ documents: { 'c/k': { n: 1 } }, values: { t: { x: 1 } } });
  });

  it.each<[string, object, RegExp]>([
    ['nothing to do', { set: {} }, /neither expression nor value/],
    ['a path without a value', { append: 'a' }, /neither expression nor value/],
    ['a list of changes', { value: 1, set: [1] }, /map of path to value/],
    ['a way through a number', { set: { 'bag.gold.x': 1 } }, /no members/],
    ['an append to an object', { append: { bag: 1 } }, /not a list/],
    ['an item far behind the last', { set: { 'bag.items[9]': 1 } }, /an item that the list does not have/],
    ['a member of a list', { set: { 'bag.items.length': 0 } }, /an item that the list does not have/],
    ['brackets without a value', { set: { 'bag[nope]': 1 } }, /has no value/],
    ['brackets that do not match', { set: { 'bag[': 1 } }, /do not match/],
    ['no name', { set: { '': 1 } }, /not a path/],
    ['a name that a token brings', { set: { '{{bag.gold}}': 1 } }, /not a path/],
    ['a prototype', { set: { 'bag.__proto__.x': 1 } }, /Forbidden/],
    ['a prototype in brackets', { set: { 'bag[p]': 1 } }, /Forbidden/],
    ['a prototype as the name', { value: 1, set: 'constructor' }, /Forbidden/],
  ])('refuses %s', (_name, json, message) => {
    const steps = [start, { id: 'p', type: 'transform', value: 'prototype' }, change(json)];
    expect(refused({ steps })).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.TRANSFORM', message: expect.stringMatching(message) });
  });

  it('walks a graph in a loop, as the editor writes it', () => {
    const graph = { a: { next: ['b', 'c'] }, b: { next: ['d'] }, c: { next: ['d', 'a'] }, d: { next: [] } };
    const visit = [
      change({ set: { current: '{{queue[head]}}', head: { expression: '{{head}} + 1' } } }),
      {
        id: 'fresh',
        type: 'condition',
        check: { field: 'visited[current]', op: 'not_exists' },
        [THEN]: [
          change({ set: { 'visited[current]': true }, append: { order: '{{current}}' } }),
          { id: 'node', type: 'lookup', from: 'values.graph', key: '{{current}}', as: 'node' },
          { id: 'l', type: 'foreach', from: 'node.next', item: 'n', maxIterations: 9, body: [change({ append: { queue: '{{n}}' } })] },
        ],
        else: [],
      },
    ];
    const steps = [
      change({ set: { queue: ['a'], head: 0, visited: {} } }),
      { id: 'w', type: 'while', condition: { field: 'queue[head]', op: 'exists' }, maxIterations: 20, body: visit },
    ];
    expect(result(steps, '{{order}}', { values: { graph } })).toEqual({ result: ['a', 'b', 'c', 'd'] });
  });

  it('does what docs/language.md shows, and has no findings', () => {
    const sourceText = filesOf('docs/language.md').get('walk.endpoint.yml') ?? '';
    const compiled = compileItem({ kind: 'endpoint', id: 'walk', sourceFormat: 'yaml', sourceText }, 'endpoint');
    if (!compiled.ok) throw new Error('the example cannot be read');
    const known: Known = { ...NOTHING_KNOWN, value: (path) => path === 'rooms' };
    expect(definitionFindings('endpoint', compiled.definition, known)).toEqual([]);
    const rooms = { hall: { doors: ['yard', 'attic'] }, yard: { doors: ['hall', 'lake'] }, attic: { doors: [] } };
    const { body } = run(compiled.definition, { input: { room: 'hall' }, values: { rooms } });
    expect(body).toEqual({ visited: { hall: true, yard: true, attic: true, lake: true } });
  });

  it('is charged for what it copies, so that no loop blocks a node', () => {
    const more = [change({ append: { list: '{{list}}' } })];
    const steps = [change({ set: { list: [1] } }), { id: 'rows', type: 'foreach', from: 'input.rows', maxIterations: 1000, body: more }];
    const grown = (rows: number) =>
      refused({ steps, response: { body: '{{list}}' } }, { input: { rows: Array.from({ length: rows }, () => 0) } });
    expect(grown(1000)).toMatchObject({ status: 400 });
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index]));
    const copies = [
      { id: 'rows', type: 'foreach', from: 'input.rows', maxIterations: 1000, body: [change({ set: { 'input.wide.x': 1 } })] },
    ];
    const input = { wide, rows: Array.from({ length: 1000 }, () => 0) };
    expect(refused({ steps: copies }, { input })).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });
});
