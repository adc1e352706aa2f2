import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const GOLD = { type: 'number', _ledger: true, _currency: 'gold' };
const VAULTS = { id: 'vaults', collectionType: 'global', schema: { coins: { ...GOLD, _currency: 'treasure' } } };
const ADA = '76561198000000001';

const DAY_MS = 86_400_000;

/** What is told of today is told of one day: before midnight of UTC the tests wait for it. */
async function awayFromMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < 120_000) await sleep(left);
}

const started = useConsole(async ({ manager }) => {
  await awayFromMidnight();
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ id: 'purses', schema: { gold: GOLD } }, VAULTS] }));
  await ok(
    manager.manage('POST', manager.storage('vaults/townhall'), { body: { ops: [{ op: 'inc', path: 'coins', value: 9, source: 'tax' }] } }),
  );
  const move = (value: number, source: string) =>
    ok(manager.manage('POST', manager.storage(`purses/${ADA}`), { body: { ops: [{ op: 'inc', path: 'gold', value, source }] } }));
  await move(120, 'quest');
  await move(-20, 'shop');
});

inBrowser('an auditor sees that a day adds up and opens it; a manager sets an alarm', async () => {
  const { origin, project, manager, faults, signedInAs } = started();
  const page = await signedInAs('auditor');
  await page.goto(`${origin}/p/${project}/economy`);
  await page.getByText('adds up on each of 1 day').waitFor();
  // Each table names its file, which names the game.
  const file = async (what: string) => (await page.getByRole('button', { name: `${what} as CSV` }).getAttribute('title')) ?? '';
  expect(await file('Days')).toMatch(new RegExp(`^Saves Market-${project}-economy-gold-days-r\\d+\\.csv$`));
  expect([await file('Sources'), await file('Players')]).toEqual([
    expect.stringContaining('by-source'),
    expect.stringContaining('movers-net'),
  ]);
  await page
    .getByRole('row', { name: /entries of gold 0 120 20 100/ })
    .first()
    .waitFor();
  // What went live in these days leads to its publish, and from there back to the days around it.
  await page.getByRole('row', { name: /Collection purses is new/ }).waitFor();
  await page
    .getByRole('link', { name: /^publish \d+$/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'The economy since it, and in the week before' }).click();
  await heading(page, 'Made live in these days');
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
  // The bar of a sum opens what the sum does.
  await page.getByRole('link', { name: '1 entries of gold from shop' }).waitFor();
  await page.evaluate<void>(`document.querySelector('td[aria-hidden] [title="The entries of gold that went out from shop"]').click()`);
  await heading(page, 'entries of gold that went out from shop');
  await page.getByRole('link', { name: 'Back to the economy' }).click();
  await heading(page, 'Top movers');
  // A sum opens what it is made of, and nothing besides.
  await page.getByRole('link', { name: '20', exact: true }).first().click();
  await heading(page, 'entries of gold that went out');
  await page
    .getByRole('row', { name: /purses.gold 120 −20 100 shop/ })
    .first()
    .waitFor();
  expect(await page.getByRole('row', { name: /quest/ }).count()).toBe(0);
  // All of it went nowhere: the entries of the sink come to the number that was clicked.
  await page.getByRole('link', { name: 'Back to the economy' }).click();
  await heading(page, 'Top movers');
  await page.evaluate<void>(`document.querySelector('td [title="The entries of gold that went nowhere from shop"]').click()`);
  await heading(page, 'entries of gold that went nowhere from shop');
  await page
    .getByRole('row', { name: /purses.gold 120 −20 100 20 shop/ })
    .first()
    .waitFor();
  await page.getByRole('row', { name: '1 entry in all −20' }).waitFor();
  await page.getByRole('link', { name: 'Back to the economy' }).click();
  await heading(page, 'Top movers');
  expect(new URL(page.url()).searchParams.get('from')).toBe(new URL(page.url()).searchParams.get('to'));
  expect(await page.getByRole('button', { name: 'Change…' }).count()).toBe(0);
  // A day counts once it is typed whole.
  const asked = page.url();
  await page.getByLabel('From', { exact: true }).fill('2025-12-');
  expect(page.url()).toBe(asked);
  await page.getByLabel('From', { exact: true }).fill('2025-12-24');
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2025-12-24');
  // What all share is no player.
  await page.goto(`${origin}/p/${project}/economy/entries?currency=treasure`);
  await page.getByRole('link', { name: 'townhall' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/p/${project}/collections/vaults/townhall`);
  const managed = await signedInAs('manager');
  await managed.goto(asked);
  await managed.getByRole('button', { name: 'Change…' }).click();
  await managed.getByLabel('Name', { exact: true }).fill('greed');
  await managed.getByLabel('Raised when there comes in').selectOption('perPlayerHour');
  await managed.getByLabel('Amount within an hour').fill('5000');
  await managed.getByRole('button', { name: 'Add this alarm' }).click();
  await managed.getByLabel('Why', { exact: true }).fill('Bots were seen');
  await managed.getByRole('button', { name: 'Set the alarms' }).click();
  await heading(managed, 'The alarms are set');
  await page.goto(`${origin}/p/${project}`);
  await page.getByText('Bots were seen').first().waitFor();
  const { body } = await ok(manager.manage('GET', `/v3/manage/${project}/settings`));
  expect(Object(body).settings.economyAlarms).toEqual([{ name: 'greed', currency: 'gold', perPlayerHour: 5000 }]);
  await expectOpenToAll(started(), ['/economy', '/economy/entries?currency=gold&class=faucet']);
  expect(faults).toEqual([]);
});

inBrowser('an auditor goes from a coin to its call, to the publish that made that call what it was, and to the player', async () => {
  const { origin, project, manager, faults, signedInAs } = started();
  const page = await signedInAs('auditor');
  const reward = {
    id: 'reward',
    steps: [{ id: 'pay', type: 'write', collection: 'purses', key: ADA, ops: [{ op: 'inc', path: 'gold', value: 7, source: 'reward' }] }],
    response: { status: 200, body: { ok: true } },
  };
  const { headers } = await ok(
    manager.manage('PUT', `${manager.definitions('endpoints')}?message=Rewards%20for%20all`, { body: [reward] }),
  );
  const publish = headers['x-ns-position'];
  await ok(manager.play('POST', manager.endpoint('reward')));
  await page.goto(`${origin}/p/${project}/economy/entries?currency=gold&source=reward`);
  await page
    .getByRole('row', { name: /purses.gold 100 \+7 107 reward/ })
    .first()
    .waitFor();
  await page
    .getByRole('link', { name: /^What commit \d+ was$/ })
    .first()
    .click();
  await page
    .getByText(/as this publish made it/)
    .first()
    .waitFor();
  await page
    .getByRole('link', { name: String(publish), exact: true })
    .first()
    .click();
  await page
    .getByText(/“Rewards for all”/)
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe(`/p/${project}/publishes/${publish}`);
  await page.getByRole('link', { name: 'Players' }).click();
  await page.getByLabel('How the name begins').fill('ada');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByText('No player’s name begins with “ada”').waitFor();
  await page.keyboard.press('/');
  await page.getByLabel(/^Find anything/).fill(ADA);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'purses', exact: true }).waitFor();
  await page.getByRole('navigation', { name: 'Of this player' }).getByRole('link', { name: 'Who looked' }).click();
  await page
    .getByRole('row', { name: /auditor-\d/ })
    .first()
    .waitFor();
  expect(faults).toEqual([]);
});

inBrowser('the days of the first currency are asked for before the code of their page is there', async () => {
  const { origin, project, faults, signedInAs } = started();
  const page = await signedInAs('auditor');
  let tell: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  await page.route(/\/economy\?.*currency=gold/, async (read) => {
    tell();
    await read.continue();
  });
  await page.route(/\/assets\/economy-/, async (code) => {
    await asked;
    await code.continue();
  });
  await page.goto(`${origin}/p/${project}/economy`);
  await page.getByText('adds up on each of 1 day').waitFor();
  expect(faults).toEqual([]);
});
