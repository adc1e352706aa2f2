import { expect, vi } from 'vitest';
import { inBrowser, newProfile } from './support/chromium.ts';
import { useConsole } from './support/console.ts';
import { expectOpenToAll, heading, seriousOn } from './support/page.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const of = useConsole(async () => undefined);
const PASSWORD = 'correct horse battery';

inBrowser('an owner invites somebody, who sets a password, signs in by name, and is signed out by the owner', async () => {
  const { page, origin, project, faults } = of();
  await page.goto(`${origin}/p/${project}/people`);
  await heading(page, 'People');
  await page.getByRole('button', { name: 'Invite somebody…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ada');
  await page.getByLabel('Support').check();
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make the link' }).click();
  await heading(page, 'ada is let in');
  const link = await page.evaluate<string>(`document.querySelector('[role=dialog] code').textContent`);
  expect(await seriousOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();

  const profile = await newProfile();
  const ada = await profile.newPage();
  await ada.goto(link);
  await heading(ada, 'Activity');
  expect(ada.url()).not.toContain('#');
  await ada.goto(`${origin}/account`);
  await ada.getByLabel('New password').fill(PASSWORD);
  await ada.getByLabel('The same again').fill(PASSWORD);
  await ada.getByRole('button', { name: 'Set it' }).click();
  await ada.getByText('Your password is set.').waitFor();
  await ada.getByText('this one').waitFor();
  expect(await seriousOn(ada)).toEqual([]);
  await ada.getByRole('button', { name: 'Sign out' }).click();
  await ada.getByLabel('Name').fill('Ada');
  await ada.getByLabel('Password').fill(PASSWORD);
  expect(await seriousOn(ada)).toEqual([]);
  await ada.getByRole('button', { name: 'Sign in' }).click();
  await heading(ada, 'Activity');
  await ada.goto(`${origin}/p/${project}/people`);
  await ada.getByText('People are managed by owners').waitFor();

  await page.getByRole('button', { name: 'Sessions of ada' }).click();
  await page.getByRole('button', { name: 'End all' }).click();
  await page.getByText('Nowhere.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await ada.getByRole('link', { name: 'Activity' }).click();
  await ada.getByText('savepoint console link').waitFor();
  await profile.close();
  expect(faults).toEqual([]);
});

inBrowser('the pages of people keep nobody out', async () => {
  await expectOpenToAll(of(), ['/people', '/keys']);
});
