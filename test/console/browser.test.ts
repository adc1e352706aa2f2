import { expect, vi } from 'vitest';
import { ok } from '../node/support/game-client.ts';
import type { Page } from '../support/chromium.ts';
import { inBrowser } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

/** The console of a real node in a real Chromium, used as its people use it. Some pages have test files of their own. */

const PLAYERS = {
  id: 'players',
  name: 'players',
  collectionType: 'per-platformid',
  schema: { name: { type: 'string' }, gold: { type: 'number', _ledger: true }, bag: { type: 'array' }, skins: { type: 'array' } },
};
const ADA = '76561198000000001';
const BO = '76561198000000002';

const market = useConsole(({ manager }) => ok(manager.manage('PUT', manager.definitions('collections'), { body: [PLAYERS] })));

async function write(player: string, document: object): Promise<number> {
  const { manager } = market();
  const { headers } = await ok(manager.manage('POST', manager.storage(`players/${player}`), { body: document }));
  return Number(headers['x-ns-position']);
}

async function read(player: string): Promise<Readonly<Record<string, unknown>>> {
  const { manager } = market();
  return Object((await ok(manager.manage('GET', manager.storage(`players/${player}`)))).body);
}

inBrowser('support: “I lost my sword”: from the line of the loss it is restored, and that is undone', async () => {
  const { faults, origin, project, signedInAs } = market();
  const page = await signedInAs('support');
  await write(ADA, { name: 'Ada', gold: 80, bag: ['sword', 'rope'] });
  const loss = await write(ADA, { name: 'Ada', gold: 80, bag: ['rope'], skins: ['red'] });
  await write(ADA, { name: 'Ada', gold: 85, bag: ['rope'], skins: ['red'] });
  await page.goto(`${origin}/p/${project}`);
  await heading(page, 'Activity');
  await page.keyboard.press('/');
  await page.getByLabel(/^Find anything/).fill(ADA);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Time line' }).click();
  await page.getByText('sword, rope → rope').waitFor();
  expect(await page.getByText(/^key “/).count()).toBeGreaterThan(0);
  await page.getByRole('link', { name: `Restore what was before this: commit ${loss}` }).click();
  await heading(page, /What would be restored from revision/);
  await page.getByText('Just before this change:').waitFor();
  const ticked = (name: string) => page.getByRole('checkbox', { name, exact: true }).isChecked();
  expect([await ticked('bag'), await ticked('gold'), await ticked('skins')]).toEqual([true, false, false]);
  // Nothing that is ticked is money or another player's.
  expect(await page.getByText('Who pays for it').count()).toBe(0);
  await page.getByLabel('Reason').fill('lost by a crash');
  await page.getByRole('button', { name: 'Ticket…' }).click();
  await page.keyboard.type('T-78');
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Restore it' }).click();
  await heading(page, 'It is restored');
  expect(await read(ADA)).toEqual({ name: 'Ada', gold: 85, bag: ['sword', 'rope'], skins: ['red'] });
  await page.getByRole('button', { name: 'Undo this restore…' }).click();
  await page.getByText('Nothing of this player changed since.').waitFor();
  // Where tickets are used, the field is there at once.
  expect(await page.getByLabel('Ticket (may be left out)').count()).toBe(1);
  await page.getByLabel('Reason').fill('another player wrote');
  await page.getByRole('button', { name: 'Undo it' }).click();
  await page.getByText(/did it, and stands among what happened/).waitFor();
  expect(await read(ADA)).toEqual({ name: 'Ada', gold: 85, bag: ['rope'], skins: ['red'] });
  // What came of it is left as it was decided: by Enter.
  await page.keyboard.press('Enter');
  await heading(page, 'It was restored, and that is undone');
  expect(await page.getByRole('button', { name: 'Undo this restore…' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Time line', exact: true }).click();
  // What is undone says so, and is not offered again.
  await page.getByText('undone', { exact: true }).waitFor();
  const undo = page.getByRole('button', { name: /^Undo… \(commit/ });
  const commits = page.getByRole('link', { name: /^\d+$/ });
  await expect.poll(async () => (await commits.count()) - (await undo.count())).toBe(3);
  // The document tells of the undo as the time line does: of which commit, why, and for which ticket.
  await page.goto(`${origin}/p/${project}/players/${ADA}/documents/players/${ADA}`);
  const undone = page
    .getByRole('listitem')
    .filter({ hasText: /undid commit \d+/ })
    .first();
  await page.getByText('“another player wrote”').first().waitFor();
  await undone.getByRole('link', { name: /^\d+$/ }).nth(1).waitFor();
  await page.getByRole('link', { name: 'T-78' }).first().waitFor();
  expect(faults).toEqual([]);
});

inBrowser('support: what was sold is restored with what was got for it going, or by an undo; nobody has both', async () => {
  const { faults, manager, origin, project, signedInAs } = market();
  const SAL = '76561198000000007';
  const sell = {
    slug: 'sell',
    method: 'POST',
    steps: [
      {
        id: 'sold',
        type: 'write',
        collection: 'players',
        key: '{{platformId}}',
        ops: [
          { op: 'inc', path: 'iron', value: -3 },
          { op: 'inc', path: 'gold', value: 30, source: 'sale' },
        ],
      },
    ],
    response: { status: 200, body: { ok: true } },
  };
  await ok(manager.manage('POST', manager.definitions('endpoints'), { body: [sell] }));
  await write(SAL, { name: 'Sal', gold: 5, iron: 8 });
  const sold = Number((await ok(manager.play('POST', manager.endpoint('sell'), { body: {} }, SAL))).headers['x-ns-position']);
  const page = await signedInAs('support');
  await page.goto(`${origin}/p/${project}/players/${SAL}/timeline`);
  await heading(page, 'Sal');
  await page.getByRole('link', { name: `Restore what was before this: commit ${sold}` }).click();
  const ticked = (name: string) => page.getByRole('checkbox', { name, exact: true }).isChecked();
  await page.getByText('What the player got for what is restored is ticked, too').waitFor();
  await page.getByText(/^8 → 5, .* commit \d+ · all changes of iron$/).waitFor();
  expect([await ticked('iron'), await ticked('gold')]).toEqual([true, true]);
  await page.getByRole('checkbox', { name: 'gold', exact: true }).click();
  await page.getByText('The player would have both').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: `Undo commit ${sold} instead…` }).click();
  await page.getByText('Nothing of this player changed since.').waitFor();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('sold by mistake');
  // Enter decides, as in a form.
  await page.keyboard.press('Enter');
  await page.getByText(/did it, and stands among what happened/).waitFor();
  expect(await read(SAL)).toEqual({ name: 'Sal', gold: 5, iron: 8 });
  await page.goto(`${origin}/p/${project}/players/${SAL}`);
  await page.getByRole('link', { name: 'iron', exact: true }).click();
  await page
    .getByRole('link', { name: String(sold), exact: true })
    .first()
    .waitFor();
  await page.goto(`${origin}/p/${project}/players/${SAL}/timeline?field=name`);
  await page
    .getByRole('button', { name: /^Undo… \(commit/ })
    .first()
    .waitFor();
  expect(await page.getByRole('link', { name: String(sold), exact: true }).count()).toBe(0);
  expect(faults).toEqual([]);
});

inBrowser(
  'support: of a document that differs in many places what was lost comes first, and what is not listed is said, and goes as said',
  async () => {
    const { faults, origin, project, signedInAs } = market();
    const page = await signedInAs('support');
    const KAI = '76561198000000008';
    const held = (count: (place: number) => number) =>
      Object.fromEntries(Array.from({ length: 400 }, (_, place) => [`ore${place}`, count(place)]));
    const then = await write(KAI, { name: 'Kai', held: held(() => 5) });
    // The first hundred became more, the others less.
    await write(KAI, { name: 'Kai', held: held((place) => (place < 100 ? 9 : 1)) });
    await page.goto(`${origin}/p/${project}/players/${KAI}/restore?to=${then}`);
    await page.getByText('Of 200 more, which are not listed here, 100 were lost and go back; the others stay.').waitFor();
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    expect([await box('held.ore100').isChecked(), await box('held.ore5').count()]).toEqual([true, 0]);
    await box('held.ore100').click();
    await page.getByRole('button', { name: 'Show 200 lines more' }).click();
    await box('held.ore5').waitFor();
    expect([await box('held.ore100').isChecked(), await box('held.ore399').isChecked(), await box('held.ore5').isChecked()]).toEqual([
      false,
      true,
      false,
    ]);
    await box('held.ore5').click();
    await page.getByLabel('Reason').fill('a bad patch');
    await page.getByRole('button', { name: 'Restore it' }).click();
    await heading(page, 'It is restored');
    await page.getByText('And 100 lines more.').waitFor();
    expect(await read(KAI)).toEqual({ name: 'Kai', held: held((place) => (place === 100 ? 1 : place < 100 && place !== 5 ? 9 : 5)) });
    // What still differs is a row each, those beyond a screenful, too.
    await page.goto(`${origin}/p/${project}/players/${KAI}/documents/players/${KAI}?a=${then}`);
    await page.getByRole('rowheader', { name: 'held › ore100', exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'What differs' }).getByRole('rowheader').count()).toBe(100);
    expect(faults).toEqual([]);
  },
);

inBrowser('support, at the moment of the loss: the page says that nothing is less since, and leads before it', async () => {
  const { faults, origin, project, signedInAs } = market();
  const page = await signedInAs('support');
  const FAY = '76561198000000006';
  await write(FAY, { name: 'Fay', gold: 80, bag: ['sword', 'rope'] });
  const loss = await write(FAY, { name: 'Fay', gold: 3, bag: [] });
  const last = await write(FAY, { name: 'Fay', gold: 5, bag: [] });
  await page.goto(`${origin}/p/${project}/players/${FAY}/restore`);
  await page.getByRole('link', { name: `Before this: commit ${last}` }).waitFor();
  await page.getByLabel('Moment', { exact: true }).fill(String(loss));
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByText(`Nothing of this player is less now than at revision ${loss}.`).waitFor();
  expect(await page.getByRole('checkbox', { name: `players/${FAY}` }).isChecked()).toBe(false);
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: `Before this: commit ${loss}` }).click();
  // The page of the moment before had the same heading.
  await page.getByText('Just before this change:').waitFor();
  const ticked = (name: string) => page.getByRole('checkbox', { name, exact: true }).isChecked();
  expect([await ticked('gold'), await ticked('bag'), await ticked(`players/${FAY}`)]).toEqual([true, true, true]);
  // Money is ticked, and nobody else has a part in it.
  expect(await page.getByText('Who pays for it').count()).toBe(0);
  await page.goto(`${origin}/p/${project}/players/${FAY}/documents/players/${FAY}?a=0&b=${loss}`);
  await heading(page, 'Two moments compared');
  const links = page.getByRole('link', { name: String(loss), exact: true });
  await links.first().waitFor();
  expect(faults).toEqual([]);
});

