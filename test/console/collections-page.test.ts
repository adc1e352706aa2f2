import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser, newProfile } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

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

/** Whether a page has been seen without a row. */
const PARTIAL = `new MutationObserver(() => {
  if (document.querySelector('main h1') && !document.querySelector('main tbody tr')) window.isPartial = true;
}).observe(document, { childList: true, subtree: true })`;

inBrowser('a page at its address asks for what it shows once, before its code is there, and is drawn with it', async () => {
  const { origin, project, signedIn, faults } = started();
  const profile = await newProfile();
  const page = await signedIn(profile);
  // However slow this machine is, nothing is drawn for being late, and nothing is old once it is drawn.
  await page.addInitScript(`const late = setTimeout; window.setTimeout = (act, ms) => late(act, ms === 200 ? 1e9 : ms);
    const now = Date.now(); Date.now = () => now; ${PARTIAL}`);
  for (const [path, title, code, read] of [
    ['/collections/purses', 'Purses', /\/assets\/collection-/, /\/documents\/purses\?/],
    ['/publishes', 'Publishes', /\/assets\/publishes-/, /\/publishes\?/],
    ['/economy?currency=gold', 'Economy', /\/assets\/economy-/, /manage\/.*\/economy\?currency/],
  ] as const) {
    let [reads, codes] = [0, 0];
    const isThere = `performance.getEntriesByType('resource').some(({ name, responseEnd }) => ${code}.test(name) && responseEnd > 0)`;
    await page.route(read, async (request) => {
      reads += 1;
      // The code alone would be drawn by now. One more read is counted, and held up by nothing: the page may be gone before.
      if (reads === 1) await expect.poll(() => page.evaluate<boolean>(isThere)).toBe(true);
      await request.continue();
    });
    await page.route(code, async (request) => {
      codes += 1;
      await expect.poll(() => reads).toBeGreaterThan(0);
      await request.continue();
    });
    await page.goto(`${origin}/p/${project}${path}`);
    await heading(page, title);
    expect([path, reads, codes > 0]).toEqual([path, 1, true]);
    if (title === 'Purses') expect(await page.evaluate('window.isPartial')).toBeUndefined();
    for (const address of [read, code]) await page.unroute(address);
  }
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('what stands around a page does not wait for what takes long', async () => {
  const { page, origin, project } = started();
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/documents\/purses\?/, async (request) => {
    await answered;
    await request.continue();
  });
  await page.goto(`${origin}/p/${project}/collections/purses`);
  await heading(page, 'Purses');
  expect(await page.getByRole('link', { name: ADA }).count()).toBe(0);
  answer();
  await page.getByRole('link', { name: ADA }).waitFor();
});
