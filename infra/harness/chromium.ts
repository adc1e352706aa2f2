import { existsSync } from 'node:fs';

/**
 * A real Chromium of this machine; `undefined`: none is installed. Debian's package of it without windows comes first: it draws the same,
 * and a page costs half.
 */
export const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

const PLAYWRIGHT: string = 'playwright-core';

/** playwright-core's driver, with what is used of it: its own types need those of the DOM, which this project does not load. */
interface Driver<Browser> {
  launch(options: object): Promise<Browser>;
  launchPersistentContext<Profile>(folder: string, options: object): Promise<Profile>;
}

/** `Browser`: what its caller uses of it. */
export async function launchChromium<Browser>(options: object = {}): Promise<Browser> {
  return (await driver<Browser>()).launch({ ...launch(), ...options });
}

/** A profile that keeps its caches in a folder. */
export async function launchProfile<Profile>(folder: string, options: object): Promise<Profile> {
  return (await driver()).launchPersistentContext<Profile>(folder, { ...launch(), ...options });
}

function launch() {
  if (CHROMIUM === undefined) throw new Error('no chromium is installed');
  return { executablePath: CHROMIUM, args: ['--no-sandbox'] };
}

async function driver<Browser>(): Promise<Driver<Browser>> {
  const { chromium }: { readonly chromium: Driver<Browser> } = await import(PLAYWRIGHT);
  return chromium;
}