inBrowser('a document is changed by operations with a reason, or not at all where somebody else changed it', async () => {
  const { origin, page, project } = market();
  await write(BO, { name: 'Bo', gold: 10, bag: ['rope'] });
  const document = `/p/${project}/players/${BO}/documents/players/${BO}`;
  await page.goto(origin + document);
  const plan = async (field: string, what: string, value: string) => {
    await page.getByLabel('Field', { exact: true }).fill(field);
    await page.getByLabel('What to do').selectOption(what);
    await page.getByLabel('Value', { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Add this change' }).click();
  };
  await page.getByRole('button', { name: 'Edit…' }).click();
  await plan('gold', 'inc', '5');
  await plan('bag', 'push', 'sword');
  await plan('stats.level', 'set', '3');
  await page.getByLabel('Reason').fill('a gift');
  await page.getByRole('button', { name: 'Ticket…' }).click();
  await page.getByLabel(/^Ticket/).fill('T-5');
  await page.getByText('["rope","sword"]').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Change it' }).click();
  await heading(page, 'It is changed');
  expect(await read(BO)).toEqual({ name: 'Bo', gold: 15, bag: ['rope', 'sword'], stats: { level: 3 } });
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Money: gold +5 (correction: a gift)').waitFor();
  // What is edited is what was just made.
  await page.getByText('version 2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await write(BO, { name: 'Bo', gold: 1, stats: { level: 4 } });
  await plan('stats', 'merge', '{"level":5}');
  await page.getByLabel('Reason').fill('one more');
  await page.getByText('Somebody else changed this document since you loaded it.').waitFor();
  expect(await read(BO)).toEqual({ name: 'Bo', gold: 1, stats: { level: 4 } });
  await page.getByRole('button', { name: 'Load it anew' }).click();
  await page.getByRole('button', { name: 'Change it' }).click();
  await heading(page, 'It is changed');
  expect(await read(BO)).toEqual({ name: 'Bo', gold: 1, stats: { level: 5 } });
  await page.getByRole('button', { name: 'Close' }).click();
});

/** What a page asks of the server from its last navigation on, each as soon as it is sent. */
function requestsOf(page: Page): () => readonly string[] {
  let asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.isNavigationRequest()) asked = [];
    // What waits for a second person is told by the frame, once the page stands.
    else if (/^\/(api|v3)\//.test(pathname) && !pathname.endsWith('/approvals')) asked.push(pathname + search);
  });
  return () => [...asked].sort();
}

inBrowser('what an address shows is asked for once, and only what the person may see', async () => {
  const { faults, origin, profile, project, signedIn, signedInAs } = market();
  const page = await signedIn(profile);
  // However slow this machine is, nothing is old once it is drawn.
  await page.addInitScript('const now = Date.now(); Date.now = () => now;');
  const asked = requestsOf(page);
  // The page before may ask for more until it is gone.
  const open = async (on: Page, path: string) => {
    await on.goto('about:blank');
    await on.goto(`${origin}/p/${project}${path}`);
  };
  const DOT = '76561198000000010';
  const written = await write(DOT, { name: 'Dot', gold: 1 });
  const body = JSON.stringify({ ops: [{ op: 'inc', path: 'gold', value: 1 }], reason: 'a gift once more' });
  const corrected = await page.evaluate<number>(`fetch('/api/session').then((answer) => answer.json())
    .then(({ csrf }) => fetch('/v3/manage/${project}/corrections/players/${DOT}', {
      ...{ method: 'POST', body: ${JSON.stringify(body)} },
      headers: { 'x-console-csrf': csrf, 'content-type': 'application/json', 'idempotency-key': 'dot' },
    })).then((answer) => answer.json()).then(({ revision }) => revision)`);
  const stored = `/v3/storage/${project}/players/${DOT}`;
  await open(page, `/players/${DOT}/documents/players/${DOT}?a=${written}`);
  await heading(page, 'Two moments compared');
  await page.getByText('Choose A and B to compare two moments').waitFor();
  // Why somebody did what the history tells is asked for once that is there.
  await page.getByText('“a gift once more”').waitFor();
  const session = '/api/session';
  const [collections, name] = [`/v3/manage/${project}/collections`, `/v3/manage/${project}/players/${DOT}?part=name`];
  const [compared, history] = [`${stored}/compare?from=${written}`, `${stored}/history?limit=30`];
  const acts = `/v3/manage/${project}/commits?player=${DOT}&kind=`;
  expect(asked().map((address) => (address.startsWith(acts) ? acts : address))).toEqual([
    ...[session, collections, acts, name, stored, compared, history],
  ]);
  await open(page, `/find/${corrected}`);
  await heading(page, 'Commit');
  const explained = asked().filter((path) => path.includes('/explain/'));
  expect(explained).toEqual([`/v3/manage/${project}/explain/${corrected}?withoutFollowed=true`]);
  const designer = await signedInAs('designer');
  const askedByDesigner = requestsOf(designer);
  await open(designer, `/players/${DOT}`);
  await designer.getByText('Your role does not see what players have').waitFor();
  expect(askedByDesigner()).toEqual([session]);
  // Health shows all projects at once, so the menu leads nobody there who has a role in one.
  const pages = (on: Page) =>
    on
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: /^(Values|Health)/ })
      .count();
  expect([await pages(page), await pages(designer)]).toEqual([2, 1]);
  await page.close();
  expect(faults).toEqual([]);
});

