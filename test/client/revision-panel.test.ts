import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../infra/harness/chromium.ts';

/** The panel of an outdated game on a page of a real Chromium. It needs no server: the client tries out what it does then. */

/** The part of playwright-core that is used here. */
interface Locator {
  click(): Promise<void>;
  isVisible(): Promise<boolean>;
  textContent(): Promise<string | null>;
}
interface Page {
  setContent(html: string): Promise<void>;
  addScriptTag(script: { readonly content: string }): Promise<unknown>;
  evaluate<Value>(text: string): Promise<Value>;
  getByRole(role: string, options?: { readonly name?: string }): Locator;
  readonly keyboard: { press(key: string): Promise<void> };
  close(): Promise<void>;
}
interface Browser {
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}

const GAME = `
import { createClient, revisionOf } from './index.ts';
import { mountRevisionPanel } from './revision-panel.ts';
const client = createClient({ url: 'http://127.0.0.1:1', projectId: 'p', publicKey: 'k', revision: 7 });
const chosen = [];
const note = (name) => () => chosen.push(name);
const panel = mountRevisionPanel(client, {
  parent: document.body,
  onCreateNewGame: note('create'), onJoinNewLobby: note('join'), onContinuePlaying: note('continue'), onDismiss: note('dismiss'),
});
const revision = revisionOf(client);
globalThis.game = { revision, chosen, panel, test: (given) => revision.testOutdated(given) };`;

let browser: Browser;
let script = '';
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  const stdin = { contents: GAME, resolveDir: join(import.meta.dirname, '../../src/client'), loader: 'ts' } as const;
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'iife', target: 'es2022' });
  script = outputFiles[0]?.text ?? '';
  browser = await launchChromium();
});
afterAll(() => browser?.close());

async function newPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.setContent('<!doctype html><title>A game</title><p>The game</p>');
  await page.addScriptTag({ content: script });
  return page;
}

test.skipIf(CHROMIUM === undefined)('the panel is a dialog with a name and buttons, and closes with each choice', async () => {
  const page = await newPage();
  const dialog = page.getByRole('dialog', { name: 'A new version is out' });
  expect(await dialog.isVisible()).toBe(false);
  for (const label of ['Start a new game', 'Join another lobby', 'Continue playing', 'Close']) {
    await page.evaluate("game.test({ message: 'Please update.', action: 'warn', graceExpired: false })");
    expect(await dialog.isVisible()).toBe(true);
    await page.getByRole('button', { name: label }).click();
    expect(await dialog.isVisible()).toBe(false);
  }
  expect(await page.evaluate('game.chosen')).toEqual(['create', 'join', 'continue', 'dismiss']);
  await page.close();
});

test.skipIf(CHROMIUM === undefined)(
  'the keyboard closes it with Escape, and with Space where that is allowed and no button has the focus',
  async () => {
    const page = await newPage();
    const states: boolean[] = [];
    const press = async (key: string) => {
      await page.evaluate('game.test({})');
      await page.keyboard.press(key);
      states.push(await page.getByRole('dialog').isVisible());
      await page.evaluate('game.panel.prompt.dismiss()');
    };
    await press('Escape');
    await press('Space');
    await page.evaluate('game.revision.settings.allowSpaceToClose = false');
    await press('Space');
    expect(states).toEqual([false, false, true]);
    await page.close();
  },
);

test.skipIf(CHROMIUM === undefined)(
  'it shows the time that is left, no way to go on where the game is blocked, and goes with the game',
  async () => {
    const page = await newPage();
    await page.evaluate("game.test({ action: 'warn', graceExpired: false, graceEndsAtUnixSeconds: Math.ceil(Date.now() / 1000) + 3725 })");
    expect(await page.getByRole('timer').textContent()).toMatch(/^Time left: 1:0\d:\d\d$/);
    await page.evaluate("game.test({ action: 'block_all', showUpdateOptions: false })");
    expect(await page.getByRole('timer').isVisible()).toBe(false);
    const shown = await Promise.all(
      ['Continue playing', 'Start a new game', 'Close'].map((name) => page.getByRole('button', { name }).isVisible()),
    );
    expect(shown).toEqual([false, false, true]);
    await page.evaluate('game.panel.remove()');
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
    await page.close();
  },
);
