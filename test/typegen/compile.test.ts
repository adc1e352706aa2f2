import { expect, test } from 'vitest';
import { blocksOf } from '../docs/support/pages.ts';
import { compile, exampleGame, firstGame, manualGame, typesOf } from './support.ts';

/** What the compiler makes of generated types: one run of it for all of these. */

const CLIENT = `import { createClient, inc, memoryStorage, merge, openLive, openQueue, push, remove, set, setIfNull } from 'savepoint/client';
import type { ErrorCode } from 'savepoint/client';
import type { Game } from './manual.ts';
import type { Game as Example } from './example.ts';
import type { Game as Kinds } from './kinds.ts';
const client = createClient<Game>();
const example = createClient<Example>();
const kinds = createClient<Kinds>();
const heroes = client.documents('heroes');
const live = openLive(client);
const queue = await openQueue(client, { storage: memoryStorage() });
const knights = kinds.documents('heroes');
`;

const KINDS = {
  collections: [
    {
      id: 'heroes',
      schema: {
        name: { type: 'string', required: true },
        kind: { type: 'string', enum: ['mage', 'knight'], default: 'mage' },
        gold: { type: 'number', default: 0 },
        wallet: { type: 'object', additionalProperties: { type: 'number' } },
        bag: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string', required: true }, count: { type: 'integer', default: 1 } } },
        },
        any: { type: 'any' },
      },
    },
    { id: 'free' },
  ],
};

const RIGHT = `${CLIENT}
export async function right() {
  const { paid } = await client.call('buy', { item: 'axe' });
  const sum: number = paid + 1;
  await heroes.update([inc('gold', sum), set('name', 'Ada'), push('bag', 'axe'), merge('$', { name: 'Bo' })]);
  await heroes.save({ name: 'Ada' });
  await heroes.edit((hero) => ({ ...hero, gold: (hero?.gold ?? 0) + 1 }));
  const gold: number | undefined = (await heroes.get())?.gold;
  const top: number | undefined = (await client.leaderboard('richest')).entries[0]?.data.gold;
  const { type } = await client.query('wealth');
  const { constants, tables } = await client.values();
  const open: boolean = constants.shop.open;
  const price: number | undefined = tables.prices.rows[0]?.price;
  await example.call('upgrade-axe');
  await (await openQueue(example, { storage: memoryStorage() })).call('upgrade-axe');
  const queued = await (await queue.call('buy', { item: 'axe' })).result;
  if (!queued.ok && queued.error.code === 'TOO_POOR') return [];
  const row: number | undefined = (await live.leaderboard('richest', () => {}).ready).entries[0]?.data.gold;
  const followed = await live.query('richest', (result) => result.type).ready;
  const same: number | undefined = followed.type === 'leaderboard' ? followed.entries[0]?.data.gold : row;
  if (same !== row) return [];
  return [gold, top, type, open, price];
}
export async function buy(item: string): Promise<string> {
  const bought = await client.tryCall('buy', { item });
  if (bought.ok) return \`paid \${bought.value.paid}\`;
  const { code, message } = bought.error;
  switch (code) {
    case 'TOO_POOR':
      return 'poor';
    case 'NO_HERO':
      return 'nobody';
    case 'INVALID_INPUT':
    case 'ENDPOINT_ERROR.WRITE':
      return 'a mistake';
    default:
      return \`\${code satisfies ErrorCode}: \${message}\`;
  }
}
export async function everyKind() {
  const documents = knights;
  await documents.update([push('bag', { id: 'axe', count: 2 }), remove('bag', { id: 'axe', count: 2 }), push('any.list', 5)]);
  await documents.update([merge('$', { name: 'Bo', wallet: { gold: 1 } }), merge('wallet', { gold: 1, gems: 2 }), merge('any', { deep: 1 })]);
  await kinds.documents('free').update([merge('$', { a: 1 }), merge('a', { b: 1 }), remove('d', 1)]);
  await documents.save({ name: 'Ada', wallet: { gold: 1 }, bag: [{ id: 'axe' }] });
  await documents.update([set('kind', 'knight'), inc('wallet.gold', 5), setIfNull('name', 'Bo'), set('any.deep', 1), inc('any', 1)]);
  await kinds.documents('free').update([set('a.b', 1), inc('c', 1), push('d', 1)]);
  await kinds.documents('free').save({ a: { b: 1 } });
  const hero = await documents.get({ key: 'x' });
  if (hero === null) return null;
  await documents.save(hero);
  const kind: 'mage' | 'knight' = hero.kind;
  const counts: readonly number[] = (hero.bag ?? []).map(({ count }) => count);
  const coins: number | undefined = hero.wallet?.['coins'];
  return [kind, counts, coins];
}
`;