inBrowser('whoever comes back to a page that nobody touched for long sees at once what it is now', async () => {
  const { origin, profile, project, signedIn } = market();
  const page = await signedIn(profile);
  // However slow this machine is, nothing is old before.
  await page.addInitScript('const now = Date.now(); Date.now = () => now;');
  await page.goto(`${origin}/p/${project}/publishes`);
  await heading(page, 'Publishes');
  const reads = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/promote/schedule')).length`;
  await expect.poll(() => page.evaluate<number>(reads)).toBe(1);
  await page.keyboard.press('Shift');
  await page.evaluate<void>(`for (const clock of [performance, Date]) {
    const now = clock.now.bind(clock);
    clock.now = () => now() + 6 * 60_000;
  }`);
  expect(await page.evaluate<number>(reads)).toBe(1);
  await page.keyboard.press('Shift');
  await expect.poll(() => page.evaluate<number>(reads)).toBe(2);
  await page.close();
});

inBrowser('of many changes of a document a screenful is drawn at first, and then all', async () => {
  const { origin, page, project } = market();
  const MAY = '76561198000000009';
  for (let gold = 1; gold <= 14; gold += 1) await write(MAY, { name: 'May', gold });
  await page.goto(`${origin}/p/${project}/players/${MAY}/documents/players/${MAY}`);
  await page.getByText('Choose A and B to compare two moments').waitFor();
  const drawn = `document.querySelectorAll('main ol > li').length`;
  await expect.poll(() => page.evaluate<number>(drawn)).toBe(14);
});

