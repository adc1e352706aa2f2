import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** Game values as a grid, in a real Chromium. */

const SOURCE = `# What the smith sells
items:
  - id: shop
    type: table
    name: Shop
    columns: [{ key: item, type: string }, { key: price, type: number, max: 1000 }]
    rows:
      - { item: axe,   price: 7 }   # cheap
      - { item: sword, price: 30 }
  - { id: season, type: group, entries: { seed: 18446744073709551615 } }
`;
const ITEMS = [
  {
    id: 'shop',
    type: 'table',
    name: 'Shop',
    columns: [
      { key: 'item', type: 'string' },
      { key: 'price', type: 'number', max: 1000 },
    ],
    rows: [
      { item: 'axe', price: 7 },
      { item: 'sword', price: 30 },
    ],
  },
];
const SEASON = '{"id":"season","type":"group","entries":{"seed":18446744073709551615}}';
const BODY = JSON.stringify({ items: ITEMS, sourceFormat: 'yaml', sourcePath: 'values.yml', sourceText: SOURCE }).replace(
  '],"sourceFormat"',
  `,${SEASON}],"sourceFormat"`,
);

const market = useConsole(({ manager }) =>
  ok(manager.manage('PUT', `${manager.definitions('game-values')}?message=Opening`, { raw: BODY })),
);

async function stored(target: 'live' | 'next') {
  const { manager } = market();
  const { body } = await ok(manager.manage('GET', `${manager.definitions('game-values')}?revisionTarget=${target}`));
  return Object(body).data;
}

inBrowser('the box offers what has it in its name while one types, by mouse and by keyboard, and says that Enter finds', async () => {
  const { faults, origin, page, profile, project } = market();
  const chosen = () => page.evaluate<string>(`document.querySelector('[role=gridcell][aria-selected=true]')?.textContent ?? ''`);
  await page.goto(`${origin}/p/${project}`);
  await heading(page, 'Activity');
  await expect
    .poll(async () => {
      await page.keyboard.press('/');
      return page.evaluate('document.activeElement.id');
    })
    .toBe('find');
  for (const letter of 'WOR') await page.keyboard.press(letter);
  await page.getByRole('option', { name: 'Find “WOR” among ids, names and players Enter finds' }).waitFor();
  await page.getByRole('option', { name: 'sword in shop row' }).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'Shop');
  await expect.poll(chosen).toBe('sword');
  // Its keys are those of the grid.
  await expect.poll(() => page.evaluate<string>(`document.activeElement?.getAttribute('role')`)).toBe('grid');
  // Where a table is wider than the screen, the names of its rows stay.
  const { send } = await profile.newCDPSession(page).then((session) => ({ send: session.send.bind(session) }));
  await send('Emulation.setDeviceMetricsOverride', { width: 220, height: 800, deviceScaleFactor: 1, mobile: false });
  const moved = `(() => {
    const grid = document.querySelector('[role=grid]');
    grid.scrollLeft = 1000;
    const [name] = document.querySelectorAll('[role=gridcell]');
    return [grid.scrollLeft > 0, Math.round(name.getBoundingClientRect().left - grid.getBoundingClientRect().left)];
  })()`;
  await expect.poll(() => page.evaluate<unknown>(moved)).toEqual([true, 56]);
  await send('Emulation.clearDeviceMetricsOverride', {});
  await page.getByLabel(/^Find anything/).fill('pri');
  await page.getByRole('option', { name: 'price in shop column' }).click();
  await expect.poll(chosen).toBe('7');
  // Enter alone finds: all of them as a page.
  await page.getByLabel(/^Find anything/).fill('se');
  await page.keyboard.press('Enter');
  await heading(page, 'se');
  await page.getByRole('cell', { name: 'group of values' }).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'seed', exact: true }).click();
  await heading(page, 'season');
  await expect.poll(chosen).toBe('seed');
  expect(faults).toEqual([]);
});

