import { test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../../infra/harness/chromium.ts';
import type { Browser, Look, Profile } from '../../support/chromium.ts';

/** The one Chromium of a process of tests, whose files share its modules: a launch costs as much as a story. It ends with the process. */
let launched: Promise<Browser> | null = null;

/** Cookies and storages of their own, and how the page is looked at. */
export async function newProfile(look?: Look): Promise<Profile> {
  launched ??= launchChromium();
  const profile = await (await launched).newContext(look);
  profile.setDefaultTimeout(PATIENCE_MS);
  return profile;
}

/** How long what comes on a page is waited for: it ends a test that hangs, and no slow one. */
const PATIENCE_MS = 90_000;

if (CHROMIUM === undefined) console.warn('SKIPPED: no chromium is installed, so the console is not tested');

/** A test that is left out where no Chromium is installed. */
export const inBrowser = test.skipIf(CHROMIUM === undefined);