inBrowser('a document is deleted and made anew with a reason', async () => {
  const { origin, page, project } = market();
  const document = `/p/${project}/players/${BO}/documents/players/${BO}`;
  await page.goto(origin + document);
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByLabel('Reason').fill('asked to');
  await page.getByRole('button', { name: 'Delete it' }).click();
  await heading(page, 'It is deleted');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('There is no such document').waitFor();
  await page.goto(`${origin}/p/${project}/players/${BO}`);
  await page.getByRole('button', { name: 'Make a document…' }).click();
  await page.getByLabel('name', { exact: true }).fill('Bo again');
  await page.getByLabel('gold', { exact: true }).fill('7');
  await page.getByRole('button', { name: 'Look what it would be' }).click();
  await page.getByLabel('Reason').fill('gone by mistake');
  await page.getByText('Bo again').first().waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make it' }).click();
  await heading(page, 'It is made');
  expect(await read(BO)).toEqual({ name: 'Bo again', gold: 7 });
  await page.getByRole('button', { name: 'Close' }).click();
  // Who did something leads to all that they did, and from there to what everybody did.
  await page.goto(`${origin}/p/${project}`);
  const ofKey = page.getByRole('link', { name: /Secret key/ });
  await ofKey.first().waitFor();
  await page.getByRole('link', { name: 'owner', exact: true }).first().click();
  await expect.poll(() => page.url()).toContain('?who=per_');
  await page.getByText(/^Only what owner did\./).waitFor();
  await expect.poll(() => ofKey.count()).toBe(0);
  await page.getByRole('button', { name: 'Of everybody' }).click();
  await ofKey.first().waitFor();
});

