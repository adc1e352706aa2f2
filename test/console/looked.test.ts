import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What is personal, and who looked, as the pages of the console show it. */

const ADA = '76561198000000001';
const EMAIL = 'ada@personal.example';
const PLAYERS = {
  id: 'players',
  name: 'players',
  collectionType: 'per-platformid',
  schema: { gold: { type: 'number' }, email: { type: 'string', _personal: true } },
};

const started = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] }));
  await ok(manager.manage('POST', manager.storage(`players/${ADA}`), { body: { gold: 5, email: EMAIL } }));
});

inBrowser('an e-mail is masked until a reason is given; the auditor sees who looked, and why', async () => {
  const { page, origin, project, faults } = started();
  await page.goto(`${origin}/p/${project}/players/${ADA}/documents/players/${ADA}`);
  await page.getByText('[personal]').first().waitFor();
  expect(await page.evaluate<boolean>(`document.body.innerText.includes('${EMAIL}')`)).toBe(false);
  await page.getByRole('button', { name: 'Show personal values' }).click();
  await page.getByLabel('Reason').fill('wrote to support');
  await page.getByLabel(/^Ticket/).fill('7');
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByText(EMAIL).first().waitFor();
  await page.getByRole('button', { name: 'Hide personal values' }).click();
  await page.getByText('[personal]').first().waitFor();
  await page.getByRole('navigation', { name: 'Of this player' }).getByRole('link', { name: 'Who looked' }).click();
  await heading(page, 'Who looked');
  await page.getByText('wrote to support (ticket 7)').first().waitFor();
  expect(await page.evaluate<boolean>(`document.body.innerText.includes('${EMAIL}')`)).toBe(false);
  await page.getByRole('button', { name: 'Only looks of owner' }).first().click();
  await page.getByRole('button', { name: 'Of everybody' }).waitFor();
  expect(faults).toEqual([]);
  await expectOpenToAll(started(), [`/looked?player=${ADA}`]);
});
