import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const GOLD = { type: 'number', _ledger: true, _currency: 'gold' };
const ADA = '76561198000000001';

const started = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ id: 'purses', schema: { gold: GOLD } }] }));
  const move = (value: number, source: string) =>
    ok(manager.manage('POST', manager.storage(`purses/${ADA}`), { body: { ops: [{ op: 'inc', path: 'gold', value, source }] } }));
  await move(120, 'quest');
  await move(-20, 'shop');
});

inBrowser('an auditor sees that a day adds up and opens it; a manager sets an alarm', async () => {
  const { page, origin, project, manager, faults } = started();
  await page.goto(`${origin}/p/${project}/economy`);
  await page.getByText('adds up on each of 1 day').waitFor();
  await page
    .getByRole('row', { name: /entries of gold 0 120 20 100/ })
    .first()
    .waitFor();
  await page.getByRole('link', { name: /^What .* is made of$/ }).click();
  await page
    .getByRole('row', { name: /^quest 1 entries of gold from quest 120 0/ })
    .first()
    .waitFor();
  await page
    .getByRole('row', { name: new RegExp(`^${ADA} 2 entries of gold of ${ADA} 120 20`) })
    .first()
    .waitFor();
  await page.getByRole('link', { name: '1 entries of gold from quest' }).click();
  await page
    .getByRole('row', { name: /purses.gold 0 \+120 120 quest/ })
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Back to the economy' }).click();
  await heading(page, 'Top movers');
  expect(new URL(page.url()).searchParams.get('from')).toBe(new URL(page.url()).searchParams.get('to'));
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('Name').fill('greed');
  await page.getByLabel('Raised when there comes in').selectOption('perPlayerHour');
  await page.getByLabel('Amount within an hour').fill('5000');
  await page.getByRole('button', { name: 'Add this alarm' }).click();
  await page.getByRole('button', { name: 'Set the alarms' }).click();
  await heading(page, 'The alarms are set');
  const { body } = await ok(manager.manage('GET', `/v3/manage/${project}/settings`));
  expect(Object(body).settings.economyAlarms).toEqual([{ name: 'greed', currency: 'gold', perPlayerHour: 5000 }]);
  await expectOpenToAll(started(), ['/economy', '/economy/entries?currency=gold']);
  expect(faults).toEqual([]);
});
