import { type Client, ok } from './game-client.ts';

/** A game in which players trade: gold and a bag of items pass from one to another in one call. */

const TRADE = {
  id: 'trade',
  slug: 'trade',
  name: 'Trade',
  method: 'POST',
  enabled: true,
  input: { type: 'object', properties: { to: { type: 'string' }, gold: { type: 'number' }, item: { type: 'string' } }, required: ['to'] },
  steps: [
    {
      id: 'pay',
      type: 'write',
      collection: 'players',
      key: '{{platformId}}',
      ops: [
        { op: 'inc', path: 'gold', value: '{{-input.gold}}', source: 'trade' },
        { op: 'remove', path: 'bag', value: '{{input.item}}' },
      ],
    },
    {
      id: 'get',
      type: 'write',
      collection: 'players',
      key: '{{input.to}}',
      ops: [
        { op: 'inc', path: 'gold', value: '{{input.gold}}', source: 'trade' },
        { op: 'push', path: 'bag', value: '{{input.item}}' },
      ],
    },
  ],
  response: { status: 200, body: { ok: true } },
};

const COLLECTIONS = [
  {
    id: 'players',
    name: 'players',
    collectionType: 'per-platformid',
    accessMode: 'public',
    rateLimits: { mode: 'none' },
    schema: {
      gold: { type: 'number', _ledger: true },
      xp: { type: 'number' },
      name: { type: 'string', _unique: true },
      level: { type: 'integer', max: 10 },
      bag: { type: 'array', items: { type: 'string' } },
      skins: { type: 'array', items: { type: 'string' } },
    },
  },
  {
    id: 'saves',
    name: 'saves',
    collectionType: 'per-platformid',
    accessMode: 'public',
    rateLimits: { mode: 'none' },
    maxRecords: 5,
    allowRecordDelete: true,
    schema: { gems: { type: 'number', _ledger: true }, map: { type: 'string' } },
  },
  {
    id: 'feed',
    name: 'feed',
    collectionType: 'global',
    accessMode: 'public',
    publicAppend: true,
    rateLimits: { mode: 'none' },
    schema: {},
  },
];

export interface Market {
  /** Revision of the write. */
  save(player: string, body: unknown, collection?: string): Promise<number>;
  trade(from: string, to: string, gold: number, item?: string): Promise<number>;
  read(player: string, collection?: string): Promise<unknown>;
  manage(path: string, body: unknown): Promise<{ readonly status: number; readonly body: ReturnType<typeof Object> }>;
  /** Sum of all deltas in the ledger of a player's gold. */
  ledger(player: string): Promise<number>;
}

export async function openMarket(client: Client): Promise<Market> {
  await ok(client.manage('PUT', client.definitions('collections'), { body: COLLECTIONS }));
  await ok(client.manage('PUT', client.definitions('endpoints'), { body: [TRADE] }));
  const at = (player: string, collection = 'players') => client.storage(`${collection}/${player}`);
  const positionOf = async (reply: ReturnType<Client['play']>) => Number((await ok(reply)).headers['x-ns-position']);
  return {
    save: (player, body, collection) => positionOf(client.manage('POST', at(player, collection), { body })),
    trade: (from, to, gold, item = 'nothing') =>
      positionOf(client.play('POST', client.endpoint('trade'), { body: { to, gold, item } }, from)),
    async read(player, collection) {
      const { status, body } = await client.manage('GET', at(player, collection));
      return status === 404 ? null : body;
    },
    async manage(path, body) {
      const reply = await client.manage('POST', client.definitions(path), { body });
      return { status: reply.status, body: Object(reply.body) };
    },
    async ledger(player) {
      const { body } = await ok(client.manage('GET', `${at(player)}/ledger?field=gold`));
      return Number(Object(body).summary.netChange);
    },
  };
}
