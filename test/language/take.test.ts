import { describe, expect, it } from 'vitest';
import { knownIn } from '../../src/domain/definition/findings/known.ts';
import { effectiveDefinitions } from '../../src/domain/definition/model/effective.ts';
import { Findings } from '../../src/domain/finding.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { tokensFindings } from '../../src/language/validate/tokens.ts';
import { EMPTY } from '../domain/definition/given.ts';
import { refused, result } from './support.ts';

/** Lists that a loop consumes. */

const start = (names: JsonObject): JsonObject => ({ id: 'start', type: 'transform', set: names });
const loop = (more: JsonObject): JsonObject => ({
  id: 'walk',
  type: 'while',
  condition: { field: 'stops.length', op: '>', value: 0 },
  maxIterations: 50,
  ...more,
});
const visit = (item: string): JsonObject => ({ id: 'visit', type: 'transform', append: { route: item } });

describe('a list that a loop consumes', () => {
  it.each<[string, JsonObject, Json]>([
    ['in a token', loop({ body: [visit('{{stops.shift()}}')] }), ['mine', 'mill', 'port']],
    ['from its end', loop({ body: [visit('{{stops.pop()}}')] }), ['port', 'mill', 'mine']],
    ['in the let of the loop', loop({ let: { stop: '{{stops.shift()}}' }, body: [visit('{{stop}}')] }), ['mine', 'mill', 'port']],
    ['in a let without braces', loop({ let: { stop: 'stops.shift()' }, body: [visit('{{stop}}')] }), ['mine', 'mill', 'port']],
    [
      'in the let of a step, once however often its name is read',
      loop({ body: [{ ...visit('{{stop}}-{{stop}}'), let: { stop: 'stops.shift()' } }] }),
      ['mine-mine', 'mill-mill', 'port-port'],
    ],
    [
      'with a default when it is empty',
      loop({ body: [visit('{{stops.shift()}}'), visit('{{stops.shift()|home}}')] }),
      ['mine', 'mill', 'port', 'home'],
    ],
  ])('gives its items one by one, %s', (_name, walk, route) => {
    expect(result([start({ stops: ['mine', 'mill', 'port'] }), walk], ['{{route}}', '{{stops.length}}'])).toEqual({ result: [route, 0] });
  });

  it('walks a route: what a stop leads to is appended to what is consumed', () => {
    const roads = { mine: ['mill', 'port'], mill: ['mine', 'town'], port: [], town: ['port'] };
    const steps = [
      start({ queue: ['mine'], order: [] }),
      {
        id: 'walk',
        type: 'until',
        condition: { field: 'queue.length', op: '==', value: 0 },
        let: { current: '{{queue.shift()}}' },
        maxIterations: 20,
        body: [
          {
            id: 'new',
            type: 'condition',
            check: { field: 'visited[current]', op: 'not_exists' },
            onFalse: 'continue',
            ['the' + 'n']: [
              { id: 'mark', type: 'transform', set: { 'visited[current]': true }, append: { order: '{{current}}' } },
              {
                id: 'roads',
                type: 'foreach',
                from: 'values.roads[current]',
                item: 'next',
                body: [{ id: 'add', type: 'transform', append: { queue: '{{next}}' } }],
              },
            ],
          },
        ],
      },
    ];
    expect(result(steps, '{{order}}', { values: { roads } })).toEqual({ result: ['mine', 'mill', 'port', 'town'] });
  });

  it('is consumed only under its name, also below a name', () => {
    const steps = [
      start({ plan: { stops: [1, 2] } }),
      { id: 'same', type: 'transform', value: '{{plan.stops}}' },
      { id: 'first', type: 'transform', value: '{{plan.stops.shift()}}' },
      { id: 'key', type: 'transform', value: 'stops' },
      { id: 'second', type: 'transform', value: '{{plan[key].pop()}}' },
    ];
    expect(result(steps, ['{{first}}', '{{second}}', '{{plan.stops}}', '{{same}}'])).toEqual({ result: [1, 2, [], [1, 2]] });
  });

  it('fails for another value, and gives no value for an empty or missing list', () => {
    const take = { id: 't', type: 'transform', value: '{{stops.shift()}}' };
    expect(refused({ steps: [start({ stops: 'text' }), take] })).toMatchObject({ status: 400, code: 'ENDPOINT_ERROR.TRANSFORM' });
    expect(result([take], '{{t|none}}')).toEqual({ result: 'none' });
  });
});

it('the validator accepts these two methods, and no others', () => {
  const findings = new Findings(knownIn(effectiveDefinitions(EMPTY, 'live')));
  tokensFindings(['{{a.shift()}}', '{{a.b.pop()|0}}', '{{a.includes(1)}}', '{{a.shift(1)}}'], '', findings);
  expect(findings.all.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['INVALID_EXPRESSION /2', 'INVALID_EXPRESSION /3']);
});