/** Line → the error that it must be. */
const WRONG: readonly (readonly [code: string, line: string])[] = [
  ['TS2345', "await client.call('bay', { item: 'axe' }); // no such slug"],
  ['TS2554', "await client.call('buy'); // the input is needed"],
  ['TS2741', "await client.call('buy', {}); // its item is needed"],
  ['TS2322', "await client.call('buy', { item: 7 }); // an item is a text"],
  ['TS2353', "await client.call('buy', { item: 'axe', count: 2 }); // no such input"],
  ['TS2339', "(await client.call('buy', { item: 'axe' })).price; // not in the answer"],
  ['TS2345', "client.documents('villains'); // no such collection"],
  ['TS2339', '(await heroes.get())?.silver; // no such field'],
  ['TS2345', "await heroes.update(inc('silver', 5)); // no such field"],
  ['TS2345', "await heroes.update(inc('name', 5)); // a name is no number"],
  ['TS2345', "await heroes.update(push('gold', 1)); // gold is no list"],
  ['TS2345', "await heroes.update(set('gold', 'much')); // gold is a number"],
  ['TS2345', "await heroes.update(merge('$', { goldd: 1 })); // no such field"],
  ['TS2345', "await heroes.update(merge('$', { name: 'Bo', goldd: 1 })); // nor beside one"],
  ['TS2345', "await heroes.update(merge('$', { gold: 'much' })); // gold is a number"],
  ['TS2345', "await heroes.update(merge('gold', { gold: 1 })); // gold is no object"],
  ['TS2345', "await heroes.update(push('bag', 5)); // a bag of texts"],
  ['TS2345', "await heroes.update(remove('bag', 5)); // a bag of texts"],
  ['TS2322', "await queue.update('heroes', [inc('gold', 1), push('bag', 5)]); // in the queue too"],
  ['TS2554', "await queue.call('buy'); // the input is needed"],
  [
    'TS2367',
    "const { result } = await queue.call('buy', { item: 'axe' }); const b = await result; !b.ok && b.error.code === 'TO_POOR'; // never refused so",
  ],
  ['TS2345', "live.leaderboard('wealth', () => {}); // a sum has no rows"],
  ['TS2345', "await kinds.documents('heroes').update(set('kind', 'thief')); // not in the enum"],
  ['TS2741', "await kinds.documents('heroes').save({}); // a name is required"],
  ['TS2322', "await kinds.documents('heroes').save({ name: 'Ada', wallet: { gold: 'much' } }); // coins are numbers"],
  ['TS2353', "await heroes.save({ nmae: 'Ada' }); // misspelt"],
  ['TS2345', "await client.leaderboard('poorest'); // no such query"],
  ['TS2345', "await client.leaderboard('wealth'); // a sum has no rows"],
  ['TS2551', '(await client.values()).constants.shopp; // no such group'],
  ['TS2339', '(await client.values()).tables.prices.rows[0]?.cost; // no such column'],
  ['TS2322', "await example.call('upgrade-axe', { level: 2 }); // it takes nothing"],
  ['TS2678', "switch ((await tried()).code) { case 'TO_POOR': } // never refused so"],
  ['TS1360', "const { code } = await tried(); if (code !== 'NO_HERO') code satisfies ErrorCode; // TOO_POOR is left"],
];

const HEAD = `${CLIENT}
async function tried() {
  const bought = await client.tryCall('buy', { item: 'axe' });
  if (bought.ok) throw new Error();
  return bought.error;
}
export async function wrong() {
`;

/** A client of the manual's game, after \`buy\` answers something else. */
const CHANGED = `import { createClient } from 'savepoint/client';
import type { Game } from './changed.ts';
export const paid = async (): Promise<number> => (await createClient<Game>().call('buy', { item: 'axe' })).paid;
`;

test('right calls compile; a wrong slug, field, operation, input or refusal does not, nor a game whose endpoint answers something else', () => {
  const changed = typesOf(JSON.parse(JSON.stringify(manualGame()).replace('paid: \\"{{row.price}}\\"', 'cost: \\"{{row.price}}\\"')));
  const page = blocksOf('docs/client.md').find(({ info }) => info === 'ts types')?.text ?? '';
  expect(page.split('\n').filter((line) => line !== '').length).toBeLessThan(30);
  const errors = compile({
    'manual.ts': typesOf(manualGame()),
    'example.ts': typesOf(exampleGame()),
    'kinds.ts': typesOf(KINDS),
    'changed.ts': changed,
    'right.ts': RIGHT,
    'wrong.ts': `${HEAD}${WRONG.map(([, line]) => `{ ${line.replace(' //', ' } //')}\n`).join('')}}\n`,
    'later.ts': CHANGED,
    'game.types.ts': typesOf(firstGame()),
    'page.ts': page,
  });
  const first = HEAD.split('\n').length;
  const found = errors.map((line) => /^(\w+\.ts)\((\d+),\d+\): error (TS\d+)/.exec(line)?.slice(1).join(' ') ?? line);
  const expected = WRONG.map(([code], at) => `wrong.ts ${first + at} ${code}`);
  expect(found, errors.join('\n')).toEqual(['later.ts 3 TS2339', ...expected].sort(byPlace));
});

function byPlace(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
