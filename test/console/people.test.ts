import { afterAll, expect, vi } from 'vitest';
import { printed } from '../node/support/command-line.ts';
import { CLIENT, type ProviderOnLoopback, SECRET, startProvider } from '../support/issuer.ts';
import { inBrowser, newProfile } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenAt, expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

let provider: ProviderOnLoopback;
const of = useConsole(
  ({ origin }) => provider.open(`${origin}/sign-in/back`),
  async () => {
    provider = await startProvider();
    const client = { CONSOLE_OIDC_CLIENT_ID: CLIENT, CONSOLE_OIDC_CLIENT_SECRET: SECRET };
    return { CONSOLE_OIDC_ISSUER: provider.address, CONSOLE_OIDC_NAME: 'Work', ...client };
  },
);
afterAll(() => provider?.stop());
const PASSWORD = 'correct horse battery';

inBrowser('an owner invites somebody, who sets a password, signs in by name, and is signed out by the owner', async () => {
  const { page, origin, project, faults, signedInAs } = of();
  await page.goto(`${origin}/p/${project}/people`);
  await heading(page, 'People');
  await page.getByRole('button', { name: 'Invite somebody…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ada');
  await page.getByLabel('Support').check();
  await page.getByLabel(/^Why/).fill('helps out in summer');
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make the link' }).click();
  await heading(page, 'ada is let in');
  const link = await page.evaluate<string>(`document.querySelector('[role=dialog] code').textContent`);
  await page.getByText('It opens on the machine of the server alone.').waitFor();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();

  const profile = await newProfile();
  const ada = await profile.newPage();
  // A link that is pasted into a tab that stands there already is followed, too.
  await ada.goto(`${origin}/sign-in`);
  await ada.getByLabel('Name').waitFor();
  await ada.goto(link);
  await heading(ada, 'Activity');
  expect(ada.url()).not.toContain('#');
  // A link that is opened again lets nobody in, and whoever is in already goes on.
  await ada.goto(link);
  await ada.getByText('This link was used already.').waitFor();
  await ada.getByRole('button', { name: 'Go on as ada' }).click();
  await heading(ada, 'Activity');
  await ada.goto(`${origin}/account`);
  await ada.getByLabel('New password').fill(PASSWORD);
  await ada.getByLabel('Repeat the password').fill(PASSWORD);
  await ada.getByRole('button', { name: 'Set it' }).click();
  await ada.getByText('Your password is set.').waitFor();
  await ada.getByText('this one').waitFor();
  expect(await seriousOn(ada)).toEqual([]);
  // Of the projects the browser keeps what may be asked for, and nothing once one is out.
  const kept = () => ada.evaluate<string | null>(`localStorage.getItem('savepoint.projects')`);
  expect(JSON.parse((await kept()) ?? '')).toEqual([{ id: project, permissions: expect.any(Object) }]);
  await ada.getByRole('button', { name: 'Sign out' }).click();
  await ada.getByLabel('Name').fill('Ada');
  expect(await kept()).toBeNull();
  await ada.getByLabel('Password').fill(PASSWORD);
  expect(await seriousOn(ada)).toEqual([]);
  await ada.getByRole('button', { name: 'Sign in', exact: true }).click();
  await heading(ada, 'Activity');
  await ada.goto(`${origin}/p/${project}/people`);
  await ada.getByText('People are managed by owners').waitFor();
  expect(await ada.getByText('What changed').count()).toBe(0);
  const auditor = await signedInAs('auditor');
  await auditor.getByRole('link', { name: 'People', exact: true }).click();
  await auditor.getByText('let ada in as support in every project').waitFor();
  await auditor.getByText('“helps out in summer”').waitFor();
  await auditor.getByText(/let auditor-\d+ in as auditor in Market$/).waitFor();
  expect(await seriousOn(auditor)).toEqual([]);

  await page.getByRole('button', { name: 'Sessions of ada' }).click();
  await page.getByLabel(/^Why/).fill('left her phone on a train');
  await page.getByRole('button', { name: 'Ticket…' }).click();
  await page.getByLabel(/^Ticket/).fill('T-7');
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'End all' }).click();
  await page.getByText('Nowhere.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('signed ada out everywhere').waitFor();
  await page.getByText('“left her phone on a train” · T-7').waitFor();
  // What the operator did on the machine to let these tests in.
  await page.getByText('made a link on the machine that signs owner in').first().waitFor();
  await ada.getByRole('link', { name: 'Activity' }).click();
  await ada.getByText('savepoint console link').waitFor();
  await expect.poll(kept).toBeNull();
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('whoever was let in with an e-mail address signs in at the issuer, and whom it sends away is told so', async () => {
  const { env, faults, origin } = of();
  await printed(['user', 'add', 'bo', '--email', 'bo@game.example', '--role', 'viewer'], { env });
  provider.accounts.set('bo-at-work', { email: 'bo@game.example', email_verified: true });
  const profile = await newProfile();
  const bo = await profile.newPage();
  await bo.goto(`${origin}/people`);
  provider.user = null;
  await bo.getByRole('button', { name: 'Sign in with Work' }).click();
  await bo.getByRole('link', { name: 'Sign in anew' }).click();
  provider.user = 'bo-at-work';
  await bo.getByRole('button', { name: 'Sign in with Work' }).click();
  await heading(bo, 'Activity');
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('the pages of people keep nobody out', async () => {
  const { env, origin, signedIn } = of();
  await expectOpenToAll(of(), ['/people', '/keys']);
  const phone = await newProfile({ viewport: { width: 390, height: 844 } });
  const page = await signedIn(phone);
  await page.goto(`${origin}/people`);
  await page
    .getByRole('button', { name: /^Roles of / })
    .first()
    .waitFor();
  const widths = `[...document.querySelectorAll('table')].map(({ parentElement: { scrollWidth, clientWidth } }) => scrollWidth - clientWidth)`;
  await expect.poll(() => page.evaluate<readonly number[]>(widths)).toEqual([0, 0]);
  await phone.close();
  await printed(['project', 'create', 'Second'], { env });
  await expectOpenAt([`${origin}/`, `${origin}/account`, `${origin}/confirm`, `${origin}/people`, `${origin}/no-such-page`], signedIn);
});

inBrowser('nor do those of signing in, with a password and an issuer', async () => {
  const { origin } = of();
  const refused: string[] = [];
  await expectOpenAt([`${origin}/sign-in`, `${origin}/sign-in/back?error=access_denied`], async (profile) => {
    const page = await profile.newPage();
    page.on('console', (message) => {
      if (message.text().includes('401')) refused.push(page.url());
    });
    return page;
  });
  // Who is not signed in is not asked who is.
  expect(refused.filter((address) => address.endsWith('/sign-in'))).toEqual([]);
});