inBrowser('a manager changes prices as in a spreadsheet, stages them with a reason, and the file keeps its comments', async () => {
  const { faults, origin, page, project, manager } = market();
  await page.goto(`${origin}/p/${project}/values`);
  await page.getByRole('link', { name: 'Shop' }).click();
  const grid = page.getByRole('grid', { name: 'Shop' });
  await grid.waitFor();
  await page.getByRole('gridcell', { name: 'axe' }).click();
  await page.keyboard.press('ArrowRight');
  for (const digit of '2000') await page.keyboard.press(digit);
  await page.getByText('At most 1000.').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  // Whoever presses another cell means the one that was typed in.
  await page.keyboard.press('8');
  await page.keyboard.press('1');
  await page.getByRole('gridcell', { name: 'sword' }).click();
  const cells = () => page.evaluate<string[]>(`[...document.querySelectorAll('[role=gridcell]')].map(({ textContent }) => textContent)`);
  await expect.poll(cells).toEqual(['axe', '81, not saved', 'sword', '30']);
  await page.getByRole('gridcell', { name: '81' }).click();
  await page.keyboard.press('9');
  await page.keyboard.press('Control+s');
  await heading(page, 'Save Shop?');
  await page.getByText('7 → 9').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('gridcell', { name: 'sword' }).click();
  await page.keyboard.press('ArrowRight');
  await page.evaluate<void>(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Price\\n35,000\\n');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);
  // A number that means another in another country is asked for, and pasted by what is chosen.
  await page.getByText('“35,000”').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'It is 35.000' }).click();
  await page.getByText('The first row named the columns.').waitFor();
  await page.getByText('2 changes not saved').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('One change not saved').waitFor();
  // What a paste did is said no longer than it is there.
  await expect.poll(() => page.getByText('The first row named the columns.').count()).toBe(0);
  await page.keyboard.press('Control+y');
  // What does not fit leads to its cell, where it is typed anew.
  await page.getByRole('gridcell', { name: '35' }).click();
  await page.evaluate<void>(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'dear');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);
  await page.getByRole('gridcell', { name: 'axe' }).click();
  await page.getByRole('button', { name: '1 cell does not fit: show the first' }).click();
  await page.keyboard.type('35');
  await page.keyboard.press('Enter');
  await expect.poll(cells).toEqual(['axe', '9, not saved', 'sword', '35, not saved']);
  await page.getByRole('button', { name: 'Save…' }).click();
  await page.getByText('axe › price').waitFor();
  await page.getByLabel('Why').fill('Summer prices');
  expect(await seriousOn(page)).toEqual([]);
  // Somebody else publishes while the look is open: nobody is overwritten.
  const other = BODY.replace('"price":30', '"price":31').replace('price: 30', 'price: 31');
  await ok(manager.manage('PUT', manager.definitions('game-values'), { raw: other, headers: { 'x-ns-publish-target': 'next' } }));
  await page.getByRole('button', { name: 'Stage it' }).click();
  await page.getByText('Somebody else published since you looked.').waitFor();
  await page.getByRole('button', { name: /^Look at what is there now/ }).click();
  await page.getByText('What is staged has something else here than you saw.').waitFor();
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Stage it' }).click();
  await heading(page, 'It is staged');
  const staged = await stored('next');
  expect(staged.sourceText).toBe(SOURCE.replace('price: 7 ', 'price: 9 ').replace('price: 30', 'price: 35'));
  expect(staged.items[0].rows).toEqual([
    { item: 'axe', price: 9 },
    { item: 'sword', price: 35 },
  ]);
  expect(JSON.stringify(await stored('live'))).toContain('price: 30');
  const menuTop = () => page.evaluate<number>(`document.querySelector('nav').getBoundingClientRect().top`);
  const before = await menuTop();
  await page.getByRole('link', { name: 'Look at it in next' }).click();
  await page.getByText('This is next').waitFor();
  // The menu stays where it was, and the cell that changed is chosen.
  expect(await menuTop()).toBe(before);
  await page.getByText('in live: 7').waitFor();
  await page.getByRole('button', { name: 'History of this cell…' }).click();
  await page.getByText('“Summer prices”').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  // What changed last stands beside the name, and leads to its publish.
  await page.getByRole('link', { name: 'All values' }).click();
  await page.getByRole('row', { name: /axe › price 7 → 9, and 1 more, publish \d+/ }).waitFor();
  expect(faults).toEqual([]);
});

