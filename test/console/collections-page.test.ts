import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const [ADA, BO, CY] = ['76561198000000001', '76561198000000002', '76561198000000003'] as const;

const started = useConsole(async ({ manager }) => {
  const schema = { name: { type: 'string' }, gold: { type: 'number' }, email: { type: 'string', _unique: true, _personal: true } };
  const feed = { id: 'feed', collectionType: 'global', schema: { text: { type: 'string' } } };
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ id: 'purses', name: 'Purses', schema }, feed] }));
  const richest = { id: 'richest', type: 'leaderboard', sources: [{ collectionId: 'purses' }], config: { field: 'gold' } };
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [richest] }));
  const write = (key: string, name: string, gold: number) =>
    ok(
      manager.manage('POST', manager.storage(`purses/${key}`), {
        body: { name, gold, email: `${name}@example.org`, long: 'x'.repeat(5_000) },
      }),
    );
  await write(ADA, 'Ada', 50);
  await write(CY, 'Cy', 90);
  await write(BO, 'Bo', 70);
  await ok(manager.manage('POST', manager.storage('feed/gates'), { body: { text: 'The gates are open' } }));
});

inBrowser('a manager finds the richest, sees why there is no order by name, opens one, and takes them all as a file', async () => {
  const { page, origin, project, faults } = started();
  await page.goto(`${origin}/p/${project}/collections`);
  await page.getByRole('link', { name: 'Purses' }).click();
  await page.getByRole('link', { name: ADA }).waitFor();
  await page.getByLabel('Find and order by').selectOption('gold');
  await page.getByLabel('From').fill('60');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('row', { name: new RegExp(`${CY}.*90`) }).waitFor();
  await page.getByText('That is all that is asked for').waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ by: 'gold', order: 'desc', from: '60' });
  await page.getByText('Why not by another field?').click();
  await page.getByText('No index keeps name').waitFor();
  await page.getByRole('button', { name: 'Export…' }).click();
  await page.getByRole('radio', { name: /CSV/ }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText(new RegExp(`Saved Market-${project}-purses-r\\d+\\.csv`)).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: CY }).click();
  await heading(page, new RegExp(`purses/${CY}`));
  await expectOpenToAll(started(), [
    '/collections',
    '/collections/purses',
    '/collections/purses?by=gold',
    '/collections/feed',
    '/collections/feed/gates',
  ]);
  expect(faults).toEqual([]);
});
