import type { JsonObject } from '../../src/kernel/json.ts';

/** A game that uses much of the language, to compare a node's answers with the generated types. */

const HEROES = {
  id: 'heroes',
  collectionType: 'per-platformid',
  accessMode: 'public',
  schema: {
    name: { type: 'string' },
    kind: { type: 'string', enum: ['mage', 'knight'], default: 'mage' },
    gold: { type: 'number', default: 3, _ledger: true },
    stats: { type: 'object', properties: { xp: { type: 'number', default: 1 }, title: { type: 'string' } } },
    wallet: { type: 'object', additionalProperties: { type: 'number' } },
    bag: {
      type: 'array',
      items: { type: 'object', properties: { item: { type: 'string', required: true }, count: { type: 'integer', default: 1 } } },
    },
    open: { type: 'boolean', default: true },
  },
};

const VALUES = [
  { id: 'shop', type: 'group', name: 'Shop', visibility: 'public', entries: { open: true, fee: 5, tags: ['a', 'b'], depth: { floor: 2 } } },
  {
    id: 'prices',
    type: 'table',
    name: 'Prices',
    visibility: 'public',
    columns: [
      { key: 'item', type: 'string' },
      { key: 'price', type: 'number' },
    ],
    rows: [
      { item: 'axe', price: 7 },
      { item: 'castle', price: 7000 },
    ],
  },
];

const HERO = { id: 'hero', type: 'read', collection: 'heroes', required: true, onMissing: { status: 404, errorCode: 'NO_HERO' } };
const ROW = {
  id: 'row',
  type: 'lookup',
  source: 'values',
  table: 'prices',
  where: { field: 'item', op: '==', value: '{{input.item}}' },
};

const MAKE = {
  id: 'make',
  input: { properties: { name: { type: 'string' }, kind: { type: 'string', enum: ['mage', 'knight'] } }, required: ['name'] },
  steps: [
    {
      id: 'made',
      type: 'write',
      collection: 'heroes',
      ops: [
        { op: 'set', path: 'name', value: '{{input.name}}' },
        { op: 'push', path: 'bag', value: { item: 'rope', count: 2 } },
        { op: 'inc', path: 'wallet.gems', value: 2 },
      ],
    },
  ],
  response: { body: { hero: '{{made}}', title: '{{made.stats.title}}', first: '{{made.bag.0.item}}' } },
};

const BUY = {
  id: 'buy',
  input: { properties: { item: { type: 'string' } }, required: ['item'] },
  steps: [
    HERO,
    { ...ROW, required: true, onMissing: { status: 404, errorCode: 'NO_ITEM' } },
    { id: 'bill', type: 'workflow', workflow: 'charge', params: { purse: '{{hero.gold}}', cost: '{{row.price}}' } },
    { id: 'pay', type: 'write', collection: 'heroes', ops: [{ op: 'inc', path: 'gold', value: '{{-row.price}}', reason: 'a buy' }] },
  ],
  response: { body: { ok: true, row: '{{row}}', left: '{{bill.left}}', gold: '{{pay.gold}}', said: '{{hero.name}} buys {{input.item}}' } },
};

const LOOK = {
  id: 'look',
  input: { properties: { item: { type: 'string' }, deep: { type: 'boolean' } } },
  steps: [
    { id: 'early', type: 'return_on', on: { field: 'input.deep', op: 'not_exists' }, value: { ok: true, shallow: '{{values.shop.open}}' } },
    { id: 'hero', type: 'read', collection: 'heroes' },
    ROW,
    { id: 'cheap', type: 'filter', source: 'values', table: 'prices', where: { field: 'price', op: '<', value: 100 } },
    { id: 'some', type: 'random_select', source: 'values', table: 'prices', where: { field: 'price', op: '>', value: 1 } },
    { id: 'luck', type: 'random', mode: 'int', min: 1, max: 7 },
    { id: 'names', type: 'transform', value: [] },
    {
      id: 'each',
      type: 'foreach',
      from: 'values.prices',
      item: 'one',
      maxIterations: 9,
      steps: [{ id: 'more', type: 'transform', append: { names: '{{one.item}}' } }],
    },
    { id: 'size', type: 'switch', cases: [{ when: { field: 'luck', op: '>', value: 3 }, value: 'large' }], default: 'small' },
    { id: 'sums', type: 'compute', values: { total: '{{luck}} * 2', half: '{{values.shop.fee}} / {{luck}}' } },
    { id: 'both', type: 'merge', sources: [{ a: 1 }, { b: '{{luck}}' }] },
    { id: 'price', type: 'call', target: 'economy.reduced', params: { price: '{{luck}}' } },
  ],
  response: {
    body: {
      hero: '{{hero}}',
      row: '{{row}}',
      cheap: '{{cheap}}',
      some: '{{some}}',
      names: '{{names}}',
      size: '{{size}}',
      sums: '{{sums}}',
      both: '{{both}}',
      reduced: '{{price.price}}',
      tags: '{{values.shop.tags}}',
      at: '{{now}}',
      unix: '{{_unixS}}',
      who: '{{platformId}}',
      count: '{{count(values.prices)}}',
      prices: '{{pluck(values.prices, price)}}',
      best: '{{find(values.prices, x => x.price > 100)}}',
    },
  },
  imports: ['economy'],
};

const NO = { id: 'no', steps: [{ id: 'no', type: 'return', value: { ok: false, error: { code: 'CLOSED' } } }] };

/** The body of a push. */
export const TYPED_GAME: JsonObject = {
  collections: [HEROES],
  gameValues: { items: VALUES },
  workflows: [
    {
      id: 'charge',
      params: { purse: { type: 'number' }, cost: { type: 'number' } },
      steps: [
        { id: 'rich', type: 'assert', check: { field: 'purse', op: '>=', value: '{{cost}}' }, status: 409, errorCode: 'TOO_POOR' },
        { id: 'left', type: 'transform', expression: '{{purse}} - {{cost}}' },
      ],
      returns: { left: '{{left}}' },
    },
  ],
  libraries: [
    {
      id: 'economy',
      blocks: {
        reduced: {
          params: { price: { type: 'number' } },
          steps: [{ id: 'less', type: 'transform', expression: 'max({{price}} - 1, 1)' }],
          returns: { price: '{{less}}' },
        },
      },
    },
  ],
  endpoints: [MAKE, BUY, LOOK, NO],
  queries: [
    {
      id: 'richest',
      type: 'leaderboard',
      sources: [{ collectionId: 'heroes' }],
      config: { field: 'gold', columns: ['name', 'kind', 'stats.xp'] },
    },
    { id: 'whole', type: 'leaderboard', sources: [{ collectionId: 'heroes' }], config: { field: 'gold' } },
    { id: 'heroes', type: 'count', sources: [{ collectionId: 'heroes' }], config: {} },
  ],
};