/** Keeps what is told of other changes from now on, even if it is there for a moment. */
const WATCHED = `globalThis.told = new Set();
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('p, [role=status] span'))
      if (/elsewhere since this was read|^Staged already/.test(textContent)) told.add(textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true }), null`;

inBrowser('where a second person is asked for, one act stages, runs the tests and asks; if a test fails, nobody is asked', async () => {
  const { faults, manager, origin, page, project } = market();
  const sell = { id: 'sell', slug: 'sell', steps: [], response: { status: 200, body: { seed: '{{values.season.seed}}' } } };
  const test = (status: number) => ({ id: 'sells', name: 'It sells', endpoint: 'sell', input: {}, expect: { outcome: 'pass', status } });
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [sell] }));
  await ok(manager.manage('PUT', manager.definitions('tests'), { body: [test(418)] }));
  await ok(manager.manage('PUT', manager.definitions('settings'), { body: { approvals: 'required' } }));
  const open = async () => Object((await ok(manager.manage('GET', `/v3/manage/${project}/approvals`))).body).open;
  const change = async (price: string) => {
    await page.goto(`${origin}/p/${project}/values/shop?target=next&row=axe&column=price`);
    await expect.poll(() => page.evaluate<string>(`document.activeElement?.getAttribute('role')`)).toBe('grid');
    for (const key of [...price, 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByText(/^Staged already, and asked for with it: Shop › /).waitFor();
    // Whoever approves reads why; what is only staged may do without.
    const ask = page.getByRole('button', { name: 'Stage and ask for approval' });
    await expect.poll(() => page.getByRole('button', { name: 'Stage it, ask later' }).isDisabled()).toBe(false);
    expect(await ask.isDisabled()).toBe(true);
    await page.getByLabel('Why').fill('Autumn prices');
    expect(await seriousOn(page)).toEqual([]);
    await page.evaluate(WATCHED);
    await ask.click();
  };
  await change('11');
  await heading(page, 'It is staged, and nobody was asked');
  await page.getByText('0 of 1 pass on next.').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  expect([await open(), JSON.stringify(await stored('next'))]).toEqual([[], expect.stringContaining('price: 11')]);
  await ok(manager.manage('PUT', manager.definitions('tests'), { body: [test(200)] }));
  await change('12');
  // No dialog is left: what waits stands above every page.
  await page.getByText(/^Asked for approval: Shop › .* \(1 of 1 tests pass\)\. Whoever may approve is told above every page/).waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  // The keyboard goes on from there, as the button that opened the dialog is gone.
  await expect.poll(() => page.evaluate<string>('document.activeElement?.textContent ?? null')).toMatch(/^Asked for approval/);
  // The table shows what was staged by then.
  await page.getByRole('gridcell', { name: '12' }).waitFor();
  await page.getByRole('button', { name: 'Copy link' }).waitFor();
  // Nobody was told of the own change as of one that came from elsewhere, or was there before.
  expect(await page.evaluate('[...told]')).toEqual([expect.not.stringContaining('12')]);
  expect(await seriousOn(page)).toEqual([]);
  expect(await open()).toHaveLength(1);
  expect(faults).toEqual([]);
});

inBrowser('values keep nobody out, light and dark, on a phone and wide', async () => {
  await expectOpenToAll(market(), ['/values', '/values/shop']);
});
