import { expect, vi } from 'vitest';
import { ok, PLAYER } from '../node/support/game-client.ts';
import type { Page } from '../support/chromium.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** The pages of calls in a real Chromium. */

const PLAYERS = { id: 'players', name: 'players', collectionType: 'per-platformid', schema: { gold: { type: 'number', _ledger: true } } };
const BUY = {
  ...{ id: 'buy', slug: 'buy', name: 'Buy', method: 'POST' },
  input: { required: ['price'], properties: { price: { type: 'integer', min: 1 }, item: { enum: ['axe', 'rope'] } } },
  steps: [
    { id: 'me', type: 'read', collection: 'players', key: '{{platformId}}' },
    {
      id: 'enough',
      type: 'condition',
      check: { field: 'me.gold', op: '>=', value: '{{input.price}}' },
      onFail: { error: 'TOO_POOR', message: 'Not enough gold', status: 409 },
    },
    { id: 'pay', type: 'write', collection: 'players', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: -1 }] },
  ],
  response: { status: 200, body: { ok: true } },
};

const GIFT = {
  ...{ id: 'gift', slug: 'gift', description: 'Gold, once more.', exposure: 'internal' },
  console: { page: 'player', label: 'Give gold', confirm: 'It is real gold.' },
  input: { properties: { gold: { type: 'integer', title: 'Gold', min: 1, max: 50 } }, required: ['gold'] },
  steps: [
    {
      id: 'give',
      type: 'write',
      collection: 'players',
      key: '{{platformId}}',
      ops: [{ op: 'inc', path: 'gold', value: '{{input.gold}}' }],
    },
  ],
  response: { status: 200, body: { ok: true } },
};
const SHUT = {
  ...{ id: 'shut', slug: 'shut', console: { page: 'home', label: 'Close the market' }, steps: [] },
  response: { status: 409, body: { ok: false, error: { code: 'NOT_TODAY', message: 'It is a holiday' } } },
};

const FOLLOWED = /\/logs\?.*follow=true/;

