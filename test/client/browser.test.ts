import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM, launchChromium } from '../../infra/harness/chromium.ts';
import type * as Library from '../../src/client/index.ts';
import { createClient, inc } from '../../src/client/index.ts';
import type { Browser, Page } from '../support/chromium.ts';
import { endGame, type Game, startGame } from './support.ts';

/** The client in a real Chromium, on a page of another origin than the node's. */

if (CHROMIUM === undefined) console.warn('SKIPPED: no chromium is installed, so the client library is not tested in a browser');

declare global {
  /** What the page has loaded. */
  var savepoint: typeof Library;
  /** Values that a page keeps between two visits of the test. */
  var playing: { readonly queue: Library.Queue; readonly me: Library.Subscription<{ readonly gold: number } | null> };
}

let game: Game;
let pages: Server;
let browser: Browser;
let origin: string;

async function newPage(of: Pick<Browser, 'newPage'> = browser): Promise<Page> {
  const page = await of.newPage();
  await page.goto(origin);
  return page;
}

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  const { outputFiles } = await build({
    stdin: {
      contents: "import * as savepoint from './index.ts'; globalThis.savepoint = savepoint;",
      resolveDir: join(import.meta.dirname, '../../src/client'),
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
  });
  const script = outputFiles[0]?.text ?? '';
  pages = createServer((request, response) => {
    const isScript = request.url === '/game.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>A game</title><script src="/game.js"></script>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const address = pages.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  origin = `http://127.0.0.1:${address.port}`;
  game = await startGame({ CORS_ORIGINS: origin });
  browser = await launchChromium();
});

afterAll(async () => {
  if (CHROMIUM === undefined) return;
  await browser?.close();
  pages?.close();
  await endGame(game);
});

/** Client options that can be passed to a page: functions cannot. */
async function optionsOf(player: string) {
  const { url, projectId, publicKey } = game.options;
  return { url, projectId, publicKey, player };
}

test.skipIf(CHROMIUM === undefined)('a page calls, reads, writes and ranks, sealed where the project asks for it', async () => {
  await game.change({ enableEncryptedRequests: true });
  const page = await newPage();
  const played = await page.evaluate(
    async (options) => {
      const { createClient, inc } = savepoint;
      const client = createClient(options);
      const bought = await client.call('buy', { item: 'axe' });
      await client.documents('players').update(inc('gold', 5));
      const { version } = await client.documents('players').load();
      const poor = await client.tryCall('buy', { item: 'castle' });
      await client.documents('scores').save({ points: 3, name: 'Ada' });
      const shop = (await client.values()).constants['shop'];
      return { bought, version, code: poor.ok ? null : poor.error.code, gold: (await client.documents('players').get()).gold, shop };
    },
    await optionsOf(await game.newRich()),
  );
  expect(played).toEqual({ bought: { ok: true, price: 7, left: 3 }, version: 3, code: 'NO_ITEM', gold: 8, shop: { axe: 7 } });
  await page.close();
});

test.skipIf(CHROMIUM === undefined)(
  'a page that was closed offline sends what it had queued when it comes back, once; one page at a time',
  async () => {
    const options = await optionsOf(await game.newRich());
    const page = await newPage();
    const queued = await page.evaluate(async (given) => {
      const { createClient, inc, openQueue } = savepoint;
      const offline = createClient({ ...given, fetch: () => Promise.reject(new TypeError('offline')) });
      const queue = await openQueue(offline);
      await queue.update('players', inc('gold', 5));
      await queue.update('players', inc('gold', 1));
      const second = await openQueue(offline).catch((error: { readonly code: string }) => error.code);
      return [queue.size, second];
    }, options);
    expect(queued).toEqual([2, 'QUEUE_OPEN']);
    await page.reload();
    const gold = await page.evaluate(async (given) => {
      const { createClient, openQueue } = savepoint;
      const client = createClient(given);
      const storage = (globalThis as unknown as { readonly localStorage: Library.QueueStorage }).localStorage;
      await (await openQueue(client, { storage })).idle();
      return (await client.documents('players').get()).gold;
    }, options);
    expect(gold).toBe(16);
    await page.close();
  },
);

test.skipIf(CHROMIUM === undefined)(
  'two pages of a game are one guest, and what one had queued when it was closed the other sends, once',
  async () => {
    await game.change({ guestSignIn: true, requirePlayerAuth: true });
    const { url, projectId, publicKey } = game.options;
    const options = { url, projectId, publicKey };
    const profile = await browser.newContext();
    const [first, second] = await Promise.all([newPage(profile), newPage(profile)]);
    const signIn = async (given: typeof options) => {
      const client = savepoint.createClient(given);
      return (await savepoint.signInGuest(client)).id;
    };
    const ids = await Promise.all([first, second].map((page) => page.evaluate(signIn, options)));
    expect(new Set(ids).size).toBe(1);
    const queued = await first.evaluate(async (given) => {
      const { createClient, inc, openQueue, signInGuest } = savepoint;
      const storage = (globalThis as unknown as { readonly localStorage: Library.QueueStorage }).localStorage;
      // Its writes happen, but no answer arrives.
      const fetch = async (to: string, init: RequestInit) => {
        const response = await globalThis.fetch(to, init);
        if (init.method === 'GET') return response;
        throw new TypeError('offline');
      };
      const client = createClient({ ...given, fetch });
      await signInGuest(client);
      const queue = await openQueue(client, { storage });
      await queue.update('counters', inc('n', 5));
      await queue.update('counters', inc('n', 1));
      while (queue.state !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 5));
      return queue.size;
    }, options);
    expect(queued).toBe(2);
    const open = async (given: typeof options) => {
      const { createClient, openQueue, signInGuest } = savepoint;
      const storage = (globalThis as unknown as { readonly localStorage: Library.QueueStorage }).localStorage;
      const client = createClient(given);
      await signInGuest(client);
      try {
        await (await openQueue(client, { storage })).idle();
      } catch (error) {
        return Object(error).code;
      }
      return (await client.documents('counters').get()).n;
    };
    expect(await second.evaluate(open, options)).toBe('QUEUE_OPEN');
    await first.close();
    await expect.poll(() => second.evaluate(open, options), { timeout: 30_000 }).toBe(6);
    await profile.close();
    await game.change({ guestSignIn: false, requirePlayerAuth: false });
  },
);

