import { expect, vi } from 'vitest';
import { NEXT, ok } from '../node/support/game-client.ts';
import type { Held, Page } from '../support/chromium.ts';
import { inBrowser, newProfile } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** Pages in a real Chromium, used by the keyboard alone. */

const PLAYERS = {
  id: 'players',
  name: 'players',
  collectionType: 'per-platformid',
  schema: { name: { type: 'string' }, gold: { type: 'number', _ledger: true } },
};
const RICHEST = { id: 'richest', name: 'Richest', type: 'leaderboard', sources: [{ collectionId: 'players' }], config: { field: 'gold' } };
const ADA = '76561198000000001';

const market = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] }));
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [RICHEST] }));
  await ok(manager.manage('POST', manager.storage(`players/${ADA}`), { body: { name: 'Ada', gold: 80 } }));
});

/** What the keyboard is at, as a reader of screens names it. */
const at = (page: Page) =>
  page.evaluate<string>(`(({ tagName, labels, textContent }) => tagName + ' ' + (labels?.[0] ?? { textContent }).textContent)
    (document.activeElement === document.body ? { tagName: 'BODY', textContent: '' } : document.activeElement)`);

/** Waits until the page keeps the keyboard where it is: that comes once the page stands. */
async function kept(page: Page): Promise<void> {
  const file = `performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/kept-focus-'))?.name ?? null`;
  await expect.poll(() => page.evaluate<string | null>(file)).not.toBeNull();
  await page.evaluate<void>(`import(${file}).then(() => undefined)`);
}

inBrowser('the keyboard stays where it is: a list is narrowed, a part comes above, the moment or next is left', async () => {
  const { faults, origin, page, project } = market();
  const NARROWED: readonly (readonly [path: string, label: string, typed: string, is: string])[] = [
    ['', 'Ticket', 'T-1', 'INPUT Ticket'],
    [`/players/${ADA}/timeline`, 'Field', 'gold', 'INPUT Field'],
    ['/calls', 'Code', 'NOPE', 'INPUT Code'],
    ['/collections/players', 'The key begins with', '7', 'INPUT The key begins with'],
    [`/players/${ADA}/restore`, 'Moment', '2', 'INPUT Moment'],
  ];
  for (const [path, label, typed, is] of NARROWED) {
    await page.goto(`${origin}/p/${project}${path}`);
    await kept(page);
    await page.getByLabel(label, { exact: true }).fill(typed);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toContain(typed);
    await expect.poll(() => at(page)).toBe(is);
  }
  await page.goto(`${origin}/p/${project}/boards/richest`);
  await kept(page);
  await page.getByRole('link', { name: `Why ${ADA} is number 1` }).press('Enter');
  await page.getByText(`No row stands above it.`).waitFor();
  await expect.poll(() => at(page)).toBe('A Why?');
  for (const [search, name] of [
    ['at=2', 'Back to now'],
    ['target=next', 'Back to live'],
  ] as const) {
    await page.goto(`${origin}/p/${project}?${search}`);
    await kept(page);
    await page.getByRole('button', { name }).press('Enter');
    await expect.poll(() => at(page)).toBe('H1 Activity');
  }
  expect(faults).toEqual([]);
});

inBrowser('so it does where somebody types before all of the page is there', async () => {
  const { origin, page, project } = market();
  const held: Held[] = [];
  await page.route(/kept-focus-/, async (request) => void held.push(request));
  await page.goto(`${origin}/p/${project}`);
  await page.getByLabel('Ticket', { exact: true }).fill('T-2');
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.continue();
  await kept(page);
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).search).toContain('T-2');
  await expect.poll(() => at(page)).toBe('INPUT Ticket');
  await page.unroute(/kept-focus-/);
});

inBrowser('what is left for nothing is not gone back to', async () => {
  const { origin, page, project } = market();
  await page.goto(`${origin}/p/${project}`);
  await kept(page);
  await page.getByLabel('Ticket', { exact: true }).click();
  await page.evaluate('document.activeElement.blur()');
  await page.evaluate(`document.querySelector('main').append(document.createElement('i'))`);
  await page.evaluate('new Promise(requestAnimationFrame)');
  expect(await at(page)).toBe('BODY ');
});

inBrowser('a button that works stays where the keyboard is, and does not work twice', async () => {
  const { manager, origin, page, project } = market();
  const shop = { items: [{ id: 'shop', type: 'group', name: 'Shop', entries: { axe: 7 } }] };
  await ok(manager.manage('PUT', manager.definitions('game-values'), { body: shop, headers: NEXT }));
  await page.goto(`${origin}/p/${project}/publishes`);
  const held: Held[] = [];
  await page.route(/run-tests/, async (request) => void held.push(request));
  await page.getByRole('button', { name: 'Check and run the tests' }).press('Enter');
  await page.getByRole('button', { name: 'Checking…' }).waitFor();
  await expect.poll(() => at(page)).toBe('BUTTON Checking…');
  await page.keyboard.press('Enter');
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.continue();
  await page.getByRole('button', { name: 'Check it again' }).waitFor();
  await expect.poll(() => at(page)).toBe('BUTTON Check it again');
  expect(held.length).toBe(1);
  await page.unroute(/run-tests/);
});

inBrowser('a dialog that makes something begins at what it is called', async () => {
  const { origin, page, project } = market();
  await page.goto(`${origin}/p/${project}/values`);
  await heading(page, 'Values');
  await page.getByRole('button', { name: 'New group or table…' }).press('Enter');
  await expect.poll(() => at(page)).toBe('INPUT Id');
});

inBrowser('what stands in place of a page is in the one main part', async () => {
  const { origin, project, signedIn } = market();
  // Nothing of another page is kept by it.
  const profile = await newProfile();
  const page = await signedIn(profile);
  await page.goto(`${origin}/p/${project}/players`);
  await heading(page, 'Players');
  await profile.setOffline(true);
  await page.getByRole('link', { name: 'Boards', exact: true }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await page.getByRole('main').count()).toBe(1);
  await profile.close();
});
