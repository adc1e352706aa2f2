import { afterAll, beforeAll, expect, vi } from 'vitest';
import { projectOf, type RunningNode, savepointWith, startNode } from '../../infra/harness/node.ts';
import { freePort } from '../../infra/harness/port.ts';
import { type Client, createClient, ok } from '../node/support/game-client.ts';
import { newFolder, removeFolders } from '../node/support/program.ts';
import type { Page, Profile } from '../support/chromium.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { inBrowser, newProfile } from './support/chromium.ts';
import { heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** The console beside a built node that is killed, a network that is slow, and none. */

const folder = newFolder();
let settings: { readonly DATABASE_URL: string; readonly CONSOLE_LISTEN: string };
let node: RunningNode;
let manager: Client;
let project: string;
let profile: Profile;
let page: Page;

const path = (rest: string) => `${new URL(page.url()).origin}/p/${project}${rest}`;

async function start(): Promise<void> {
  node = await startNode(folder, { settings });
  const credentials = await projectOf(folder, settings);
  project = credentials.projectId;
  manager = createClient(node.url, credentials);
}

async function stage(axe: number): Promise<void> {
  const body = { items: [{ id: 'shop', type: 'group', name: 'Shop', entries: { axe } }] };
  await ok(manager.manage('PUT', manager.definitions('game-values'), { body, headers: { 'x-ns-publish-target': 'next' } }));
}

async function live(): Promise<unknown> {
  return Object((await ok(manager.manage('GET', `/v3/values/${project}`))).body).constants?.shop?.axe;
}

async function fillPromotion(): Promise<void> {
  await page.goto(path('/publishes'));
  await page.getByRole('button', { name: 'Make it live…' }).click();
  await page.getByLabel('Why').fill('Summer prices');
  await page.getByRole('button', { name: 'Make it live', exact: true }).waitFor();
}

beforeAll(async () => {
  settings = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  await start();
  profile = await newProfile();
  page = await profile.newPage();
  const { stdout } = await savepointWith({ SAVEPOINT_DATA: folder, ...settings }, 'console', 'link', '--json');
  await page.goto(JSON.parse(stdout).url);
  await heading(page, 'Activity');
});

afterAll(async () => {
  manager?.close();
  await profile?.close();
  await node?.stop();
  removeFolders();
});

inBrowser('a page says that the server was killed, and goes on when it is back; nobody signs in again', async () => {
  await page.goto(path(''));
  await heading(page, 'Activity');
  const listed = () => page.evaluate<number>(`document.querySelectorAll('main ol > li').length`);
  await expect.poll(listed).toBeGreaterThan(0);
  await node.kill();
  manager.close();
  await page.getByRole('link', { name: 'Publishes', exact: true }).click();
  await page.getByText('The server does not answer.').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  // A list that somebody reads stays, says that it is not followed, and goes on by itself.
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const isOld = page.getByText('Changes cannot be followed just now');
  await isOld.waitFor();
  expect(await listed()).toBeGreaterThan(0);
  await start();
  await expect.poll(() => isOld.count(), { timeout: 60_000 }).toBe(0);
  await page.getByRole('link', { name: 'Publishes', exact: true }).click();
  await heading(page, 'Publishes');
  await expect.poll(() => page.getByText('The server does not answer.').count()).toBe(0);
});

inBrowser('a change that was made without a network is not sent when there is one again', async () => {
  await stage(9);
  const before = await live();
  await fillPromotion();
  await profile.setOffline(true);
  await page.getByRole('button', { name: 'Make it live' }).click();
  await page.getByText('The server does not answer.').first().waitFor();
  await profile.setOffline(false);
  await page.reload();
  await page.getByRole('button', { name: 'Make it live…' }).waitFor();
  expect(await live()).toEqual(before);
});

inBrowser('what is pressed twice, because the network is slow, is done once', async () => {
  await stage(11);
  const publishes = async () => Object((await ok(manager.manage('GET', `/v3/manage/${project}/publishes`))).body).publishes?.length;
  await fillPromotion();
  const before = await publishes();
  const network = await profile.newCDPSession(page);
  await network.send('Network.emulateNetworkConditions', { offline: false, latency: 1_500, downloadThroughput: -1, uploadThroughput: -1 });
  await page.evaluate<void>(
    `(() => { const press = () => [...document.querySelectorAll('button')].find((each) => each.innerText === 'Make it live')?.click();
      press(); setTimeout(press, 100); })()`,
  );
  await heading(page, 'It is live');
  const sent = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/promote?')).length";
  expect(await page.evaluate<number>(sent)).toBe(1);
  expect(await live()).toBe(11);
  expect(await publishes()).toBe(before + 1);
});