inBrowser('a moment is in the address, and all pages follow it', async () => {
  const { origin, page, project } = market();
  const then = await write('76561198000000003', { name: 'Cy', gold: 1 });
  await write('76561198000000003', { name: 'Cy', gold: 2 });
  await page.goto(`${origin}/p/${project}/players/76561198000000003?at=${then}`);
  await page.getByText(`This is the past: as it was at revision ${then}.`).waitFor();
  await page.getByRole('link', { name: 'players', exact: true }).click();
  await page
    .getByRole('row', { name: /gold 1/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).searchParams.get('at')).toBe(String(then));
  // A search that ended before it found anything says so, and since when it looked.
  const here = page.url();
  const commits = /\/commits\?.*kind=/;
  const body = JSON.stringify({ ok: true, commits: [], searched: then, before: then });
  await page.route(commits, (held) => held.fulfill({ contentType: 'application/json', headers: {}, body }));
  await page.goto(`${origin}/p/${project}?kind=session&at=${then}`);
  await page.getByText('Nothing in the part that was looked at').waitFor();
  await page.getByText(/^All since \d+ \w+ \d+, .* was looked at\.$/).waitFor();
  await page.unroute(commits);
  await page.goto(here);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page
    .getByRole('row', { name: /gold 2/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'As of: now' }).click();
  await page.getByRole('button', { name: 'A moment: choose from a calendar' }).waitFor();
  // The browser's own calendar is no part of the page: what it does is fill its field.
  await page.evaluate<void>(`(() => {
    const calendar = document.querySelector('input[type=datetime-local]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(calendar, '2026-03-01T18:30');
    calendar.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
  expect(await page.evaluate(`document.querySelector('[role=dialog] input:not([type])').value`)).toBe('2026-03-01 18:30');
  await page.getByLabel('A moment', { exact: true }).fill(String(then));
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText(`This is the past: as it was at revision ${then}.`).waitFor();
  await page.getByRole('button', { name: `As of: revision ${then}` }).click();
  await page.getByLabel('A moment', { exact: true }).fill('lately');
  await page.getByText(/^This is no moment that can be read/).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByLabel('A moment', { exact: true }).fill('1 h 46 min');
  await page.getByText(/^A revision, day and time/).waitFor();
});

inBrowser(
  'a page that does not follow the moment says so, and none offers to change anything; a revision is a time where pages go by time',
  async () => {
    const { faults, manager, origin, page, project } = market();
    const then = await write(ADA, { name: 'Ada', gold: 8 });
    const values = { items: [{ id: 'prices', type: 'group', name: 'prices', entries: { axe: 7 } }] };
    await ok(
      manager.manage('PUT', manager.definitions('game-values?message=Later'), { body: values, headers: { 'x-ns-publish-target': 'next' } }),
    );
    const at = (path: string) => page.goto(`${origin}/p/${project}${path}${path.includes('?') ? '&' : '?'}at=${then}`);
    const acts = () =>
      page.evaluate<readonly string[]>(`[...document.querySelectorAll('main button, main a')].map(({ innerText }) => innerText.trim())
      .filter((text) => /(?<!^Checking)…$|^(Promote|Retry|Roles|Reset|Remove|Sessions|Edit)/.test(text))`);
    const OF_NOW: readonly (readonly [path: string, said: string, comes: string | RegExp])[] = [
      ['/publishes', 'What was published up to then.', 'secret key'],
      ['/health', 'How an installation fares is always told of now', 'Background jobs'],
      ['/keys', 'These are the keys of now.', /^(just now|\d+ \w+ ago)$/],
      ['/people', 'These are the people and roles of now', 'in every project'],
      ['/economy/entries?currency=gold', 'The economy is told by whole days', 'entries of gold'],
    ];
    for (const [path, said, comes] of OF_NOW) {
      await at(path);
      await page.getByText(said).first().waitFor();
      await page.getByText(comes).first().waitFor();
      expect([path, await acts()]).toEqual([path, []]);
      expect(await page.getByText('“Later”').count()).toBe(0);
    }
    const BY_TIME: readonly (readonly [path: string, asks: string])[] = [
      ['/calls', 'logs'],
      ['/economy', 'economy'],
      ['/looked', 'access'],
    ];
    for (const [path, asks] of BY_TIME) {
      await at(path);
      const asked = () =>
        page.evaluate<readonly string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)
        .filter((name) => name.includes('/${asks}') && /[?&]to=2\\d{3}-/.test(name))`);
      await expect.poll(async () => (await asked()).length).toBeGreaterThan(0);
      expect([path, await seriousOn(page)]).toEqual([path, []]);
    }
    await manager.manage('POST', manager.definitions('discard'), { body: {} });
    expect(faults).toEqual([]);
  },
);

