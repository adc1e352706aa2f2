import { expect, it } from 'vitest';
import { conditionSaid, failingStep, fieldLimited, limitNamed, ruleNamed } from '../../src/console/words/failing.ts';
import { leftSaid, limitName, usedOf } from '../../src/console/words/limit.ts';

const affordable = {
  id: 'affordable',
  type: 'condition',
  check: { field: 'purse', op: '>=', value: '{{cost}}' },
  onFail: { error: 'TOO_POOR' },
};
const logic = {
  endpoints: [
    {
      id: 'upgrade-axe',
      slug: 'upgrade',
      steps: [
        { id: 'bill', type: 'workflow', workflow: 'charge' },
        { id: 'look', type: 'call', workflow: 'camp.greet' },
        { id: 'own', type: 'call', workflow: 'mine' },
        { id: 'gate', type: 'workflow', workflow: 'open' },
      ],
      blocks: { mine: { steps: [{ id: 'enough', type: 'assert', check: 'a > b' }] } },
    },
  ],
  workflows: [
    { id: 'charge', steps: [affordable, { id: 'deep', type: 'call', workflow: 'camp.greet' }] },
    { id: 'open', check: 'isOpen', onFail: { error: 'CLOSED' }, steps: [] },
  ],
  libraries: [
    {
      id: 'camp',
      blocks: {
        greet: { steps: [{ id: 'inner', type: 'call', workflow: 'named' }] },
        named: { steps: [{ id: 'is', type: 'assert', check: 'name' }] },
      },
    },
  ],
};
const found = (path: string | null, code = 'X') => {
  const failing = failingStep(logic, 'upgrade', path, code);
  const places = failing?.places.map(({ kind, id, block }) => `${kind} ${id}${block === undefined ? '' : `.${block}`}`).slice(1);
  return [places, failing?.step?.['id'] ?? null, failing?.condition ?? null];
};

it('follows a refusal into what the endpoint calls: workflows, libraries and blocks of its own', () => {
  const condition = JSON.stringify(affordable.check);
  expect(found('bill > charge', 'TOO_POOR')).toEqual([['workflow charge'], 'affordable', condition]);
  expect(found('bill > charge > affordable')).toEqual([['workflow charge'], 'affordable', condition]);
  expect(found('bill > charge > deep > camp.greet > inner > named > is')).toEqual([
    ['workflow charge', 'library camp.greet', 'library camp.named'],
    'is',
    'name',
  ]);
  expect(found('own > mine > enough')).toEqual([['endpoint upgrade-axe.mine'], 'enough', 'a > b']);
  expect(found('gate > open', 'CLOSED')).toEqual([['workflow open'], null, 'isOpen']);
});

it('says what is found where the rest is gone, and nothing of an endpoint that is', () => {
  expect(found('bill > gone > enough')).toEqual([[], null, null]);
  expect(found('bill > charge', 'OTHER')).toEqual([['workflow charge'], null, null]);
  expect(failingStep(logic, 'other', null, 'X')).toBeNull();
});

it('names the limit that refused, as the server words it', () => {
  expect(limitNamed('The rate limit "Few "numbers"" was reached')).toEqual({ rule: 'Few "numbers"' });
  expect(limitNamed('The endpoint "buy" may not be called more often')).toEqual({ endpoint: 'buy' });
  expect([limitNamed(null), limitNamed('Not enough gold')]).toEqual([null, null]);
  const rules = [{ id: 'a', name: 'b' }, { id: 'b', name: 'c' }, { id: 'd' }];
  expect(['b', 'a', 'd', 'x'].map((name) => ruleNamed(rules, name))).toEqual([rules[0], rules[0], rules[2], null]);
  expect(fieldLimited([{ id: 'saves' }, { id: 'saves.old' }], 'saves.old.gold')).toEqual({ id: 'saves.old', field: 'gold' });
  expect(fieldLimited([], 'saves.gold')).toBeNull();
});

it('says by its name what a player has left of a limit', () => {
  const wood = { rule: 'rl_wood', name: 'Wood per minute', window: 'perMinute', limit: 150, used: 130, remaining: 20 };
  const call = { rule: 'buy', window: 'perDay', limit: 3, used: 3, remaining: 0 };
  expect([wood, call].map(limitName)).toEqual(['Wood per minute', 'buy']);
  expect([wood, call].map(leftSaid)).toEqual(['20 of 150 left per minute', '0 of 3 left per day']);
  expect(['Wood per minute', 'rl_wood', 'other'].map((name) => usedOf([wood, call], name).length)).toEqual([1, 1, 0]);
});

it('says a condition in words, and as it is written where there are none', () => {
  const said = (condition: unknown) => conditionSaid(typeof condition === 'string' ? condition : JSON.stringify(condition));
  expect(said({ field: 'purse', op: '>=', value: '{{cost}}' })).toBe('purse is at least cost');
  expect(said({ field: 'me.axe', op: 'exists' })).toBe('me.axe is there');
  expect(said({ all: [{ field: 'level', op: '<', value: 5 }, { expression: '{{ me.gold > 2 }}' }] })).toBe(
    'level is less than 5, and me.gold > 2',
  );
  expect(said({ any: [{ field: 'kind', op: 'in', value: ['axe', 'rope'] }, 'isOpen'] })).toBe('kind is one of axe, rope, or isOpen');
  expect(said('{{gold >= price}}')).toBe('gold >= price');
  expect(said({ field: 'a', op: 'divides', value: 2 })).toBe('{"field":"a","op":"divides","value":2}');
  expect(said({ gte: ['gold', 1] })).toBe('{"gte":["gold",1]}');
});
