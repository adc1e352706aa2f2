import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as library from '../../src/client/index.ts';
import { blocksOf } from '../docs/support/pages.ts';
import { ok } from '../node/support/game-client.ts';
import { firstGame } from '../typegen/support.ts';
import { endGame, type Game, newGame, startGame } from './support.ts';

/** The code blocks of docs/client.md are one program; it runs and gives the values behind the arrows. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
  await game.change({ guestSignIn: true });
});
afterAll(() => endGame(game));

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

test('the code blocks of the page run and print what it says', async () => {
  const blocks = blocksOf('docs/client.md').flatMap(({ info, text }) => (info === 'ts run' ? [text] : []));
  const page = blocks.join('\n');
  const imported = [...page.matchAll(/^import \{ (.+) \} from 'savepoint\/client';$/gm)].flatMap(([, names = '']) => names.split(', '));
  expect(imported.filter((name) => !(name in library))).toEqual([]);
  const seed = library.createClient(game.options);
  await seed.as('76561198000000001').documents('players').save({ gold: 10, items: [] });
  await seed.as('76561198000000002').documents('players').save({ gold: 50 });

  const came: unknown[] = [];
  const check = (value: unknown, expected: unknown) => {
    came.push(value);
    expect(value).toEqual(expected);
  };
  const text = page.replace(/^import .*$/gm, '').replace(/^( *(?:if \(.*?\) )?)(?!if)(\S.+?); \/\/ → (.+)$/gm, '$1check($2, $3);');
  const { code } = await transform(`async () => {\n${text}\n}`, { loader: 'ts', target: 'es2023' });
  const { fetch: patient, ...options } = game.options;
  // A view that lags on a busy machine is read again.
  const createClient = (given: library.ClientOptions) => library.createClient({ ...(patient ? { fetch: patient } : {}), ...given });
  const given = { ...library, ...options, createClient, check };
  await new AsyncFunction(...Object.keys(given), `return (${code.trim().replace(/;$/, '')})();`)(...Object.values(given));
  expect(came).toHaveLength(page.split('// →').length - 1);
});

test('a guest plays the first game, on the definitions of first-game.md', async () => {
  const first = await newGame(game.node, game.env);
  await first.change({ guestSignIn: true, requirePlayerAuth: true });
  const { manager } = first;
  const { collections, gameValues, endpoints, queries } = firstGame();
  const pushes = { collections, 'game-values': gameValues, endpoints };
  for (const [kind, body] of Object.entries(pushes)) await ok(manager.manage('PUT', manager.definitions(kind), { body }));
  await ok(manager.manage('POST', manager.definitions('queries'), { body: queries }));

  const page = blocksOf('docs/client.md').find(({ info }) => info === 'ts types')?.text ?? '';
  const text = page.replace(/^import .*$/gm, '').replace(/^export /gm, '');
  const { code } = await transform(`async () => {\n${text}\nreturn { findGold, buySword, richest };\n}`, {
    loader: 'ts',
    target: 'es2023',
  });
  const given = {
    createClient: () => library.createClient(first.options),
    signInGuest: (client: library.Client) => library.signInGuest(client, { storage: library.memoryStorage() }),
  };
  const play = await new AsyncFunction(...Object.keys(given), `return (${code.trim().replace(/;$/, '')})();`)(...Object.values(given));
  expect(await play.findGold('Ada')).toBe(20);
  expect(await play.buySword()).toBe('Find more gold first');
  await play.findGold('Ada');
  expect(await play.buySword()).toBe('A sword for 30 gold');
  expect(await play.richest()).toEqual(['1. Ada: 10 gold']);
});