inBrowser('what is not there is told as what it is: a moment, a publish, a currency, and what a role does not see', async () => {
  const { faults, origin, page, project, signedInAs } = market();
  await write(ADA, { name: 'Ada', gold: 8 });
  const NOT_THERE: readonly (readonly [path: string, said: string])[] = [
    [`/players/${ADA}?at=99999999`, 'That revision is not there yet.'],
    [`/players/${ADA}/documents/players/${ADA}?at=2020-01-01T00:00:00Z`, 'The project had not begun at that moment.'],
    ['/players/nobody', 'Nothing is known of this player'],
    ['/publishes/abc', 'Nothing was published at this revision'],
    ['/definitions/endpoint/nix', 'There is no endpoint “nix” in live'],
    ['/economy/entries', 'Of which currency?'],
  ];
  for (const [path, said] of NOT_THERE) {
    await page.goto(`${origin}/p/${project}${path}`);
    await page.getByText(said).first().waitFor();
  }
  await page.goto(`${origin}/p/${project}/values?at=2020-01-01T00:00:00Z`);
  await page.getByText(/^There was nothing yet at .*: this project began at/).waitFor();
  await page.getByRole('button', { name: 'Look at its beginning' }).click();
  await page.getByText(/^This is the past/).waitFor();
  const viewer = await signedInAs('viewer');
  const NOT_SEEN: readonly (readonly [path: string, said: string])[] = [
    ['', 'Your role does not see what was'],
    ['/players', 'Your role does not find players by name'],
    [`/players/${ADA}/restore`, 'Your role restores nothing'],
  ];
  for (const [path, said] of NOT_SEEN) {
    await viewer.goto(`${origin}/p/${project}${path}`);
    await viewer.getByText(said).first().waitFor();
    expect([path, await viewer.getByText('You can still').count()]).toEqual([path, 0]);
    expect([path, await viewer.getByLabel('How the name begins').count()]).toEqual([path, 0]);
  }
  expect(faults).toEqual([]);
});

