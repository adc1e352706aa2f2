import { expect, vi } from 'vitest';
import { jobIn, jobsOn } from '../jobs/support.ts';
import { printed } from '../node/support/command-line.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** The page that tells how the installation fares, reached by keyboard. */

let retried: Promise<unknown> = Promise.resolve();
const consoleOf = useConsole(async ({ env }) => {
  let isBroken = true;
  const work = async () => {
    if (isBroken) throw new Error('a table is missing');
    return {};
  };
  const jobs = jobsOn({ redisUrl: null, databaseUrl: String(env['DATABASE_URL']) }, { 'projection.rebuild': work }, { retryMs: 1 });
  jobs.start();
  const id = await jobs.enqueue('projection.rebuild', { names: ['documents'] });
  await jobIn(jobs, id, 'failed');
  isBroken = false;
  retried = jobIn(jobs, id, 'completed').finally(() => jobs.close());
});

inBrowser('whoever keeps it running gets there by keyboard, sees what fails, and lets it run again', async () => {
  const { page, faults, env } = consoleOf();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'A page, a name, or any id' }).fill('lag');
  await page.keyboard.press('Enter');
  await heading(page, 'Health');
  await page.getByText('All is well').waitFor();
  await page.getByText('a table is missing').waitFor();
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  await page.getByRole('cell', { name: 'api, projector' }).waitFor();
  await expect
    .poll(async () => JSON.parse(await printed(['nodes', '--json'], { env })))
    .toMatchObject([{ roles: 'api,projector', last: { behind: 0 } }]);
  await page.getByRole('button', { name: /^Retry long-/ }).click();
  await page.getByText('It waits to run again').waitFor();
  await retried;
  await page.getByText('No job is at work, and none has failed for good').waitFor();
  expect(faults).toEqual([]);
});

inBrowser('the page keeps nobody out', () => expectOpenToAll(consoleOf(), ['/health']));

inBrowser('the palette goes to what was typed where it is no page, and Escape leaves it', async () => {
  const { page } = consoleOf();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'A page, a name, or any id' });
  await box.fill('nobody-has-this-name');
  await page.keyboard.press('Escape');
  await expect.poll(() => box.count()).toBe(0);
  await page.keyboard.press('Control+k');
  await box.fill('nobody-has-this-name');
  await page.keyboard.press('Enter');
  await page.getByText('nobody-has-this-name').first().waitFor();
  expect(page.url()).toContain('/find/nobody-has-this-name');
});
