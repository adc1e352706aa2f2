import { expect, vi } from 'vitest';
import { printed } from '../node/support/command-line.ts';
import { ok } from '../node/support/game-client.ts';
import type { Held, Page } from '../support/chromium.ts';
import { inBrowser, newProfile } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** What is staged and what was published, in a real Chromium. */

const price = (axe: number) => ({ items: [{ id: 'shop', type: 'group', name: 'Shop', entries: { axe } }] });

const SELL = { id: 'sell', slug: 'sell', steps: [], response: { status: 200, body: { price: '{{values.shop.axe}}' } } };

const market = useConsole(async ({ manager }) => {
  await ok(manager.manage('PUT', manager.definitions('game-values'), { body: price(7) }));
  await ok(manager.manage('PUT', manager.definitions('endpoints'), { body: [SELL] }));
  const failing = { id: 'sells', name: 'Nobody sells', endpoint: 'sell', input: {}, expect: { outcome: 'pass', status: 418 } };
  await ok(manager.manage('PUT', manager.definitions('tests'), { body: [failing] }));
});

async function live(): Promise<unknown> {
  const { manager, project } = market();
  return Object((await ok(manager.manage('GET', `/v3/values/${project}`))).body).constants?.shop;
}

/** Waits until what is typed goes into this field. */
const begunAt = (page: Page, label: string) =>
  expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe(label);

/** Waits until the history, which is read anew meanwhile, begins with a promotion. */
const promotedLast = (page: Page) =>
  expect.poll(() => page.evaluate('document.querySelector("ol li")?.innerText')).toContain('made what was staged');

/** Holds back what a page asks of these addresses, between `hold` and `letGo`. */
async function holdBack(page: Page, address: RegExp) {
  let isHeld = false;
  const held: Held[] = [];
  await page.route(address, async (request) => {
    if (isHeld) held.push(request);
    else await request.continue();
  });
  const letGo = async () => {
    isHeld = false;
    for (const request of held.splice(0)) await request.continue();
  };
  return {
    /** The first that waits. Whoever takes it answers it. */
    async asked(): Promise<Held> {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      return held.shift() as Held;
    },
    hold() {
      isHeld = true;
    },
    letGo,
    async end() {
      await letGo();
      await page.unroute(address);
    },
  };
}

async function stage(axe: number, why = ''): Promise<void> {
  const { manager } = market();
  const staged = { body: price(axe), headers: { 'x-ns-publish-target': 'next' } };
  const message = why === '' ? '' : `?message=${encodeURIComponent(why)}`;
  await ok(manager.manage('PUT', manager.definitions(`game-values${message}`), staged));
}

inBrowser('a manager reads what is staged as sentences, promotes it for the reason it was staged for, and rolls it back', async () => {
  const { faults, origin, page, project } = market();
  await stage(9, 'Summer prices');
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByText(/7 → 9/).first().waitFor();
  await page.getByRole('button', { name: 'Check and run the tests' }).click();
  await page.getByText(/What players have stored fits what is staged/).waitFor();
  await page.getByText('0 of 1 pass on next.').waitFor();
  await page.getByText('Nobody sells').first().click();
  expect(await seriousOn(page)).toEqual([]);
  // It may be asked again, and says when it was; another state of next asks for it.
  const checkedAt = () => page.getByText(/^Checked /).textContent();
  expect(await checkedAt()).toMatch(/\d\d:\d\d/);
  await page.getByRole('button', { name: 'Check it again' }).click();
  await page.getByText(/^Checked /).waitFor();
  await stage(10);
  await page.reload();
  await page.getByRole('button', { name: 'Check and run the tests' }).waitFor();
  await stage(9);
  await page.reload();
  await page.getByRole('button', { name: 'Make it live…' }).click();
  await page.getByRole('checkbox', { name: /Make it live all the same/ }).check();
  await page.getByText(/^As key “Secret key” said when it was staged/).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make it live' }).click();
  await heading(page, 'It is live');
  expect(await live()).toEqual({ axe: 9 });
  await page.getByRole('button', { name: 'Close' }).click();
  await promotedLast(page);
  await page.getByRole('button', { name: /^Undo… / }).click();
  await page.getByLabel('Why').fill('too dear');
  await page.getByRole('button', { name: 'Undo it' }).click();
  await heading(page, 'It is undone');
  expect(await live()).toEqual({ axe: 7 });
  await page.getByRole('button', { name: 'Close' }).click();
  expect(faults).toEqual([]);
});