inBrowser('whatever somebody holds leads to what it is, and what nobody knows is said to be so', async () => {
  const { origin, page, project } = market();
  const revision = await write(ADA, { name: 'Ada', gold: 4, bag: [], skins: [] });
  await page.goto(`${origin}/p/${project}/find/${revision}`);
  await page
    .getByText(/wrote players/)
    .first()
    .waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy the time' }).waitFor();
  await page.getByRole('button', { name: 'Undo…' }).waitFor();
  // The write and its ledger are one commit: before it is before the first of them.
  await page.getByRole('link', { name: 'Just before this' }).click();
  await page.getByText(`This is the past: as it was at revision ${revision - 2}.`).waitFor();
  await page.goto(`${origin}/p/${project}?at=${revision}&to=${revision}`);
  await page.getByRole('link', { name: String(revision), exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  await page
    .getByRole('link', { name: /[Ss]ecret/ })
    .first()
    .click();
  await heading(page, 'Keys');
  // When it was used last.
  await page
    .getByText(/^(just now|\d+ min ago)$/)
    .first()
    .waitFor();
  await expect.poll(() => page.evaluate<number>(`document.querySelectorAll('tr[aria-current]').length`)).toBe(1);
  await page.goto(`${origin}/p/${project}/find/nobody-knows-this`);
  await page.getByText('Nothing here has this id or name').waitFor();
  await page.getByText('How a name is found: for developers').click();
  await page.getByText(/is found by its field, whole, once the schema marks that/).waitFor();
  expect(await seriousOn(page)).toEqual([]);
});

inBrowser('what happened to a player is one list: what was stored, what was refused, what the game reported', async () => {
  const { manager, origin, page, project } = market();
  await write(ADA, { name: 'Ada', gold: 5, bag: [], skins: [] });
  for (const _ of [1, 2, 3]) await manager.play('POST', manager.endpoint('no-such'), { body: {} }, ADA);
  const crash = {
    type: 'crash',
    severity: 'error',
    message: 'The bag is null',
    stack: 'at Bag.open',
    context: { build: 412 },
    platformId: ADA,
  };
  await ok(manager.play('POST', manager.storage('analytics/events'), { body: crash }, ADA));
  await expect
    .poll(async () => {
      await page.goto(`${origin}/p/${project}/players/${ADA}`);
      await heading(page, 'Last calls');
      return page.getByText('What the game reported').count();
    })
    .toBe(1);
  await page.getByRole('row', { name: /an error The bag is null .*412/ }).waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'All reports' }).click();
  expect(new URL(page.url()).searchParams.get('what')).toBe('reports');
  const says = (text: string) => page.getByText(text, { exact: true });
  await says('The bag is null').first().waitFor();
  await expect.poll(async () => [await says('ENDPOINT_NOT_FOUND').count(), await says('The bag is null').count()]).toEqual([0, 1]);
  await page.getByLabel('What', { exact: true }).selectOption('');
  for (const text of ['The bag is null', 'ENDPOINT_NOT_FOUND']) await says(text).first().waitFor();
  // What was refused alike, one after the other, is one line, which opens to each, and each to what it means.
  await expect.poll(() => says('ENDPOINT_NOT_FOUND').count()).toBe(1);
  await says('3 times').click();
  await expect.poll(() => says('ENDPOINT_NOT_FOUND').count()).toBe(4);
  await says('ENDPOINT_NOT_FOUND').last().click();
  await page.getByText('The game has no such endpoint here.').waitFor();
  // What comes meanwhile is told, and shown when one asks for it.
  await write(ADA, { name: 'Ada', gold: 6, bag: [], skins: [] });
  await says('1 new line.').waitFor();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.poll(() => says('1 new line.').count()).toBe(0);
  await page
    .getByText(/wrote players/)
    .first()
    .waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByLabel('What', { exact: true }).selectOption('refused');
  await expect.poll(async () => [await says('The bag is null').count(), await says('ENDPOINT_NOT_FOUND').count()]).toEqual([0, 1]);
});