/** Whether somebody sees the tab. */
function show(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  return page.evaluate<void>(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    new Promise((done) => setTimeout(done, 50));`);
}

const market = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] }));
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [BUY, GIFT, SHUT] }));
  await ok(manager.manage('POST', manager.storage(`players/${PLAYER}`), { body: { gold: 5 } }));
  await ok(manager.play('POST', manager.endpoint('buy'), { body: { price: 2 } }));
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 90 } });
});

inBrowser('a refusal is found by endpoint and code, with its step, and tried again without storing anything', async () => {
  const { page, origin, project, manager, faults } = market();
  await page.goto(`${origin}/p/${project}`);
  // A call after the list was read, and before the page follows what comes.
  await page.route(FOLLOWED, async (request) => {
    await page.getByText('Not enough gold').first().waitFor();
    await manager.play('POST', manager.endpoint('buy'), { body: { price: 91 } });
    await request.continue();
    await page.unroute(FOLLOWED);
  });
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  await heading(page, 'Calls and errors');
  // What was refused alike is one line.
  await page.getByText('2 times').waitFor();
  // A tab that nobody sees follows nothing, and has what came once somebody sees it.
  await show(page, 'hidden');
  await expect.poll(() => page.getByText('live', { exact: true }).count()).toBe(1);
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 92 } });
  await show(page, 'visible');
  await page.getByText('3 times').waitFor();
  await page.getByRole('link', { name: /^TOO_POOR/ }).click();
  await heading(page, 'Calls of buy');
  expect(new URL(page.url()).search).toBe('?slug=buy&code=TOO_POOR');
  await page.getByText('3 times').click();
  // The lines come once the browser has told that it is open; before, the last is the line itself, which would close.
  await expect.poll(() => page.getByText('Not enough gold').count()).toBe(4);
  await page.getByText('Not enough gold').last().click();
  await page.getByText('condition:').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Try it as this player' }).click();
  await page.getByLabel('price').fill('a lot');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await page.getByText('Give a whole number').waitFor();
  await page.getByLabel('price').fill('3');
  await page.getByLabel('item').selectOption('1');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await heading(page, 'It would go through');
  await page.getByText(`Stored: players/${PLAYER}`).waitFor();
  // Whoever tried it is led to what came of it.
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('What would come of it');
  expect(await seriousOn(page)).toEqual([]);
  expect((await ok(manager.manage('GET', manager.storage(`players/${PLAYER}`)))).body).toEqual({ gold: 4 });
  // What somebody in the console looked for in vain is no refusal of the game, and is there for who asks for it.
  const hunt = await manager.manage('GET', manager.definitions('explain/no-such-id'));
  expect(hunt.status).toBe(404);
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 93 } });
  await page.goto(`${origin}/p/${project}/calls`);
  await page.getByText('Not enough gold').first().waitFor();
  await page.getByText(/request.* of people in the console or of servers .* left out/).waitFor();
  expect(await page.getByText('of managers', { exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: /^show / }).click();
  await page.getByText('of managers', { exact: true }).first().waitFor();
  expect(new URL(page.url()).searchParams.get('all')).toBe('managers');
  expect(await seriousOn(page)).toEqual([]);
  // A player reports what the screen said.
  await page.goto(`${origin}/p/${project}/find/TOO_POOR`);
  await page.getByRole('link', { name: 'the calls that were refused with it' }).click();
  await page.getByText('Not enough gold').first().waitFor();
  await expectOpenToAll(market(), ['/calls', '/calls?slug=buy&all=true', `/calls/try?slug=buy&player=${PLAYER}`]);
  expect(faults).toEqual([]);
});

inBrowser('who tries an endpoint chooses a player by who called it last or by name, and reads a refusal as the game tells it', async () => {
  const { page, origin, project, manager, faults } = market();
  const other = '76561198000000077';
  await ok(manager.play('POST', manager.storage('stats/heartbeat'), { body: { platformId: other, playerName: 'Bertha' } }));
  await page.goto(`${origin}/p/${project}/calls/try?slug=buy`);
  const player = page.getByLabel('Player', { exact: true });
  await page.getByText(/^The likeliest of who played last/).waitFor();
  expect(await page.evaluate('document.querySelector("#main form input").value')).toBe(PLAYER);
  await player.fill('Bert');
  await page.getByRole('button', { name: `Bertha ${other}` }).click();
  await page.getByLabel('price').fill('3');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await heading(page, 'It would be refused');
  await page.getByText('Not enough gold TOO_POOR').waitFor();
  await page.getByText('Nothing would be.').waitFor();
  await page.getByText('Each step, and the answer as JSON').click();
  await page.getByText('refused the call').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  // Others who played are told apart by what they have, and are tried in turn until it goes through for one.
  await page.getByRole('button', { name: 'Try other players until it goes through' }).click();
  await heading(page, 'It would go through');
  await page.getByText('It was refused for one player: once TOO_POOR “Not enough gold”.').waitFor();
  await page.getByRole('button', { name: new RegExp(`^${PLAYER} gold 4 refused .*: TOO_POOR$`) }).waitFor();
  // Who is refused is named where the game reports a name, and found among those who played last.
  await manager.play('POST', manager.endpoint('buy'), { body: { price: 3 } }, other);
  await page.goto(`${origin}/p/${project}/calls?player=${other}`);
  await page.getByText(`Bertha ${other}`).waitFor();
  await page.goto(`${origin}/p/${project}/players`);
  await page.getByRole('region', { name: 'Played last' }).getByRole('link', { name: 'Bertha' }).waitFor();
  await page
    .getByRole('region', { name: 'Played last' })
    .getByRole('row', { name: `no name ${PLAYER}` })
    .waitFor();
  expect(await seriousOn(page)).toEqual([]);
  // Whoever tries what is staged is told where it changes nothing.
  await page.goto(`${origin}/p/${project}/calls/try?slug=buy&player=${PLAYER}&target=next`);
  await page.getByLabel('price').fill('1');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await page.getByText('Live and next come to the same for this player.').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  // The player may be taken to have something else, and has what he had.
  await page.getByRole('button', { name: 'Try it as if the player had something else…' }).click();
  const focused = 'document.activeElement.labels?.[0]?.textContent';
  await expect.poll(() => page.evaluate<string | undefined>(focused)).toContain('gold');
  const top = await page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
  expect([top > 0, top < 720]).toEqual([true, true]);
  await page.getByLabel('gold').fill('2000');
  await page.getByLabel('price').fill('1500');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await page.getByText('taken to have gold 2000').waitFor();
  await heading(page, 'With what is staged, it would go through');
  await page.getByText('gold 1999').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  expect((await ok(manager.manage('GET', manager.storage(`players/${PLAYER}`)))).body).toEqual({ gold: 4 });
  expect(faults).toEqual([]);
});

inBrowser(
  'support presses a button of the game: what it would do first, once, with a reason, and the page tells what came of it',
  async () => {
    const { page, origin, project, manager, faults } = market();
    const gold = async () => Object((await ok(manager.manage('GET', manager.storage(`players/${PLAYER}`)))).body).gold;
    const before = Number(await gold());
    await page.goto(`${origin}/p/${project}/players/${PLAYER}`);
    await page.getByRole('button', { name: 'Give gold…' }).click();
    await heading(page, 'Give gold');
    await page.getByRole('button', { name: 'What would it do?' }).click();
    await page.getByText('this is needed').waitFor();
    await page.getByLabel('Gold', { exact: true }).fill('7');
    await page.getByRole('button', { name: 'What would it do?' }).click();
    await page.getByRole('heading', { name: 'Money' }).waitFor();
    expect(await seriousOn(page)).toEqual([]);
    expect(await gold()).toBe(before);
    await page.getByLabel('Reason').fill('lost by a crash');
    const act = page.getByRole('button', { name: 'Give gold', exact: true });
    expect(await page.evaluate<boolean>(`document.querySelector('button[type=submit][form]').disabled`)).toBe(true);
    await page.getByLabel('It is real gold.').check();
    await act.click();
    await page.getByText('Done, in your name').waitFor();
    expect(await gold()).toBe(before + 7);
    expect(await seriousOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.goto(`${origin}/p/${project}`);
    await page.getByText('pressed “Give gold”').waitFor();
    await page.getByText('“lost by a crash”').waitFor();
    await page.getByRole('button', { name: 'Close the market…' }).click();
    await page.getByText('It would be refused, and store nothing.').waitFor();
    await page.getByText('It is a holiday').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { headers } = await ok(
      manager.manage('POST', manager.storage(`players/${PLAYER}`), { body: { ops: [{ op: 'inc', path: 'gold', value: 1 }] } }),
    );
    const newest = String(headers['x-ns-position']);
    await page.getByText('1 new commit.').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.goto(`${origin}/p/${project}?from=${newest}`);
    await page.getByRole('button', { name: `Undo… (commit ${newest})` }).waitFor();
    expect(await page.getByRole('button', { name: /^Undo… \(commit/ }).count()).toBe(1);
    await page.goto(`${origin}/p/${project}/players/${PLAYER}`);
    await page
      .getByText(String(before + 8), { exact: true })
      .first()
      .waitFor();
    await manager.manage('POST', manager.storage(`players/${PLAYER}`), { body: { ops: [{ op: 'inc', path: 'gold', value: 1 }] } });
    await page.getByText('players changed since this was read.').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page
      .getByText(String(before + 9), { exact: true })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  },
);

inBrowser('a refusal that what is staged words otherwise, such as with another price, is told beside that of live', async () => {
  const { page, origin, project, manager, faults } = market();
  const [me, enough, pay] = BUY.steps;
  const dear = { ...enough, onFail: { error: 'TOO_POOR', message: 'This costs 90 gold now', status: 409 } };
  const body = [{ ...BUY, steps: [me, dear, pay] }];
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body, headers: { 'x-ns-publish-target': 'next' } }));
  await page.goto(`${origin}/p/${project}/calls/try?target=next&slug=buy`);
  await page.getByLabel('price').fill('90');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await heading(page, 'With what is staged, it would be refused');
  await page.getByText('Live answers this player something else').waitFor();
  await page.getByText('Not enough gold → This costs 90 gold now').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  expect(faults).toEqual([]);
});

inBrowser(
  'a refusal in a workflow leads to its step, one by a limit to the limit, and both are found by what they are called',
  async () => {
    const { page, origin, project, manager, faults } = market();
    const charge = { id: 'charge', name: 'Charge', steps: [{ ...BUY.steps[1], check: { field: 'purse', op: '>=', value: 9 } }] };
    const bill = { id: 'bill', type: 'workflow', workflow: 'charge', params: { purse: 1 } };
    const pay = { id: 'pay-toll', slug: 'toll', method: 'POST', steps: [bill], rateLimits: { perDay: 1 }, response: { body: {} } };
    await ok(manager.manage('PUT', manager.definitions('workflows'), { body: [charge] }));
    await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [{ ...pay, rateLimits: undefined }] }));
    await manager.play('POST', manager.endpoint('toll'), { body: {} });
    await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [{ ...pay, steps: [] }] }));
    await ok(manager.play('POST', manager.endpoint('toll'), { body: {} }));
    await manager.play('POST', manager.endpoint('toll'), { body: {} });
    await page.goto(`${origin}/p/${project}/calls?slug=toll&code=RATE_LIMIT`);
    await page.getByText('may not be called more often').first().click();
    await page.getByRole('link', { name: 'endpoint toll' }).waitFor();
    await page.goto(`${origin}/p/${project}/calls?slug=toll&code=TOO_POOR`);
    await page.getByText('Not enough gold').first().click();
    await page.getByText('purse is at least 9').first().waitFor();
    expect(await seriousOn(page)).toEqual([]);
    await page.getByRole('link', { name: 'workflow charge' }).click();
    await heading(page, 'charge');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'A page, a name, or any id' }).fill('toll');
    await page.getByRole('option', { name: /^toll pay-toll endpoint/ }).waitFor();
    expect(await seriousOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await heading(page, 'pay-toll');
    await page.getByLabel(/^Find anything/).fill(`players/${PLAYER}`);
    await page.keyboard.press('Enter');
    await page.getByText(`players/${PLAYER}`).first().waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toContain(`/players/${PLAYER}/documents/players/${PLAYER}`);
    expect(faults).toEqual([]);
  },
);
