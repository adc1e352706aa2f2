import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import type { Held, Page } from '../support/chromium.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** What is personal, and who looked, as the pages of the console show it. */

const ADA = '76561198000000001';
const EMAIL = 'ada@personal.example';
const PLAYERS = {
  id: 'players',
  name: 'players',
  collectionType: 'per-platformid',
  schema: {
    gold: { type: 'number' },
    email: { type: 'string', _personal: true },
    phone: { type: 'string', _personal: true, _unique: true },
    debt: { type: 'number', _personal: true, _ledger: true, _currency: 'credit' },
  },
};

/** Handles the e-mail, so that how it ends tells of it. */
const SAME = {
  id: 'same',
  slug: 'same',
  method: 'POST',
  input: { properties: { typed: { type: 'string', title: 'Typed' } }, required: ['typed'] },
  console: { page: 'player', label: 'Same mail' },
  steps: [
    { id: 'me', type: 'read', collection: 'players', key: '{{platformId}}' },
    {
      id: 'is',
      type: 'assert',
      check: { field: 'me.email', op: '==', value: '{{input.typed}}' },
      errorCode: 'OTHER',
      message: 'It is not',
    },
  ],
  response: { body: { same: true } },
};

const COMPARE = { ...SAME, id: 'compare', slug: 'compare', console: { page: 'home', label: 'Compare' } };

const started = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] }));
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [SAME, COMPARE] }));
  await ok(manager.manage('POST', manager.storage(`players/${ADA}`), { body: { gold: 5, email: EMAIL, debt: 271_828 } }));
  for (const [player, playerName] of [
    [ADA, 'Ada'],
    ['76561198000000002', 'Settler 1'],
    ['76561198000000003', 'Settler 2'],
  ] as const)
    await ok(
      manager.play('POST', manager.storage('stats/heartbeat'), { body: { platformId: player, event: 'join', sessionId: 's', playerName } }),
    );
});