inBrowser('no page keeps anybody out: light and dark, wide and on a phone', async () => {
  await expectOpenToAll(market(), [
    '',
    '/players',
    '/players?name=ad',
    `/players/${ADA}`,
    `/players/${ADA}/timeline`,
    `/players/${ADA}/documents/players/${ADA}`,
    `/players/${ADA}/restore`,
    `/find/${ADA}`,
  ]);
  expect(market().faults).toEqual([]);
});

inBrowser('who is signed out in the middle signs in again, and arrives where they were', async () => {
  const { origin, page, profile, project, signedIn } = market();
  await page.goto(`${origin}/p/${project}/players/${ADA}`);
  await heading(page, /./);
  const other = await signedIn(profile);
  await other.evaluate<void>(`fetch('/api/session').then((answer) => answer.json())
    .then(({ csrf }) => fetch('/api/session', { method: 'DELETE', headers: { 'x-console-csrf': csrf } })).then(() => undefined)`);
  await other.close();
  await page.getByRole('link', { name: 'Time line' }).click();
  await page.getByText('savepoint console link').waitFor();
  await page.getByText('Your session is over').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  expect(new URL(page.url()).searchParams.get('next')).toContain(`/players/${ADA}`);
  // A dead link says why, and a command stands there as one.
  await page.goto(`${origin}/sign-in#${'a'.repeat(43)}`);
  await page.getByText('This link lets nobody in.').waitFor();
  expect(await page.getByText('Your session is over').count()).toBe(0);
  expect(await page.evaluate<boolean>(`document.body.innerText.includes('\`')`)).toBe(false);
  expect(await seriousOn(page)).toEqual([]);
});
