import { expect, vi } from 'vitest';
import { ok, PLAYER } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The pages of calls in a real Chromium. */

const PLAYERS = { id: 'players', name: 'players', collectionType: 'per-platformid', schema: { gold: { type: 'number', _ledger: true } } };
const BUY = {
  ...{ id: 'buy', slug: 'buy', name: 'Buy', method: 'POST' },
  input: { required: ['price'], properties: { price: { type: 'integer', min: 1 }, item: { enum: ['axe', 'rope'] } } },
  steps: [
    { id: 'me', type: 'read', collection: 'players', key: '{{platformId}}' },
    {
      id: 'enough',
      type: 'condition',
      check: { field: 'me.gold', op: '>=', value: '{{input.price}}' },
      onFail: { error: 'TOO_POOR', message: 'Not enough gold', status: 409 },
    },
    { id: 'pay', type: 'write', collection: 'players', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: -1 }] },
  ],
  response: { status: 200, body: { ok: true } },
};

const market = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] }));
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [BUY] }));
  await ok(manager.manage('POST', manager.storage(`players/${PLAYER}`), { body: { gold: 5 } }));
  await ok(manager.play('POST', manager.endpoint('buy'), { body: { price: 2 } }));
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 90 } });
});

inBrowser('a refusal is found by endpoint and code, with its step, and tried again without storing anything', async () => {
  const { page, origin, project, manager, faults } = market();
  await page.goto(`${origin}/p/${project}`);
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  await heading(page, 'Calls and errors');
  await page.getByText('live', { exact: true }).first().waitFor();
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 91 } });
  await page.getByRole('link', { name: /^TOO_POOR/ }).click();
  await heading(page, 'Calls of buy');
  expect(new URL(page.url()).search).toBe('?slug=buy&code=TOO_POOR');
  await page.getByText('Not enough gold').first().click();
  await page.getByText('condition:').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Try it as this player' }).click();
  await page.getByLabel('price').fill('a lot');
  await page.getByRole('button', { name: 'Run it dry' }).click();
  await page.getByText('Give a whole number').waitFor();
  await page.getByLabel('price').fill('3');
  await page.getByLabel('item').selectOption('1');
  await page.getByRole('button', { name: 'Run it dry' }).click();
  await heading(page, /It would answer 200/);
  await page.getByText(`write players/${PLAYER}`).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  expect((await ok(manager.manage('GET', manager.storage(`players/${PLAYER}`)))).body).toEqual({ gold: 4 });
  await expectOpenToAll(market(), ['/calls', '/calls?slug=buy&all=true', `/calls/try?slug=buy&player=${PLAYER}`]);
  expect(faults).toEqual([]);
});
