import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../infra/harness/chromium.ts';
import { type Harness, startServer } from './harness.ts';

/** The page of the HTTP reference in a real Chromium, as wide as a phone. */

/** The part of playwright-core that is used here. */
interface Page {
  goto(url: string): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  fill(selector: string, text: string): Promise<void>;
  click(selector: string): Promise<void>;
  evaluate<Value>(text: string): Promise<Value>;
  on(event: 'pageerror' | 'requestfailed', listener: (about: unknown) => void): void;
}
interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

let server: Harness;
let browser: Browser;
let page: Page;
const faults: unknown[] = [];
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  server = await startServer();
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  page.on('pageerror', (error) => faults.push(error));
  page.on('requestfailed', (request) => faults.push(request));
  await page.goto(`http://127.0.0.1:${server.port}/docs`);
  await page.waitForSelector('.opblock-tag');
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Searches; the routes that are shown come to be as expected. */
async function expectFound(words: string, expected: unknown): Promise<void> {
  await page.fill('.operation-filter-input', words);
  const shown = "[...document.querySelectorAll('.opblock-summary')].map((row) => row.textContent)";
  await expect.poll(() => page.evaluate<string[]>(shown), { timeout: 60_000 }).toEqual(expected);
}

test.skipIf(CHROMIUM === undefined)('routes are found by method and path, by words, and by the code of a refusal', async () => {
  await expectFound('PATCH /v3/storage/{project}', [expect.stringMatching(/^PATCH.*Rename a save record/)]);
  await expectFound('newest ledger', expect.arrayContaining([expect.stringContaining('Every change of a player')]));
  await expectFound('endpoint_only /append', [expect.stringContaining('/append')]);
  await expectFound('no such words', []);
  expect(await page.evaluate("document.querySelector('.nothing').textContent")).toContain('no such words');
});

test.skipIf(CHROMIUM === undefined)('each refusal is explained once, and routes lead to it by its code', async () => {
  const codes = await page.evaluate<string[]>("[...document.querySelectorAll('#errors dt code')].map((code) => code.textContent)");
  expect(codes.length).toBeGreaterThan(50);
  expect(codes).toEqual([...new Set(codes)]);
  await expectFound('GET /{key}/ledger', [expect.stringContaining('/ledger')]);
  await page.click('.opblock-summary-control');
  await page.waitForSelector('.opblock-body .responses-table .response');
  const statuses =
    "[...document.querySelectorAll('.opblock-body .responses-table .response .response-col_status')].map((cell) => cell.textContent.trim())";
  expect((await page.evaluate<string[]>(statuses)).filter((status) => Number(status) >= 400)).toEqual([]);
  await page.click('.opblock-description a[href="#error-UNAUTHORIZED"]');
  const shown = "[document.querySelector('#errors').open, document.querySelector('#errors .found').textContent, location.hash]";
  expect(await page.evaluate(shown)).toEqual([true, 'UNAUTHORIZED 401', '#error-UNAUTHORIZED']);
});

test.skipIf(CHROMIUM === undefined)('it fits a phone, shows backticks as code, and follows the colours of the machine', async () => {
  await page.fill('.operation-filter-input', 'allowRecordDelete records');
  await expect
    .poll(() => page.evaluate("document.querySelector('.opblock-summary-description code')?.textContent"))
    .toBe('allowRecordDelete');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await page.evaluate<number>("document.querySelector('.operation-filter-input').offsetWidth")).toBeGreaterThan(340);
  expect(await page.evaluate('document.documentElement.className')).toBe('dark-mode');
  expect(
    await page.evaluate("[...document.querySelectorAll('header a, link[rel=icon]')].map((link) => link.getAttribute('href'))"),
  ).toEqual(['favicon.svg', '.', 'manual', 'openapi.json']);
  expect(faults).toEqual([]);
});
