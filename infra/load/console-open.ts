import { setTimeout as sleep } from 'node:timers/promises';
import { textAt } from '../harness/json.ts';
import { savepointWith } from '../harness/node.ts';
import type { Credentials } from '../harness/project.ts';
import { browserOfMany, newProfile, type Profile, type SentRequest, shown, signIn, type Tab } from './chromium.ts';
import { type Asked, type Asker, askedBy, type Plan, planOf, Replay } from './console-replay.ts';
import { progress } from './terminal.ts';
import { WORKLOADS } from './workloads.ts';

/** Ten consoles: ten people, each with a browser of their own, who look at the project of a game and follow it. */

export interface Consoles {
  /** Opens the pages, and waits until all are there. */
  show(): Promise<Ending>;
  /** Their streams and what they read again and again, and no browser. */
  replay(): Promise<Ending>;
}

/** Ends what was opened, and tells what went wrong meanwhile; `null`: nothing. */
export type Ending = () => Promise<string | null>;

interface Console {
  readonly tab: Tab;
  readonly path: string;
  readonly asker: Asker;
}

const EMPTY = 'about:blank';
/** Longer than any page waits before it looks again. */
const RECORDED_MS = 13_000;

/** Makes a link to sign in. `settings`: those that the node was started with. */
export async function linkTo(dataFolder: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await savepointWith({ SAVEPOINT_DATA: dataFolder, ...settings }, 'console', 'link', '--json');
  const url = code === 0 ? textAt(JSON.parse(stdout), 'url') : undefined;
  if (url === undefined) throw new Error(`no link to the console: ${stderr}`);
  return url;
}

/** `link` makes a link to sign in. */
export async function tenConsoles(game: Credentials, link: () => Promise<string>, defer: (stop: () => unknown) => void): Promise<Consoles> {
  const browser = await browserOfMany();
  defer(() => browser.close());
  const consoles: Console[] = [];
  for (const path of pagesOf(game)) consoles.push(await opened(await newProfile(browser), await link(), path));
  const show = () => all(consoles, ({ tab, path, asker }) => tab.goto(asker.origin + path).then(() => tab.evaluate(shown(THERE))));
  const hide = () => all(consoles, ({ tab }) => tab.goto(EMPTY));
  const plans = await recorded(consoles, show);
  await hide();
  const [streams, reads] = [plans.flatMap(([, plan]) => plan.streams), plans.flatMap(([, plan]) => plan.repeated)];
  progress(`they follow ${streams.length} streams, and read ${reads.length} things again and again`);
  return {
    async show() {
      await show();
      return async () => {
        const lost = await Promise.all(consoles.map(lostOn));
        await hide();
        return lost.find((said) => said !== null) ?? null;
      };
    },
    async replay() {
      const replayed = new Replay();
      await replayed.open(plans);
      return async () => replayed.close();
    },
  };
}

/** What a page says that cannot follow. */
const LOST = `/not live|cannot be followed/.test(document.querySelector('main')?.textContent ?? 'not live')`;

async function lostOn({ tab, path }: Console): Promise<string | null> {
  return (await tab.evaluate<boolean>(LOST)) ? `${path} was not followed any more` : null;
}

const THERE = `document.querySelector('main h1') && !document.querySelector('main [role=status] .visually-hidden')`;

/** Two of each. Of the two on Calls one follows all of them, and one what is refused. */
function pagesOf(game: Credentials): readonly string[] {
  const { player = '' } = WORKLOADS['seed.documents'].request(game, 0);
  const each = ['', `/players/${player}`, '/health', '/publishes'];
  return [...each, ...each, '/calls?all=true', '/calls'].map((path) => `/p/${game.projectId}${path}`);
}

async function opened(profile: Profile, link: string, path: string): Promise<Console> {
  const { origin } = new URL(link);
  const tab = await signIn(profile, link);
  const cookie = (await profile.cookies(origin)).map(({ name, value }) => `${name}=${value}`).join('; ');
  return { tab, path, asker: { origin, cookie } };
}

async function all(consoles: readonly Console[], act: (one: Console) => Promise<unknown>): Promise<void> {
  await Promise.all(consoles.map(act));
}

/** Opens the pages once, and sees what they ask for. */
async function recorded(consoles: readonly Console[], show: () => Promise<void>): Promise<readonly (readonly [Asker, Plan])[]> {
  const began = performance.now();
  const records = consoles.map(({ tab, asker }) => {
    const asked: Asked[] = [];
    const hear = (sent: SentRequest) => void asked.push(askedBy(sent, performance.now() - began));
    tab.on('request', hear);
    return { asker, asked, end: () => tab.off('request', hear) };
  });
  await show();
  await sleep(RECORDED_MS);
  for (const { end } of records) end();
  return records.map(({ asker, asked }) => [asker, planOf(asked)] as const);
}
