import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Names and texts of players with a sign that has letters run from right to left. */

const EVE = '76561198000000001';
const TURN = '\u202E';

const started = useConsole(async ({ manager }) => {
  const schema = { gold: { type: 'number', _ledger: true }, note: { type: 'string' } };
  const purses = { id: 'purses', name: 'purses', collectionType: 'per-platformid', accessMode: 'public', schema };
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [purses] }));
  const join = { platformId: EVE, event: 'join', sessionId: 's', playerName: `${TURN}eve` };
  await ok(manager.play('POST', manager.storage('stats/heartbeat'), { body: join }, EVE));
  await ok(manager.manage('POST', manager.storage(`purses/${EVE}`), { body: { gold: 1_500, note: `${TURN}one` } }));
  const ops = [
    { op: 'inc', path: 'gold', value: -1_234 },
    { op: 'set', path: 'note', value: 'two' },
  ];
  await ok(manager.manage('POST', manager.storage(`purses/${EVE}`), { body: { ops } }));
});

inBrowser('a name that turns the order of letters turns nothing behind it, and neither does a value', async () => {
  const { origin, project, faults, page } = started();
  await page.goto(`${origin}/p/${project}`);
  const name = page.getByRole('link', { name: 'eve' }).first();
  await name.waitFor();
  const [nameEnds, amountBegins] = await page.evaluate<readonly [number, number]>(`(() => {
    const within = (selector, said) => [...document.querySelectorAll(selector)].find(({ textContent }) => said.test(textContent));
    const placeOf = (found) => found.getBoundingClientRect();
    return [placeOf(within('main a', /eve/)).right, placeOf(within('main span', /^−1.?234$/)).left];
  })()`);
  expect(amountBegins).toBeGreaterThanOrEqual(nameEnds);
  await page.getByText('\uFFFDone → two').first().waitFor();
  expect(faults).toEqual([]);
});
