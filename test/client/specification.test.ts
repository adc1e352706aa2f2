import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CORE } from './specification/core.ts';
import { REVISION } from './specification/revision.ts';
import type { Tries } from './specification/support.ts';
import { endGame, type Game, publishRevision, startGame } from './support.ts';

/** The table "The specification's names" of docs/client.md: each of its rows is tried on a real node. */

const TRIES: Tries = { ...CORE, ...REVISION };

interface Row {
  readonly name: string;
  /** What a game writes: code without its quotes. */
  readonly ours: readonly string[];
}

const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const [, section = ''] = page.split("\n## The specification's names\n");
const rows = [...section.matchAll(/^\| `([^|]+)` \| (.+?) \| (.*?) ?\|$/gm)].map(
  ([, name = '', ours = '']): Row => ({ name: name.replaceAll('`', ''), ours: codeIn(ours) }),
);

let game: Game;
beforeAll(async () => {
  game = await startGame();
  await publishRevision(game);
});
afterAll(() => endGame(game));

test('each row of the table has a try, and each try a row', () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.map(({ name }) => name)).toEqual([...new Set(rows.map(({ name }) => name))]);
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(TRIES).sort());
});

test.each(rows)('$name', async ({ name, ours }) => {
  const tried = TRIES[name];
  if (tried === undefined) throw new Error(`${name} has no try`);
  // The try uses what the row names; its last name, as `call` of `client.call`, is enough.
  // Of an option, as `cdnUrl` of `createClient({ cdnUrl })`, the function's name is what counts.
  const names = ours.map((code) => /([A-Za-z_]\w*)[^A-Za-z]*$/.exec(code.replace(/\([^()]*\)/g, ''))?.[1] ?? code);
  expect(names).not.toEqual([]);
  expect(names.filter((each) => !new RegExp(`\\b${each}\\b`).test(tried.toString()))).toEqual([]);
  await tried(game, name);
});
