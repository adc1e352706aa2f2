import { type Client, ok } from './game-client.ts';

/** A small game: JSON and YAML sources, every kind of definition, live. */

/** Save records, three of a player at most; no part of the game until a test pushes it. */
export const SLOTS = {
  id: 'slots',
  name: 'slots',
  collectionType: 'per-platformid',
  accessMode: 'public',
  maxRecords: 3,
  allowRecordDelete: true,
  schema: {},
};

const TOWNS = `sourceVersion: 1
kind: collection
id: towns
name: towns
definition:
  collectionType: global
  accessMode: public
  schema:
    sold: { type: number, default: 0 }
    motto: { type: string }
`;

const CHARGE = `sourceVersion: 1
kind: workflow
id: charge
name: charge
definition:
  params:
    purse: { type: number }
    cost: { type: number }
  steps:
    - id: affordable
      type: condition
      check: { field: purse, op: ">=", value: "{{cost}}" }
      onFail: { status: 409, error: TOO_POOR, message: "This costs {{cost}}; you have {{purse}}." }
    - id: left
      type: transform
      expression: "{{purse}} - {{cost}}"
  returns:
    left: "{{left}}"
`;

const BUY = `sourceVersion: 1
kind: endpoint
id: buy
method: POST
input:
  type: object
  properties:
    item: { type: string }
  required: [item]
steps:
  - id: me
    type: read
    collection: players
    key: "{{platformId}}"
    required: true
    onMissing: { status: 404, errorCode: NO_PLAYER, message: "Save a profile first." }
  - id: row
    type: lookup
    source: values
    table: prices
    where: { field: item, op: "==", value: "{{input.item}}" }
    required: true
    onMissing: { status: 404, errorCode: NO_ITEM, message: "There is no {{input.item}}." }
  - id: bill
    type: workflow
    workflow: charge
    params: { purse: "{{me.gold}}", cost: "{{row.price}}" }
  - id: pay
    type: write
    collection: players
    key: "{{platformId}}"
    ops:
      - { op: inc, path: gold, value: "{{-row.price}}", source: shop, reason: "{{input.item}}" }
      - { op: push, path: items, value: "{{input.item}}" }
  - id: count
    type: write
    collection: towns
    key: market
    ops: [{ op: inc, path: sold, value: 1 }]
response:
  status: 200
  body: { ok: true, price: "{{row.price}}", left: "{{bill.left}}" }
`;

const ECHO = {
  id: 'echo',
  slug: 'echo',
  name: 'Echo',
  method: 'GET',
  enabled: true,
  input: { type: 'object', properties: { times: { type: 'number' }, word: { type: 'string' } }, required: ['times'] },
  steps: [{ id: 'double', type: 'transform', expression: '{{input.times}} * 2' }],
  response: { status: 200, body: { ok: true, twice: '{{double}}', word: '{{input.word}}' } },
};

const LIST_OF_TEXTS = { type: 'array', items: { type: 'string' } };
const PLAYERS = {
  gold: { type: 'number', default: 10, _ledger: true },
  level: { type: 'number', default: 1 },
  name: { type: 'string' },
  id64: { type: 'number' },
  items: LIST_OF_TEXTS,
};

const COLLECTIONS = [
  collection('players', 'per-platformid', PLAYERS, { allowRecordDelete: true }),
  collection('meters', 'per-platformid', { n: { type: 'number' } }),
  collection('counters', 'per-platformid', { n: { type: 'number' }, marks: LIST_OF_TEXTS }),
  collection('scores', 'per-platformid', { points: { type: 'number' }, name: { type: 'string' } }),
  collection('feed', 'global', { text: { type: 'string' } }),
  collection('vault', 'per-platformid', { n: { type: 'number' } }, { accessMode: 'endpoint' }),
];

const TOP = {
  id: 'top',
  name: 'Top',
  type: 'leaderboard',
  sources: [{ collectionId: 'scores' }],
  config: { field: 'points', order: 'desc', limit: 100, columns: ['name'] },
};

const TEN_A_DAY = {
  name: 'Ten a day',
  collection: 'meters',
  field: 'n',
  scope: 'per_player',
  window: 'perDay',
  limit: 10,
  action: 'reject',
};

export async function publishGame(client: Client): Promise<void> {
  const push = (method: string, route: string, body: unknown) => ok(client.manage(method, client.definitions(route), { body }));
  await push('PUT', 'collections', COLLECTIONS);
  await push('PUT', 'collections', [source('collection', 'towns', TOWNS)]);
  await push('PUT', 'workflows', [source('workflow', 'charge', CHARGE)]);
  await push('PUT', 'game-values', prices(7));
  await push('PUT', 'endpoints', [source('endpoint', 'buy', BUY), ECHO]);
  await push('POST', 'queries', [TOP]);
  await push('PUT', 'rate-limit-rules', { rules: [TEN_A_DAY] });
}

/** The game values with this price of an axe. */
export function prices(axe: number): object {
  const columns = [
    { key: 'item', type: 'string' },
    { key: 'price', type: 'number' },
  ];
  return {
    items: [
      { id: 'prices', type: 'table', name: 'Prices', columns, rows: [{ item: 'axe', price: axe }] },
      { id: 'start', type: 'group', name: 'Start', entries: { gold: 25 } },
    ],
  };
}

export function source(kind: string, id: string, sourceText: string): object {
  return { kind, id, authoringMode: 'source', sourceFormat: 'yaml', sourcePath: `${kind}s/${id}.${kind}.yml`, sourceText };
}

function collection(id: string, collectionType: string, schema: object, more: object = {}): object {
  return { id, name: id, collectionType, accessMode: 'public', rateLimits: { mode: 'none' }, schema, ...more };
}
