import { expect } from 'vitest';
import { axeFindings, isSerious } from '../../../infra/harness/axe.ts';
import type { Look, Page, Profile } from '../../support/chromium.ts';
import { newProfile } from './chromium.ts';
import type { Console } from './console.ts';

/** What tests of the console ask of a page. */

export const heading = (on: Page, name: string | RegExp) => on.getByRole('heading', { name }).first().waitFor();

/** What axe-core finds on a page that keeps people out. */
export async function seriousOn(on: Page): Promise<readonly string[]> {
  return (await axeFindings(on)).filter(isSerious).flatMap(({ id, at }) => at.map((html) => `${id}: ${html}`));
}

/** Waits until nothing of the page is loading. */
async function settled(on: Page): Promise<void> {
  await on.getByRole('heading').first().waitFor();
  await on.evaluate<void>(
    `new Promise((done) => { const wait = () => document.querySelector('[role=status] .visually-hidden') ? setTimeout(wait, 20) : done(); wait(); })`,
  );
}

const LOOKS: readonly Required<Look>[] = [
  { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
];

/** Pages of the project, by what follows its address, keep nobody out: light on a phone and dark and wide, without a scroll sideways. */
export function expectOpenToAll(console: Console, paths: readonly string[]): Promise<void> {
  return expectOpenAt(
    paths.map((path) => `${console.origin}/p/${console.project}${path}`),
    console.signedIn,
  );
}

/** The same of pages at addresses, in a browser that `enter` opens a page in. */
export async function expectOpenAt(addresses: readonly string[], enter: (profile: Profile) => Promise<Page>): Promise<void> {
  for (const look of LOOKS) {
    const profile = await newProfile(look);
    const page = await enter(profile);
    for (const address of addresses) {
      await page.goto(address);
      await settled(page);
      expect([look.colorScheme, address, await seriousOn(page)]).toEqual([look.colorScheme, address, []]);
      const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect([look.viewport.width, address, isWider]).toEqual([look.viewport.width, address, false]);
    }
    await profile.close();
  }
}
