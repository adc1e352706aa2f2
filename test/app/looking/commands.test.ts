import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newApiKey, printed } from '../../node/support/command-line.ts';
import { ok } from '../../node/support/game-client.ts';
import { eventually } from '../../node/support/program.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What pages of the console show, a command tells, too: leaderboards, calls by endpoint and code, alarms of the economy. */

let opened: Opened;
let env: Record<string, string>;

beforeAll(async () => {
  opened = await openNode();
  const { game } = opened;
  const secret = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId);
  env = { SAVEPOINT_URL: game.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: secret };
  const schema = { gold: { type: 'number', _ledger: true, _currency: 'gold' } };
  await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'purses', accessMode: 'public', schema }] }));
  const of = { sources: [{ collectionId: 'purses' }] };
  const richest = {
    id: 'richest',
    name: 'The richest',
    ...of,
    type: 'leaderboard',
    config: { field: 'gold', order: 'desc', limit: 10, columns: ['gold'] },
  };
  const many = { id: 'many', name: 'How many', ...of, type: 'count' };
  await ok(game.manage('POST', game.definitions('queries'), { body: [richest, many] }));
  const refuse = { slug: 'buy', method: 'POST', steps: [], response: { status: 409, body: { ok: false } } };
  await ok(game.manage('POST', game.definitions('endpoints'), { body: [refuse] }));
  for (const [player, gold] of [
    ['ada', 5],
    ['bob', 9],
    ['kim', 7],
  ] as const)
    await ok(game.play('POST', game.storage(`purses/${player}`), { body: { gold }, headers: { 'x-platform-id': player } }));
  await game.play('POST', game.endpoint('buy'), { body: {}, headers: { 'x-platform-id': 'ada' } });
});

afterAll(async () => {
  await opened?.close();
});

test('leaderboards are listed, and read page by page or around a player', async () => {
  expect(await printed(['board', 'list'], { env })).toMatch(/^BOARD +NAME\nrichest +The richest\n$/);
  const page = await eventually('the board is filled', async () => {
    const shown = await printed(['board', 'show', 'richest', '--limit', '2'], { env });
    return shown.includes('3 rows in all') && shown;
  });
  expect(page).toMatch(/^RANK +KEY +VALUE +GOLD\n1 +bob +9 +9\n2 +kim +7 +7\n3 rows in all\n$/);
  expect(await printed(['board', 'show', 'richest', '--offset', '2'], { env })).toMatch(/\n3 +ada +5 +5\n/);
  const around = JSON.parse(await printed(['board', 'show', 'richest', '--around', 'ada', '--limit', '1', '--json'], { env }));
  expect(around.entries.map(({ key }: { readonly key: string }) => key)).toEqual(['kim', 'ada']);
  await expect(printed(['board', 'show', 'many'], { env })).rejects.toThrow('no leaderboard');
});

test('calls are told by endpoint and code', async () => {
  const told = await eventually('the call is logged', async () => {
    const shown = await printed(['logs', 'summary'], { env });
    return shown.includes('buy') && shown;
  });
  expect(told).toMatch(/^ENDPOINT +OUTCOME +REQUESTS.*\n[\s\S]*buy +409 HTTP_409 +1 /);
  expect(JSON.parse(await printed(['logs', 'summary', '--target', 'next', '--json'], { env })).endpoints).toEqual([]);
});

test('alarms of the economy are shown and set, with why', async () => {
  expect(await printed(['economy', 'alarms'], { env })).toBe('No alarm is set.\n\nNone was raised.\n');
  const set = '[{"name":"flood","currency":"gold","overMedian":5}]';
  expect(await printed(['economy', 'alarms', '--set', set, '-m', 'after the duping'], { env })).toContain('flood: currency gold');
  await expect(printed(['economy', 'alarms', '-m', 'why'], { env })).rejects.toThrow('--set is missing');
  await expect(printed(['economy', 'alarms', '--set', 'flood'], { env })).rejects.toThrow('JSON list');
});
