import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** Definitions as source, in a real Chromium. */

const SOURCE = `# How one greets here
sourceVersion: 1
kind: endpoint
id: greet
name: Greet
exposure: public
steps:
  - id: greeting
    type: transform
    value: hello
response: { status: 200, body: { ok: true } }
`;

const item = (sourceText: string) => ({ kind: 'endpoint', sourceFormat: 'yaml', sourcePath: 'greet.endpoint.yml', sourceText });

const market = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', `${manager.definitions('sync')}?message=Opening`, { body: { endpoints: [item(SOURCE)] } }));
  const warmer = SOURCE.replace('value: hello', 'value: welcome');
  await ok(manager.manage('PUT', `${manager.definitions('sync')}?message=Warmer`, { body: { endpoints: [item(warmer)] } }));
});

inBrowser('a developer reads what changed, completes and is told of faults, and stages the text as it was written', async () => {
  const { faults, manager, origin, page, project } = market();
  await page.goto(`${origin}/p/${project}/definitions`);
  await page.getByRole('link', { name: 'Endpoints' }).click();
  await page.getByRole('link', { name: 'Greet' }).click();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('“Warmer”').waitFor();
  await page.getByRole('link', { name: 'Compare with the one before' }).click();
  await page.getByRole('cell', { name: 'value: hello' }).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Change it' }).click();
  const text = page.getByRole('textbox', { name: /^Text of greet/ });
  await text.click();
  await page.keyboard.press('Control+End');
  for (const letter of 'methd: GET') await page.keyboard.press(letter);
  await page.getByText('UNKNOWN_TOP_LEVEL_FIELD').waitFor();
  for (let back = 0; back < 'methd: GET'.length; back += 1) await page.keyboard.press('Backspace');
  for (const letter of 'meth') await page.keyboard.press(letter);
  await page.getByRole('option', { name: /^method/ }).click();
  for (const letter of 'GET') await page.keyboard.press(letter);
  await page.getByText('The validator finds nothing in it.').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save to next…' }).click();
  await page.getByLabel('Why').fill('Greetings are read');
  await page.getByRole('button', { name: 'Stage it' }).click();
  await heading(page, 'It is staged');
  const path = `${manager.definitions('endpoints')}?includeStaged=true&revisionTarget=next`;
  const { body } = await ok(manager.manage('GET', path));
  const staged = Object(body).data.find((each: { revisionTarget?: string }) => each.revisionTarget === 'next');
  expect(staged.sourceText).toBe(`${SOURCE.replace('value: hello', 'value: welcome')}method: GET`);
  expect(faults).toEqual([]);
});

inBrowser('of a definition that does not exist it is said that there is none, what was meant, and how it is made', async () => {
  const { faults, origin, page, project, signedInAs } = market();
  await page.goto(`${origin}/p/${project}/definitions/endpoint/gret`);
  await page.getByText('There is no endpoint “gret” in live').waitFor();
  await page.getByText('Is it').waitFor();
  // Once it is known that there is none in next, either.
  await expect.poll(() => page.getByRole('link', { name: 'Change it' }).count()).toBe(0);
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Make it…' }).click();
  await page.getByRole('textbox', { name: /^Text of gret/ }).waitFor();
  await page.getByRole('link', { name: 'Source', exact: true }).click();
  await page.getByRole('link', { name: 'greet', exact: true }).click();
  await page.getByText('How one greets here').waitFor();
  const viewer = await signedInAs('viewer');
  await viewer.goto(`${origin}/p/${project}/definitions/endpoint/gret`);
  await viewer.getByText('There is no endpoint “gret”').waitFor();
  expect(await viewer.getByRole('link', { name: /^Make it/ }).count()).toBe(0);
  expect(faults).toEqual([]);
});

inBrowser('a definition that was pushed as data is completed as JSON', async () => {
  const { faults, manager, origin, page, project } = market();
  const wave = { id: 'wave', name: 'Wave', steps: [{ id: 'a', type: 'transform', value: 1 }] };
  await ok(manager.manage('PUT', manager.definitions('sync'), { body: { endpoints: [wave] } }));
  await page.goto(`${origin}/p/${project}/definitions/endpoint/wave?show=edit`);
  await page.getByRole('textbox', { name: /^Text of wave/ }).click();
  for (const key of ['Control+Home', 'End', ...'"exposure": "p']) await page.keyboard.press(key);
  await page.getByRole('option', { name: 'public', exact: true }).click();
  for (const letter of ', "meth') await page.keyboard.press(letter);
  await page.getByRole('option', { name: /^method/ }).click();
  for (const letter of '"GET",') await page.keyboard.press(letter);
  await page.getByText('The validator finds nothing in it.').waitFor();
  await page.getByText('{"exposure": "public", "method": "GET",').waitFor();
  expect(faults).toEqual([]);
});

inBrowser('of a long text all is there before it is changed, and what is typed at its end stands there', async () => {
  const { faults, manager, origin, page, project } = market();
  const notes = Array.from({ length: 1_500 }, (_, line) => `# note ${line} of how one greets, at some length`);
  const long = [SOURCE.replace('id: greet\n', 'id: long\n'), ...notes, ''].join('\n');
  await ok(
    manager.manage('PUT', manager.definitions('sync'), { body: { endpoints: [{ ...item(long), sourcePath: 'long.endpoint.yml' }] } }),
  );
  await page.goto(`${origin}/p/${project}/definitions/endpoint/long`);
  await page.getByText('How one greets here').waitFor();
  expect(await page.evaluate("document.querySelector('main pre').textContent")).toBe(long);
  await page.getByRole('link', { name: 'Change it' }).click();
  await page.getByRole('textbox', { name: /^Text of long/ }).click();
  for (const key of ['Control+End', ...'# last']) await page.keyboard.press(key);
  await page.getByText('The validator finds nothing in it.').waitFor();
  await page.getByRole('button', { name: 'Save to next…' }).click();
  await page.getByRole('button', { name: 'Stage it' }).click();
  await heading(page, 'It is staged');
  const { body } = await ok(manager.manage('GET', `${manager.definitions('endpoints')}?includeStaged=true&revisionTarget=next`));
  const staged = Object(body).data.find(({ id, revisionTarget }: Record<string, unknown>) => id === 'long' && revisionTarget === 'next');
  expect(staged.sourceText).toBe(`${long}# last`);
  expect(faults).toEqual([]);
});

inBrowser('definitions keep nobody out, light and dark, on a phone and wide', async () => {
  await expectOpenToAll(market(), ['/definitions?kind=endpoint', '/definitions/endpoint/greet', '/definitions/endpoint/greet?show=edit']);
});
