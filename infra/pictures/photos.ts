import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AxeFinding, axeFindings } from '../harness/axe.ts';
import { launchChromium } from '../harness/chromium.ts';
import { type Tab as Opened, type Profile as SignedIn, signIn } from '../load/chromium.ts';
import type { Picture } from './pages.ts';

/** Takes a picture of each page, and has axe-core look at it. */

export interface Photo extends Picture {
  readonly look: Look;
  /** Below the folder of pictures. */
  readonly file: string;
  readonly findings: readonly AxeFinding[];
}

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  /** Small enough for a page of text. */
  docs: { colorScheme: 'light', viewport: { width: 1040, height: 640 } },
} as const;

export type Look = keyof typeof LOOKS;

interface Tab extends Opened {
  setContent(html: string): Promise<void>;
  screenshot(options: object): Promise<Uint8Array>;
}

interface Profile extends SignedIn {
  newPage(): Promise<Tab>;
}

export interface Browser {
  newContext(look: object): Promise<Profile>;
  close(): Promise<void>;
}

export function openBrowser(): Promise<Browser> {
  return launchChromium();
}

/** A page that is not there by then will not come. */
const LIMIT_MS = 20_000;
/** Nothing of the page is loading, and what was drawn last stands. */
const RESTS = `new Promise((done, failed) => {
  const began = performance.now();
  const look = () => {
    if (location.pathname === '/sign-in') failed(new Error('nobody is signed in'));
    else if (document.querySelector('main h1') && !document.querySelector('[role=status] .visually-hidden')) setTimeout(done, 600);
    else if (performance.now() - began > ${LIMIT_MS}) failed(new Error('it is not there after ${LIMIT_MS / 1_000} s'));
    else setTimeout(look, 50);
  };
  look();
})`;

/** What a project asks of whoever reads stands above every page: text in the docs is about the page itself. */
const NOTHING_ASKED = `new Promise((done) => {
  for (const band of document.querySelectorAll('[data-told]')) [...band.querySelectorAll('button')].at(-1)?.click();
  setTimeout(done, 300);
})`;

/** `link` makes a link to sign in; `say` hears how far it is. */
export async function photograph(
  { browser, folder, link, say }: { browser: Browser; folder: string; link: () => Promise<string>; say: (text: string) => void },
  pictures: readonly Picture[],
  look: Look,
): Promise<readonly Photo[]> {
  say(`${pictures.length} pages, ${look}`);
  await mkdir(join(folder, look), { recursive: true });
  const profile = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' });
  const entrance = await link();
  await (await signIn(profile, entrance)).close();
  const tab = await profile.newPage();
  const photos: Photo[] = [];
  for (const picture of pictures) {
    const address = new URL(picture.path, entrance).href;
    await tab.goto(address);
    await tab.evaluate<void>(RESTS).catch((error: unknown) => {
      throw new Error(`${picture.name} (${address}): ${error instanceof Error ? error.message : String(error)}`);
    });
    if (look === 'docs') await tab.evaluate<void>(NOTHING_ASKED);
    const file = join(look, `${picture.name.replaceAll(/[^a-z]+/g, '-')}.png`);
    await writeFile(join(folder, file), await tab.screenshot({}));
    photos.push({ ...picture, look, file, findings: await axeFindings(tab) });
  }
  await profile.close();
  return photos;
}