test.skipIf(CHROMIUM === undefined)('a page whose network goes, and one that the browser froze, go on where they were', async () => {
  const player = await game.newRich();
  const profile = await browser.newContext();
  const page = await newPage(profile);
  const options = await optionsOf(player);
  const elsewhere = createClient(options).documents('players');
  await page.evaluate(async (given) => {
    const { createClient, memoryStorage, openLive, openQueue } = savepoint;
    const client = createClient(given);
    const me = openLive(client).document('players', () => undefined);
    await me.ready;
    globalThis.playing = { queue: await openQueue(client, { storage: memoryStorage() }), me };
  }, options);
  const shows = (gold: number) =>
    page.evaluate(async (wanted) => {
      while (playing.me.value?.gold !== wanted) await new Promise((resolve) => setTimeout(resolve, 5));
    }, gold);
  await profile.setOffline(true);
  await elsewhere.update(inc('gold', 1));
  await page.evaluate(
    async (op) => {
      await playing.queue.update('players', op);
      while (playing.queue.state !== 'waiting') await new Promise((resolve) => setTimeout(resolve, 5));
    },
    inc('gold', 5),
  );
  await profile.setOffline(false);
  await shows(16);
  const developer = await profile.newCDPSession(page);
  await developer.send('Page.setWebLifecycleState', { state: 'frozen' });
  await elsewhere.update(inc('gold', 1));
  await developer.send('Page.setWebLifecycleState', { state: 'active' });
  await shows(17);
  await profile.close();
});

test.skipIf(CHROMIUM === undefined)('a page follows its document, its own writes at once and those of others as they come', async () => {
  const player = await game.newRich();
  const page = await newPage();
  const options = await optionsOf(player);
  const seen = await page.evaluate(async (given) => {
    const { createClient, inc, openLive } = savepoint;
    const client = createClient(given);
    const live = openLive(client);
    const golds: [number, boolean][] = [];
    const me = live.document('players', (document, { isPending }) => golds.push([document.gold, isPending]));
    await me.ready;
    await client.documents('players').update(inc('gold', 5));
    // Another page of the same player.
    await createClient(given).documents('players').update(inc('gold', 1));
    while (me.value?.gold !== 16) await new Promise((resolve) => setTimeout(resolve, 5));
    live.close();
    return golds;
  }, options);
  expect(seen[0]).toEqual([10, false]);
  expect(seen[1]).toEqual([15, true]);
  expect(seen.at(-1)).toEqual([16, false]);
  await page.close();
});

test.skipIf(CHROMIUM === undefined)('a page holds no secret key', async () => {
  const page = await newPage();
  const codes = await page.evaluate(
    async (given) => {
      const { createClient } = savepoint;
      const made = (options: object) => {
        try {
          return createClient({ ...given, clientType: 'dedicated', ...options });
        } catch (error) {
          return (error as { readonly code: string }).code;
        }
      };
      return [made({ secretKey: 'platform_sk_x' }), made({ publicKey: 'platform_sk_x' })];
    },
    await optionsOf(game.newPlayer()),
  );
  expect(codes).toEqual(['SECRET_EXPOSED', 'SECRET_EXPOSED']);
  await page.close();
});

/** The part of a worker that is used here. Node's types do not include it. */
interface PageWorker {
  onmessage: (event: { readonly data: unknown }) => void;
  onerror: (event: { readonly message: string }) => void;
  postMessage(data: unknown): void;
}

test.skipIf(CHROMIUM === undefined)('a worker of a page plays as the page does, sealed calls included', async () => {
  await game.change({ enableEncryptedRequests: true });
  const page = await newPage();
  const played = await page.evaluate(
    (options) => {
      const { Worker, location } = globalThis as unknown as {
        readonly Worker: new (url: string) => PageWorker;
        readonly location: { readonly origin: string };
      };
      const program = `importScripts('${location.origin}/game.js');
        onmessage = async ({ data }) => {
          try {
            savepoint.createClient({ ...data, secretKey: 'platform_sk_x', clientType: 'dedicated' });
          } catch (error) {
            if (error.code !== 'SECRET_EXPOSED') throw error;
            data.revision = 7;
          }
          const client = savepoint.createClient(data);
          const { left } = await client.call('buy', { item: 'axe' });
          await client.documents('players').update(savepoint.inc('gold', 5));
          postMessage([left, (await client.documents('players').get()).gold, data.revision]);
        };`;
      const worker = new Worker(URL.createObjectURL(new Blob([program])));
      return new Promise<unknown>((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => resolve(message);
        worker.postMessage(options);
      });
    },
    await optionsOf(await game.newRich()),
  );
  expect(played).toEqual([3, 8, 7]);
  await page.close();
});
