import { launchChromium, launchProfile } from '../harness/chromium.ts';

/** The browsers of `bench:console`. */

/** A request that a page sent. */
export interface SentRequest {
  url(): string;
  method(): string;
  resourceType(): string;
  /** Without cookies. */
  headers(): Readonly<Record<string, string>>;
}

export interface Tab {
  goto(url: string, options?: { readonly waitUntil: 'commit' }): Promise<unknown>;
  /** Resolves to what the script comes to, which may be a promise. */
  evaluate<Value>(script: string): Promise<Value>;
  on(event: 'request', listen: (request: SentRequest) => void): void;
  off(event: 'request', listen: (request: SentRequest) => void): void;
  close(): Promise<void>;
}

interface Devtools {
  send(method: string, given?: object): Promise<unknown>;
}

/** Pages that share cookies and caches. */
export interface Profile {
  newPage(): Promise<Tab>;
  newCDPSession(tab: Tab): Promise<Devtools>;
  cookies(url: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
  close(): Promise<void>;
}

export interface Browser {
  newContext(look: object): Promise<Profile>;
  close(): Promise<void>;
}

const LOOK = { viewport: { width: 1280, height: 860 } };
/** Signals end the benchmark, which then closes its browsers. */
const SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** A browser that keeps its caches in a folder, as everybody's does: the code that it has compiled is there the next time. */
export function browserWithCaches(folder: string): Promise<Profile> {
  return launchProfile(folder, { ...SIGNALS, ...LOOK });
}

/** One with profiles that know nothing of one another. */
export function browserOfMany(): Promise<Browser> {
  return launchChromium(SIGNALS);
}

/** Cookies and caches of their own. */
export function newProfile(browser: Browser): Promise<Profile> {
  return browser.newContext(LOOK);
}

/** The address is the link of `savepoint console link`. */
export async function signIn(profile: Profile, link: string): Promise<Tab> {
  const tab = await profile.newPage();
  await tab.goto(link);
  await tab.evaluate(shown(`/^(Activity|Projects)$/.test(document.querySelector('h1')?.textContent ?? '')`));
  return tab;
}

/** A page that is not there by then will not come. */
const LIMIT_MS = 20_000;

/**
 * A script that ends once `ready` holds and a frame was drawn. It comes to the milliseconds since `first` was done, or, without that, since
 * the browser was asked for the page.
 */
export function shown(ready: string, first?: string): string {
  return `(async () => {
    const began = ${first === undefined ? '0' : 'performance.now()'};
    ${first ?? ''};
    for (;;) {
      if (${ready}) {
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
        return performance.now() - began;
      }
      if (performance.now() - began > ${LIMIT_MS}) throw new Error('it did not show what it is for within ${LIMIT_MS / 1_000} s');
      await new Promise(requestAnimationFrame);
    }
  })()`;
}

/** Milliseconds of CPU that the page's own thread has used. The session has to be one of {@link measuring}. */
export async function threadCpuMs(devtools: Devtools): Promise<number> {
  const { metrics } = (await devtools.send('Performance.getMetrics')) as { metrics: readonly { name: string; value: number }[] };
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

/** A session that measures the page's thread in its own time, and not by the clock. */
export async function measuring(profile: Profile, tab: Tab): Promise<Devtools> {
  const devtools = await profile.newCDPSession(tab);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return devtools;
}
