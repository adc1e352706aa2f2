import { existsSync } from 'node:fs';

/** A real Chromium of this machine; `undefined`: none is installed. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const PLAYWRIGHT: string = 'playwright-core';

/** What playwright-core starts it with. */
export function chromiumLaunch() {
  if (CHROMIUM === undefined) throw new Error('no chromium is installed');
  return { executablePath: CHROMIUM, args: ['--no-sandbox'] };
}

/** playwright-core's driver, with what its caller uses of it: its own types need those of the DOM, which this project does not load. */
export async function chromiumDriver<Driver>(): Promise<Driver> {
  const { chromium }: { readonly chromium: Driver } = await import(PLAYWRIGHT);
  return chromium;
}
