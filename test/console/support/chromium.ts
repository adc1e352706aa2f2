import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../../infra/harness/chromium.ts';
import type { Browser, Held, Look, Profile } from '../../support/chromium.ts';

/** The one Chromium of a process of tests, whose files share its modules: a launch costs as much as a story. It ends with the process. */
let launched: Promise<Browser> | null = null;

/** Cookies and storages of their own, and how the page is looked at. */
export async function newProfile(look?: Look): Promise<Profile> {
  launched ??= launchChromium();
  const profile = await (await launched).newContext(look);
  profile.setDefaultTimeout(PATIENCE_MS);
  if (LATEST_MS > 0) await profile.route(/\/(?:api|v3|assets)\//, late);
  return profile;
}

/** `SLOW_NETWORK=900`: every request comes up to so many ms late, in any order. It shows what a page or its test takes for granted. */
const LATEST_MS = Number(process.env['SLOW_NETWORK'] ?? 0);

async function late(request: Held): Promise<void> {
  // Most are a little late.
  await sleep(Math.random() ** 2 * LATEST_MS);
  // The page may be gone.
  await request.continue().catch(() => undefined);
}

/** How long what comes on a page is waited for: it ends a test that hangs, and no slow one. */
const PATIENCE_MS = 90_000;

if (CHROMIUM === undefined) console.warn('SKIPPED: no chromium is installed, so the console is not tested');

/** A test that is left out where no Chromium is installed. */
export const inBrowser = test.skipIf(CHROMIUM === undefined);