inBrowser('a manager changes a price, says why once, sees it live in a second window, and rolls it back', async () => {
  const { faults, origin, page, profile, project } = market();
  const second = await profile.newPage();
  await second.goto(`${origin}/p/${project}/values/shop`);
  await second.getByRole('gridcell', { name: '7' }).waitFor();
  await page.bringToFront();
  await page.goto(`${origin}/p/${project}/values/shop`);
  await page.getByRole('grid', { name: 'Shop' }).waitFor();
  await page.evaluate<void>(`document.querySelector('[role=grid]').focus()`);
  for (const key of ['ArrowRight', '8', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Save…' }).click();
  await begunAt(page, 'Why');
  await page.keyboard.type('Dearer axes');
  await page.getByRole('button', { name: 'Ticket…' }).click();
  await page.getByLabel(/^Ticket/).fill('T-77');
  await page.getByRole('button', { name: 'Stage it' }).click();
  await page.getByRole('link', { name: 'On to Publishes' }).click();
  await page.getByRole('button', { name: 'Make it live…' }).click();
  await page.getByText('0 of 1 pass on next.').first().waitFor();
  await page.getByText(/^As you said when it was staged/).waitFor();
  await page.getByRole('checkbox', { name: /Make it live all the same/ }).check();
  await page.getByRole('button', { name: 'Make it live' }).click();
  await heading(page, 'It is live');
  // Where nothing is typed what moved meanwhile is shown at once; what is typed stays, and says whose the change is.
  await second.bringToFront();
  await second.getByRole('gridcell', { name: '8' }).waitFor();
  await second.evaluate<void>(`document.querySelector('[role=grid]').focus()`);
  for (const key of ['ArrowRight', '5']) await second.keyboard.press(key);
  await page.bringToFront();
  await page.getByRole('button', { name: 'Close' }).click();
  await promotedLast(page);
  await page.getByText('Game values: Shop › axe 7 → 8').first().waitFor();
  await expect.poll(() => page.getByText('“Dearer axes” · T-77').count()).toBe(2);
  // The newest alone is undone here; live as it was after another is on the page of that one.
  await expect.poll(() => page.getByRole('button', { name: /^(Undo|Roll back)/ }).count()).toBe(1);
  await page.getByRole('button', { name: /^Undo… / }).click();
  await heading(page, 'Undo “Dearer axes”?');
  await begunAt(page, 'Why');
  await page.getByText('8 → 7').first().waitFor();
  await page.keyboard.type('too dear');
  await page.getByRole('button', { name: 'Undo it' }).click();
  await heading(page, 'It is undone');
  // The link leads to the cell that is another.
  await page.getByRole('link', { name: 'See Shop live' }).waitFor();
  await expect.poll(() => page.evaluate('document.querySelector("[role=dialog] a[target]").search')).toBe('?row=axe&column=value');
  await page.getByRole('button', { name: 'Close' }).click();
  await second.bringToFront();
  await second.getByText('You changed what is live elsewhere since this was read.').waitFor();
  await second.keyboard.press('Escape');
  await second.getByRole('gridcell', { name: '7' }).waitFor();
  await second.close();
  expect(faults).toEqual([]);
});

inBrowser(
  'who acted is shown nothing of before: what is behind is asked again, nothing is offered meanwhile, and no page keeps what was',
  async () => {
    const { faults, manager, origin, page, project } = market();
    await page.goto(`${origin}/p/${project}/values`);
    await page.getByRole('link', { name: 'Shop' }).waitFor();
    const [history, values] = [await holdBack(page, /\/publishes\?/), await holdBack(page, /\/v3\/values\//)];
    await stage(16, 'Dearer still');
    const listed = `/v3/manage/${project}/publishes?limit=30`;
    const before = await page.evaluate<string>(`fetch('${listed}').then((answer) => answer.text())`);
    await page.getByRole('link', { name: 'Publishes', exact: true }).click();
    await page.getByRole('button', { name: 'Make it live…' }).click();
    await page.getByText(/^For all players at once: Shop › axe \d+ → 16\.$/).waitFor();
    await expect.poll(() => page.evaluate<number>(`document.querySelector('[role=dialog]').textContent.split('→ 16').length - 1`)).toBe(1);
    await page.getByRole('checkbox', { name: /Make it live all the same/ }).check();
    history.hold();
    await page.getByRole('button', { name: 'Make it live' }).click();
    await heading(page, 'It is live');
    await page.getByText(/^Shop › axe \d+ → 16$/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const late = await history.asked();
    const rollBack = page.getByRole('button', { name: /^Undo… / });
    expect(await rollBack.isDisabled()).toBe(true);
    // A server whose read models are behind answers with the list of before, and says so.
    await late.fulfill({ contentType: 'application/json', headers: { 'x-ns-stale': 'true' }, body: before });
    await history.letGo();
    await promotedLast(page);
    await expect.poll(() => rollBack.isDisabled()).toBe(false);
    values.hold();
    await page.getByRole('link', { name: 'Values', exact: true }).first().click();
    await heading(page, 'Values');
    const waiting = await values.asked();
    expect(await page.getByRole('link', { name: 'Shop' }).count()).toBe(0);
    await waiting.continue();
    await values.letGo();
    await page.getByRole('link', { name: 'Shop' }).click();
    await page.getByRole('gridcell', { name: '16' }).waitFor();
    await history.end();
    await values.end();
    await ok(manager.manage('POST', manager.definitions('rollback'), { body: {} }));
    expect(faults).toEqual([]);
  },
);

inBrowser('what goes live at a time says when and is cancelled, and one that was voided says by whom', async () => {
  const { manager, origin, page, project } = market();
  await stage(12);
  const at = new Date(Date.now() + 3 * 3_600_000 + 20 * 60_000).toISOString();
  const schedule = () => ok(manager.manage('POST', manager.definitions('promote/schedule'), { body: { at } }));
  await schedule();
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByText('in 3 hours').waitFor();
  await page.getByRole('button', { name: 'Make it live…' }).click();
  await page.getByText('At another time…').click();
  await page.getByLabel('When', { exact: true }).fill('next week');
  await page.getByText('Give day and time as 2027-01-31 18:30').waitFor();
  await page.getByLabel('When', { exact: true }).fill('tomorrow 9:00');
  await page.getByText(/09:00 here, .* UTC: in (\d+ hours|1 day)$/).waitFor();
  await page.getByText(/has to be mended first/).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel it…' }).click();
  await heading(page, 'Cancel what goes live by itself?');
  await page.getByLabel('Why', { exact: true }).fill('Not before the holidays');
  await page.getByRole('button', { name: 'Cancel it', exact: true }).click();
  await expect.poll(() => page.evaluate("document.body.innerText.includes('Goes live by itself')")).toBe(false);
  const { body: cancelled } = await ok(manager.manage('GET', manager.definitions('promote/schedule')));
  expect(Object(cancelled).schedule.ended).toMatchObject({ why: 'withdrawn', reason: 'Not before the holidays' });
  await schedule();
  await stage(14);
  await page.reload();
  await page.getByText(/is void: .* staged something afterwards/).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await schedule();
  await ok(manager.manage('DELETE', manager.definitions('promote/schedule')));
});

inBrowser('what is staged is read as source beside live, is taken back with a reason, and live stays as it is', async () => {
  const { origin, page, project } = market();
  const before = await live();
  await stage(13, 'Dearest');
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByRole('link', { name: 'Game values' }).click();
  await heading(page, 'Live, and next');
  await page
    .getByText(/axe.*13/)
    .first()
    .waitFor();
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByRole('button', { name: 'Take back what is staged…' }).click();
  // What was said when it was staged is offered.
  await page.getByText(/^As key “Secret key” said when it was staged/).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('[role=dialog] input').value")).toBe('Taken back: Dearest');
  await page.getByLabel('Why').fill('not this week');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('Nothing is staged').waitFor();
  await page.getByText('“not this week”').waitFor();
  expect(await live()).toEqual(before);
});

inBrowser('what an endpoint would answer with what is staged is seen beside what it answers live', async () => {
  const { faults, origin, page, project } = market();
  await stage(13);
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByRole('button', { name: 'Check and run the tests' }).click();
  const checked = await page.getByText(/^Checked /).textContent();
  await page.getByRole('link', { name: 'Try it on next…' }).click();
  // What is staged leads to the endpoint that it matters to.
  await heading(page, 'Who does it');
  await expect.poll(() => page.evaluate('document.querySelector("#main select").value')).toBe('sell');
  await page.getByRole('button', { name: 'Try it', exact: true }).click();
  await heading(page, 'With what is staged, it would go through');
  const both = page.getByRole('region', { name: 'What live and next answer and write' });
  await both.waitFor();
  await expect.poll(() => both.textContent()).toMatch(/price 7[\s\S]*price 13/);
  expect(await seriousOn(page)).toEqual([]);
  // Whoever goes back finds what the check found before.
  await page.getByRole('link', { name: 'Back to Publishes' }).first().click();
  await page.getByText(/^Checked /).waitFor();
  expect(await page.getByText(/^Checked /).textContent()).toBe(checked);
  expect(new URL(page.url()).searchParams.get('target')).toBe(null);
  expect(faults).toEqual([]);
});

inBrowser('where a project asks for a second person, one asks and is told why they do not approve, and the other approves', async () => {
  const { env, faults, manager, origin, page, project, signedIn } = market();
  await ok(manager.manage('PUT', manager.definitions('settings'), { body: { approvals: 'required' } }));
  await printed(['user', 'add', 'mara', '--role', 'manager', '--json'], { env });
  const profile = await newProfile();
  const mara = await signedIn(profile, 'mara');
  const address = `${origin}/p/${project}/publishes`;
  await stage(11, 'Autumn');
  await mara.goto(address);
  await mara.getByText('Nobody was asked about this yet.').waitFor();
  await mara.getByRole('button', { name: 'Ask for approval…' }).click();
  await mara.getByText(/^As key “Secret key” said/).waitFor();
  await mara.getByLabel('Why').fill('Autumn prices');
  expect(await seriousOn(mara)).toEqual([]);
  await mara.getByRole('button', { name: 'Ask for it' }).click();
  await mara.getByText('another person has to approve it').waitFor();
  await mara.getByRole('button', { name: 'Copy link' }).waitFor();
  // Whoever asked withdraws it; to decline it is for others.
  await mara.getByRole('button', { name: 'Withdraw the request…' }).waitFor();
  expect(await mara.getByRole('button', { name: /^(Decline|Withdraw the request)…$/ }).count()).toBe(1);
  expect(await seriousOn(mara)).toEqual([]);
  await page.goto(`${origin}/p/${project}`);
  await page.getByRole('link', { name: 'asked for a second person’s approval' }).waitFor();
  // Whoever may approve is told on every page, and by the title of the tab.
  await page.getByText(/^mara asks for your approval: Shop › axe \d+ → 11$/).waitFor();
  await expect.poll(() => page.evaluate('document.title')).toMatch(/^\(1\) Activity/);
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Publishes needs you' }).waitFor();
  await page.getByRole('link', { name: 'Look', exact: true }).click();
  await page.getByText('“Autumn prices”').waitFor();
  // How the tests come out is known before anything is pressed.
  await page.getByText('0 of 1 pass on next.').first().waitFor();
  await page.getByText('What ends this request').waitFor();
  // What has to be mended is not made live in one step.
  expect(await page.getByRole('button', { name: 'Approve and make it live' }).count()).toBe(0);
  await page.getByText('Say something…').click();
  await page.getByLabel(/^What to say/).fill('For all of autumn?');
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Only say it' }).click();
  await mara.getByText('“For all of autumn?”').waitFor();
  await page.getByRole('button', { name: 'Approve, go live later' }).click();
  await page.getByText(/approved exactly this/).waitFor();
  // Whatever is staged meanwhile voids it, and the page says so.
  await stage(12);
  await mara.goto(address);
  await mara.getByText(/is void: .* staged something afterwards/).waitFor();
  await mara.getByRole('button', { name: 'Ask for approval…' }).click();
  await mara.getByLabel('Why').fill('Late autumn prices');
  await mara.getByRole('button', { name: 'Ask for it' }).click();
  await mara.getByText(/mara asks for/).waitFor();
  await page.goto(address);
  // What another person decides meanwhile is told in the place of a decision.
  await page.getByRole('button', { name: 'Decline…' }).click();
  await heading(page, 'Decline this?');
  await mara.getByRole('button', { name: 'Withdraw the request…' }).click();
  await mara.getByRole('button', { name: 'Withdraw the request', exact: true }).click();
  await heading(page, 'It was decided meanwhile');
  await page.getByRole('button', { name: 'Close' }).click();
  await mara.getByRole('button', { name: 'Ask for approval…' }).click();
  await mara.getByLabel('Why').fill('Late autumn prices');
  await mara.getByRole('button', { name: 'Ask for it' }).click();
  await page.getByText('0 of 1 pass on next.').first().waitFor();
  await page.getByText(/^For all players at once: Shop › axe \d+ → 12\.$/).waitFor();
  await page.getByRole('button', { name: 'Approve, go live later' }).click();
  await page.getByText(/approved exactly this/).waitFor();
  // Whoever asked waits for it, and sees it without a reload.
  await mara.getByRole('button', { name: 'Make it live…' }).click();
  await mara.getByRole('checkbox', { name: /Make it live all the same/ }).check();
  await mara.getByText(/^As you said when it was asked for/).waitFor();
  await mara.getByRole('button', { name: 'Make it live' }).click();
  await heading(mara, 'It is live');
  expect(await live()).toEqual({ axe: 12 });
  await mara.getByRole('button', { name: 'Close' }).click();
  await mara.getByText('mara asked, owner approved.').waitFor();
  await mara.getByText('“Late autumn prices”').waitFor();
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('whoever approves a roll back sees what is undone and what that changes, and its reason goes on', async () => {
  const { env, faults, origin, page, project, signedIn } = market();
  await printed(['user', 'add', 'oleg', '--role', 'manager', '--json'], { env });
  const profile = await newProfile();
  const oleg = await signedIn(profile, 'oleg');
  const address = `${origin}/p/${project}/publishes`;
  await oleg.goto(address);
  await oleg.getByRole('button', { name: /^Undo… / }).click();
  await begunAt(oleg, 'Why');
  const undoing = /Shop › axe 12 → \d+/;
  await oleg.getByText(undoing).first().waitFor();
  await oleg.keyboard.type('too dear for autumn');
  await oleg.getByRole('button', { name: 'Ask for approval' }).click();
  await heading(oleg, 'Asked for: undo of “Late autumn prices”');
  await page.goto(address);
  await heading(page, 'Asked for: undo of “Late autumn prices”');
  await page.getByText(undoing).first().waitFor();
  await page.getByText('“too dear for autumn”').waitFor();
  await page.getByText('Documents and coins stay. Tests do not run: it was live before.').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Approve, go live later' }).click();
  await page.getByText(/approved exactly this/).waitFor();
  await oleg.getByRole('button', { name: 'Undo…', exact: true }).click();
  await oleg.getByText(/^As you said when it was asked for/).waitFor();
  await oleg.getByRole('button', { name: 'Cancel' }).click();
  await oleg.getByRole('button', { name: 'Withdraw the request…' }).click();
  await oleg.getByRole('button', { name: 'Withdraw the request', exact: true }).click();
  await expect.poll(() => oleg.evaluate("document.body.innerText.includes('Asked for: ')")).toBe(false);
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('an owner rolls back what nobody approved only by saying why, and the history tells it', async () => {
  const { faults, origin, page, project } = market();
  await page.goto(`${origin}/p/${project}/publishes`);
  // A cell tells the same of what it was changed by.
  await page.goto(`${origin}/p/${project}/values/shop?row=axe&column=value`);
  await page.getByRole('button', { name: 'History of this cell…' }).click();
  await page
    .getByText(/undid publish \d+ in live/)
    .first()
    .waitFor();
  await page
    .getByText(/ asked, .* approved\.$/)
    .first()
    .waitFor();
  await page.goto(`${origin}/p/${project}/publishes`);
  const undoing = page.getByRole('listitem').filter({ hasText: /undid publish \d+ in live/ });
  // After the link to what it undid comes its own.
  const earlier = await undoing
    .first()
    .getByRole('link', { name: /^publish \d+$/ })
    .nth(1)
    .getAttribute('href');
  await page.goto(`${origin}${earlier}`);
  await page.getByRole('button', { name: 'Roll back to here…' }).click();
  await page.getByRole('button', { name: 'Without approval…' }).click();
  await page.getByRole('checkbox', { name: /emergency/ }).check();
  await page.getByLabel('Why').fill('The shop gives gold away');
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Roll it back' }).click();
  await heading(page, 'It is rolled back');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Nothing differs').waitFor();
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByText(/Nobody approved this: owner went past/).waitFor();
  expect(faults).toEqual([]);
});

inBrowser('any earlier publish is opened by field and as source, and live after it is compared with now and with another', async () => {
  const { faults, origin, page, project } = market();
  await page.goto(`${origin}/p/${project}/publishes`);
  await page.getByText('“Summer prices”').first().waitFor();
  const [summer, oldest] = await page.evaluate<readonly string[]>(`{
    const links = [...document.querySelectorAll('li a[href*="/publishes/"]')];
    [links.find((link) => link.closest('li').textContent.includes('Summer prices')), links.at(-1)].map(({ pathname }) => pathname);
  }`);
  await page.goto(`${origin}${summer}`);
  await heading(page, 'What it changed');
  await page.getByText('7 → 9').waitFor();
  await page.getByText(/9 → 7/).waitFor();
  await page.getByLabel(/^Compare live after/).selectOption(String(oldest?.split('/').at(-1)));
  await heading(page, /^Live after publish \d+, and after \d+/);
  await stage(21, 'Winter prices');
  await page.getByLabel(/^Compare live after/).selectOption('next');
  await heading(page, /^Live after publish \d+, and what is staged/);
  await page.getByText(/9 → 21/).waitFor();
  await expectOpenToAll(market(), [`/publishes/${summer?.split('/').at(-1)}`]);
  await page.getByRole('link', { name: 'Game values' }).click();
  await heading(page, /^After publish/);
  expect(faults).toEqual([]);
});

inBrowser(
  'whoever approves makes it live with it, and whoever asked is told so, led there, and has it undone in the same way',
  async () => {
    const { faults, manager, origin, page, project, signedInAs } = market();
    const selling = { id: 'sells', name: 'It sells', endpoint: 'sell', input: {}, expect: { outcome: 'pass', status: 200 } };
    await ok(manager.manage('PUT', manager.definitions('tests'), { body: [selling] }));
    const before = await live();
    await stage(15, 'Spring prices');
    const asker = await signedInAs('manager');
    await asker.goto(`${origin}/p/${project}/publishes`);
    await asker.getByRole('button', { name: 'Ask for approval…' }).click();
    await asker.getByText(/^As key “Secret key” said/).waitFor();
    await asker.getByRole('button', { name: 'Ask for it' }).click();
    await asker.getByRole('button', { name: 'Copy link' }).waitFor();
    await page.goto(`${origin}/p/${project}/publishes`);
    await page.getByText('1 of 1 pass on next.').waitFor();
    await page.getByRole('button', { name: 'Approve and make it live' }).click();
    await page.getByText(/^It is live: Shop › axe \d+ → 15\.$/).waitFor();
    await page.getByRole('link', { name: 'See Shop live' }).waitFor();
    expect(await seriousOn(page)).toEqual([]);
    expect(await live()).toEqual({ axe: 15 });
    // What is open follows: the page of whoever asked, and what stands above every page.
    await expect.poll(() => asker.evaluate("document.querySelector('ol li')?.innerText")).toContain('made what was staged');
    await asker.getByRole('link', { name: 'Activity', exact: true }).click();
    await heading(asker, 'Activity');
    await asker.getByText('owner approved it and made it live: Shop › axe').waitFor();
    await asker.getByRole('link', { name: 'See Shop live' }).waitFor();
    await expect.poll(() => asker.evaluate('document.querySelector("a[target]").search')).toBe('?row=axe&column=value');
    expect(await seriousOn(asker)).toEqual([]);
    await asker.getByRole('button', { name: 'Undo…' }).click();
    await heading(asker, /^Undo “.*Spring prices”\?$/);
    await begunAt(asker, 'Why');
    await asker.keyboard.type('nobody buys');
    await asker.getByRole('button', { name: 'Ask for approval' }).click();
    // Over the page where one reads of it, which stays.
    await asker.getByText(/^Asked for the undo: /).waitFor();
    await asker.getByRole('link', { name: 'On to Publishes' }).waitFor();
    await heading(asker, 'Activity');
    await page.getByRole('button', { name: 'Approve and make it live' }).click();
    await page.getByText(/^It is live: Shop › axe 15 → \d+\.$/).waitFor();
    expect(await live()).toEqual(before);
    // Whoever asked for the undo has it: it is not offered to be undone.
    await asker.getByRole('link', { name: 'Activity', exact: true }).click();
    await asker.getByText(/^owner approved the undo and did it: Shop › axe 15 → \d+/).waitFor();
    expect(await asker.getByRole('button', { name: 'Undo…' }).count()).toBe(0);
    await asker.getByRole('button', { name: 'Hide' }).click();
    await asker.reload();
    await asker.getByText('“nobody buys”').first().waitFor();
    expect(await asker.getByRole('button', { name: 'Hide' }).count()).toBe(0);
    // What was made live before is told no more once anything else is staged, and not again once that is approved.
    const told = () => page.getByText(/^It is live: /).count();
    await stage(17);
    await expect.poll(told).toBe(0);
    await ok(manager.manage('POST', manager.definitions('approvals'), { body: { action: 'promote' } }));
    // Where nobody said why, whoever makes it live does.
    await page.getByText(/^Nobody said why\./).waitFor();
    const makeLive = page.getByRole('button', { name: 'Approve and make it live' });
    expect(await makeLive.isDisabled()).toBe(true);
    await page.getByLabel('Why').fill('Late spring');
    await expect.poll(() => makeLive.isDisabled()).toBe(false);
    expect(await seriousOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve, go live later' }).click();
    await page.getByText(/approved exactly this/).waitFor();
    expect(await told()).toBe(0);
    // The keyboard goes on from where that is told.
    await expect.poll(() => page.evaluate(`document.activeElement.matches('[data-told]')`)).toBe(true);
    expect(faults).toEqual([]);
  },
);

inBrowser('publishes keep nobody out, light and dark, on a phone and wide', async () => {
  await stage(14);
  await expectOpenToAll(market(), ['/publishes']);
});
