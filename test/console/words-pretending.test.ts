import { expect, it } from 'vitest';
import { fieldsOfDocument, firstUsing, pretended, pretendedSaid, workedOn } from '../../src/console/words/pretending.ts';

/** What a player is taken to have while an endpoint is tried. */

const UPGRADE = {
  id: 'upgrade',
  steps: [
    { id: 'me', type: 'read', collection: 'players', key: '{{platformId}}' },
    { id: 'level', type: 'transform', expression: '{{me.axe}} + 1 - {{home.axes}}' },
    { id: 'axe', type: 'lookup', table: 'axes', where: { field: 'level', value: '{{level}}' } },
    { id: 'bill', type: 'workflow', workflow: 'charge', params: { purse: '{{me.gold}}', cost: '{{axe.price}}' } },
    {
      id: 'buy',
      type: 'write',
      collection: 'players',
      key: '{{platformId}}',
      ops: [
        { op: 'set', path: 'bought' },
        { op: 'inc', path: 'bag.axes' },
      ],
    },
    { id: 'log', type: 'write', collection: 'sales', key: 'all', ops: [{ op: 'inc', path: 'count' }] },
  ],
};

it('an endpoint works on the document of the player that it reads, and on the fields that its steps name or write', () => {
  expect(workedOn(UPGRADE)).toEqual({ collection: 'players', fields: ['axe', 'gold', 'bought'] });
  expect(workedOn({ steps: [{ id: 'all', type: 'read', collection: 'world', key: 'all' }] })).toBeNull();
  expect(workedOn({})).toBeNull();
});

it('fields that are plain, or not there yet, may be something else; masked ones and ones with members may not', () => {
  const of = { collection: 'players', fields: ['gold', 'name', 'isNew', 'bag', 'mail', 'axe'] };
  const fields = fieldsOfDocument(of, { gold: 4, name: 'Ada', isNew: true, bag: { axe: 1 }, mail: '[personal]' });
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['gold', 'number'],
    ['name', 'text'],
    ['isNew', 'flag'],
    ['axe', 'json'],
  ]);
  expect(fields[0]?.says).toBe('4 now');
});

it('what is masked is nothing that the player has; the rest stays but for what is taken for something else', () => {
  expect(
    pretended({ gold: 4, mail: '[personal]', bag: { of: '[personal]', axe: 1 }, mails: ['[personal]'] }, { gold: 90, axe: 2 }),
  ).toEqual({
    ...{ gold: 90, axe: 2 },
    bag: { axe: 1 },
    mails: [],
  });
  expect(pretendedSaid({ gold: 90, axe: 2 })).toBe('gold 90, axe 2');
});

it('what is staged leads to the endpoint that is among it, or else to one that names it', () => {
  const swing = { id: 'swing', steps: [{ table: 'axes', value: '{{axe.power}}' }] };
  const endpoints = [
    { id: 'chop', steps: [{ table: 'taxes' }] },
    swing,
    UPGRADE,
    { id: 'sell', steps: [{ value: '{{values.goods.wood}}' }] },
  ];
  const values = [
    { id: 'axes', name: 'All axes' },
    { id: 'goods', name: 'Goods' },
  ];
  const first = (...staged: { kind: string; id: string; fields: { label: string }[] }[]) => firstUsing(endpoints, staged, values)?.id;
  const priced = (label: string) => ({ kind: 'game-values', id: '*', fields: [{ label }] });
  expect(first(priced('All axes › Copper axe › price'))).toBe('upgrade');
  expect(first(priced('All axes › Copper axe › power'))).toBe('swing');
  expect(first(priced('Goods › wood'))).toBe('sell');
  expect(first({ kind: 'workflow', id: 'charge', fields: [] })).toBe('upgrade');
  expect(first(priced('All axes › name'), { kind: 'endpoint', id: 'chop', fields: [] })).toBe('chop');
  expect(first(priced('Other › name'))).toBeUndefined();
  expect(first()).toBeUndefined();
});
