import type { RunningNode } from '../harness/node.ts';
import { measuring, type Profile, shown, type Tab, threadCpuMs } from './chromium.ts';
import type { ConsolePage } from './console-pages.ts';
import { cpuSeconds } from './processes.ts';

/** Opens pages of the console as people do, one after the other, and measures each. */

/** How a page is opened: pressed in the page that is there, by its address, or by that with nothing of it in the browser's cache. */
export type Way = 'by a link' | 'by its address' | typeof COLD;
export const COLD = 'with an emptied cache' as const;

export interface Visit {
  /** Until the page shows what it is for, and a frame was drawn. */
  readonly ms: number;
  /** Of the whole page; `null`: it was there before. */
  readonly paintedMs: number | null;
  /** Of the page's own thread. */
  readonly pageCpuMs: number;
  /** `null` without /proc. */
  readonly nodeCpuMs: number | null;
}

export interface Visitor {
  readonly profile: Profile;
  readonly node: RunningNode;
  /** Address of the project. */
  readonly home: string;
}

/** Throws where the page does not show what it is for. */
export function visit(visitor: Visitor, page: ConsolePage, way: Way): Promise<Visit> {
  return inTab(visitor.profile, (tab) => (way === 'by a link' ? byLink(visitor, tab, page) : byAddress(visitor, tab, page, way)));
}

async function inTab<Result>(profile: Profile, act: (tab: Tab) => Promise<Result>): Promise<Result> {
  const tab = await profile.newPage();
  try {
    return await act(tab);
  } finally {
    await tab.close();
  }
}

/** Nothing of the page that is left is loading any more. */
const RESTS = `document.querySelector('main h1') && !document.querySelector('main [role=status] .visually-hidden')`;
/** What a page does once it is there, such as opening its stream. */
const REST = `new Promise((rested) => setTimeout(rested, 400))`;

async function byLink({ profile, node, home }: Visitor, tab: Tab, { path, ready }: ConsolePage): Promise<Visit> {
  const devtools = await measuring(profile, tab);
  await tab.goto(home + (path === '' ? '/keys' : ''));
  await tab.evaluate(shown(RESTS));
  await tab.evaluate(REST);
  const [before, nodeBefore] = [await threadCpuMs(devtools), await cpuSeconds(node.pid)];
  const press = `history.pushState({}, '', ${JSON.stringify(home + path)})`;
  const ms = await tab.evaluate<number>(shown(ready, press));
  return { ms, paintedMs: null, pageCpuMs: (await threadCpuMs(devtools)) - before, nodeCpuMs: await msSince(node, nodeBefore) };
}

const PAINTED = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null`;

async function byAddress({ profile, node, home }: Visitor, tab: Tab, { path, ready }: ConsolePage, way: Way): Promise<Visit> {
  const devtools = await measuring(profile, tab);
  if (way === COLD) await devtools.send('Network.clearBrowserCache');
  const nodeBefore = await cpuSeconds(node.pid);
  await tab.goto(home + path, { waitUntil: 'commit' });
  const ms = await tab.evaluate<number>(shown(ready));
  const paintedMs = await tab.evaluate<number | null>(PAINTED);
  return { ms, paintedMs, pageCpuMs: await threadCpuMs(devtools), nodeCpuMs: await msSince(node, nodeBefore) };
}

async function msSince(node: RunningNode, before: number | null): Promise<number | null> {
  const now = await cpuSeconds(node.pid);
  return now === null || before === null ? null : (now - before) * 1_000;
}

/** A browser keeps what it has compiled of a script that it has run a few times lately, and some time after. */
export const WARM_VISITS = 3;
const TABS = 8;
const STAY = `new Promise((stayed) => setTimeout(stayed, 2_000))`;

/**
 * Visits each page some times, so that the browser has the compiled code of it, as it has of what somebody uses every day. Throws where one
 * does not show what it is for.
 */
export async function warmUpPages({ profile, home }: Visitor, pages: readonly ConsolePage[]): Promise<void> {
  const once = ({ name, path, ready }: ConsolePage) =>
    inTab(profile, async (tab) => {
      await tab.goto(home + path);
      await tab.evaluate(shown(ready)).catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
      await tab.evaluate(STAY);
    });
  for (let visited = 0; visited < WARM_VISITS; visited += 1) {
    for (let first = 0; first < pages.length; first += TABS) await Promise.all(pages.slice(first, first + TABS).map(once));
  }
}