inBrowser('an e-mail is masked until support gives a reason; the auditor sees who looked, and why, and never the e-mail', async () => {
  const { origin, project, faults, signedInAs } = started();
  const support = await signedInAs('support');
  await support.goto(`${origin}/p/${project}/players/${ADA}/documents/players/${ADA}`);
  await support.getByText('[personal]').first().waitFor();
  expect(await support.evaluate<boolean>(`document.body.innerText.includes('${EMAIL}')`)).toBe(false);
  await support.getByRole('button', { name: 'Show personal values' }).click();
  await support.getByLabel('Reason').fill('wrote to support');
  await support.getByRole('button', { name: 'Ticket…' }).click();
  await support.getByLabel(/^Ticket/).fill('7');
  await support.getByRole('button', { name: 'Show them' }).click();
  await support.getByText(EMAIL).first().waitFor();
  // While they are shown, what a button would do with an input is told, too: the reason goes with the look.
  await support.goto(`${origin}/p/${project}/players/${ADA}`);
  await support.getByRole('button', { name: 'Show personal values' }).click();
  await support.getByLabel('Reason').fill('compares what was typed');
  await support.getByRole('button', { name: 'Show them' }).click();
  await support.getByRole('button', { name: 'Hide personal values' }).waitFor();
  await support.getByRole('button', { name: /^Same mail/ }).click();
  await support.getByLabel(/^typed/i).fill(EMAIL);
  await support.getByRole('button', { name: 'What would it do?' }).click();
  await support.getByText('It would work, and answer').waitFor();
  await support.getByRole('button', { name: 'Cancel' }).click();
  await support.getByRole('button', { name: 'Hide personal values' }).click();
  await support.getByText('[personal]').first().waitFor();
  const page = await signedInAs('auditor');
  await page.goto(`${origin}/p/${project}/players/${ADA}`);
  await page.getByText('[personal]').first().waitFor();
  expect(await page.getByRole('button', { name: 'Show personal values' }).count()).toBe(0);
  await page.getByRole('navigation', { name: 'Of this player' }).getByRole('link', { name: 'Who looked' }).click();
  await heading(page, 'Looks');
  expect(new URL(page.url()).pathname).toBe(`/p/${project}/players/${ADA}/looked`);
  await page.getByText('wrote to support (ticket 7)').first().waitFor();
  expect(await page.evaluate<boolean>(`document.body.innerText.includes('${EMAIL}')`)).toBe(false);
  await page.getByText(/^Looks at lists and files name no player/).waitFor();
  await page
    .getByRole('button', { name: /^Only looks of support/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Of everybody' }).waitFor();
  // Those that name no player are shown alone, and then beside the others.
  await page.goto(`${origin}/p/${project}/looked?of=many`);
  await page.getByRole('button', { name: 'All looks' }).waitFor();
  await page
    .getByText(/^(When|Nobody looked)$/)
    .first()
    .waitFor();
  expect(await page.getByRole('link', { name: 'Ada', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'All looks' }).click();
  await page.getByRole('link', { name: 'Ada', exact: true }).first().waitFor();
  // A player is found by the name; who is called so is offered where they are several, and nobody called so is no player whom nobody saw.
  const sought = async (name: string) => {
    await page.getByRole('textbox', { name: 'Player' }).fill(name);
    await page.getByRole('button', { name: 'Filter' }).click();
  };
  // A file names none, so it is a look of many.
  const file = `/v3/manage/${project}/documents/players/export`;
  expect(await page.evaluate<number>(`fetch('${file}').then(async (answer) => (await answer.text(), answer.status))`)).toBe(200);
  await sought('ada');
  await page.getByText('Looks at Ada', { exact: false }).waitFor();
  expect(new URL(page.url()).searchParams.get('player')).toBe(ADA);
  await page.getByRole('link', { name: 'on the player’s own page' }).waitFor();
  await page.getByRole('link', { name: 'Ada', exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Show them' }).click();
  await page.getByText('it is recorded how many it showed, and not whom').waitFor();
  expect(new URL(page.url()).searchParams.get('player')).toBe(ADA);
  // Nobody gave a reason for any of these.
  expect(await page.getByRole('columnheader', { name: 'Why' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Looks that name the player' }).click();
  await page.getByRole('columnheader', { name: 'Why' }).waitFor();
  await sought('sett');
  await page.getByRole('button', { name: 'Settler 2' }).click();
  await page.getByText('Looks at Settler 2', { exact: false }).waitFor();
  await sought('Settler 9');
  await page.getByText('No player “Settler 9” was found').waitFor();
  expect(await page.getByText('Nobody looked').count()).toBe(0);
  expect(faults).toEqual([]);
  await expectOpenToAll(started(), ['/looked', `/players/${ADA}/looked`]);
});

const phone = (number: string) => [{ op: 'set', path: 'phone', value: `+49 ${number}` }];

/** Gives the reason that a refusal asks for, or what is told at `at`, and goes on. The page has such a button of its own, too. */
async function sayWhy(page: Page, reason: string, goOn: string, at: Pick<Page, 'getByRole'> = page.getByRole('alert')): Promise<void> {
  await at.getByRole('button', { name: 'Show personal values' }).last().click();
  await page.getByLabel('Reason').last().fill(reason);
  await page.getByRole('button', { name: goOn, exact: true }).click();
}

inBrowser('what is refused for want of a reason asks for it there, and goes on', async () => {
  const { page, origin, project, faults, manager } = started();
  // An endpoint that is tried.
  await page.goto(`${origin}/p/${project}/calls/try?slug=same&player=${ADA}`);
  await page.getByLabel(/^typed/i).fill(EMAIL);
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await sayWhy(page, 'tries the mail', 'Run it');
  await page.getByRole('region', { name: 'What would come of it' }).waitFor();
  // The sums of a personal currency.
  await page.goto(`${origin}/p/${project}/economy?currency=credit`);
  await sayWhy(page, 'closes the books', 'Show them');
  await page
    .getByText(/271.828/)
    .first()
    .waitFor();
  // Every sum is refused, which is told once, whichever comes first.
  const days = /\/economy\?currency=credit/;
  const held: Held[] = [];
  await page.route(days, async (request) => void held.push(request));
  const answers = () =>
    page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => /[/]economy[/]\\w+[?].*currency=credit/.test(name)).length`,
    );
  const before = await answers();
  await page.getByRole('button', { name: 'Hide personal values' }).click();
  await page.getByText('This shows personal values').first().waitFor();
  await expect.poll(answers).toBe(before + 3);
  expect(await page.getByRole('alert').count()).toBe(1);
  for (const request of held) await request.continue();
  await page.unroute(days);
  await page.getByText('This shows personal values').waitFor();
  // A button of the first page.
  await page.goto(`${origin}/p/${project}`);
  await page.getByRole('button', { name: /^Compare/ }).click();
  await page.getByLabel(/^typed/i).fill('x');
  await page.getByRole('button', { name: 'What would it do?' }).click();
  await sayWhy(page, 'compares it', 'Run it');
  await page.getByText('It would be refused, and store nothing.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  // A restore, and an undo, that would bring back a unique value.
  const { headers: then } = await ok(manager.manage('POST', manager.storage(`players/${ADA}`), { body: { ops: phone('1') } }));
  const { headers: since } = await ok(manager.manage('POST', manager.storage(`players/${ADA}`), { body: { ops: phone('2') } }));
  await page.goto(`${origin}/p/${project}/players/${ADA}/restore?to=${then['x-ns-position']}`);
  await sayWhy(page, 'brings it back', 'Show them');
  await page.getByRole('button', { name: 'Tick all' }).waitFor();
  // The button of the page knows of it, and masks what was looked at.
  await page.getByRole('button', { name: 'Hide personal values' }).click();
  await page.getByText('This shows personal values').waitFor();
  await page.goto(`${origin}/p/${project}/find/${since['x-ns-position']}`);
  await page.getByRole('button', { name: /^Undo/ }).first().click();
  await sayWhy(page, 'takes it back', 'Show them');
  await page.getByText('+49 1').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  // A publish that makes a personal field unique.
  const schema = { ...PLAYERS.schema, email: { ...PLAYERS.schema.email, _unique: true } };
  const headers = { 'x-ns-publish-target': 'next' };
  await ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ ...PLAYERS, schema }], headers }));
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByRole('button', { name: 'Check and run the tests' }).click();
  await sayWhy(page, 'mails are to be unique', 'Look', page);
  // Not that what was looked at fits, as without a reason.
  await page.getByText(/What players have stored fits what is staged/).waitFor();
  expect(faults).toEqual([]);
  const { text } = await page.evaluate<{ text: string }>(
    `fetch('/v3/manage/${project}/access?limit=200').then(async (answer) => ({ text: await answer.text() }))`,
  );
  for (const reason of ['tries the mail', 'closes the books', 'compares it', 'brings it back', 'takes it back', 'mails are to be unique'])
    expect(text).toContain(reason);
});
