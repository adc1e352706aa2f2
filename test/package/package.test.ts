import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CHROMIUM, launchChromium } from '../../infra/harness/chromium.ts';
import { ownEnvironment } from '../../infra/harness/node.ts';
import { blocksOf, ROOT } from '../docs/support/pages.ts';
import { newFolder, removeFolders } from '../node/support/program.ts';

vi.setConfig({ testTimeout: 600_000 });

/** What `npm pack` makes, installed into an empty folder: nothing of the repository is there. */

const execute = promisify(execFile);
const packed = newFolder();
const game = newFolder();
let files: readonly string[];

const FLAGS = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

/** Runs a program in the folder of the game, with nothing of the tests' environment. */
const inGame = (program: string, args: readonly string[], settings = {}) =>
  execute(program, args, { cwd: game, env: ownEnvironment(settings) });

/** Whom this machine trusts besides: a registry may be reached through a proxy. */
const trusted = () => {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
};

beforeAll(async () => {
  // It is built already.
  const { stdout } = await execute('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', packed], { cwd: ROOT });
  const [pack]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
  files = pack?.files.map(({ path }) => path) ?? [];
  writeFileSync(join(game, 'package.json'), '{ "private": true, "type": "module" }');
  await inGame('npm', ['install', ...FLAGS, join(packed, pack?.filename ?? '')], trusted());
  // 140 packages, over a network.
}, 600_000);

afterAll(removeFolders);

/** What may be in the package, and why. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/, 'what npm and its readers look for'],
  [/^bin\/savepoint\.js$/, 'the program'],
  [/^dist\/program\/[\w-]+\.js$/, 'what it runs'],
  [/^dist\/(?:src|projections)\/.*\.sql$/, 'the tables that it makes'],
  [/^dist\/src\/client\/[\w-]+\.js$/, 'the client library, whose modules a page takes one by one'],
  [/^dist\/src\/http\/manual\/pages\/[\w-]+\.md$/, 'the manual'],
  [/^dist\/src\/http\/reference\//, 'the page of the API, and the licences of what it shows'],
  [
    /^dist\/src\/(?:index|client\/[\w-]+|contract\/(?:routes\/)?[\w-]+|kernel\/(?:errors|json-value))\.d\.ts$/,
    'types of what can be imported',
  ],
  [/^dist\/console\/(?:index\.html|chunks\.json|assets\/[\w.-]+\.(?:js|css|svg))$/, 'the page of the console'],
  [/^dist\/infra\/examples\/game\/(?:web\/)?[\w.-]+$/, 'the template of a browser game'],
  [/^docs\/schemas\/[\w-]+\.json$/, 'help of editors for source files'],
];

test('there is a reason for every file', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((path) => !REASONS.some(([pattern]) => pattern.test(path)))).toEqual([]);
});

test('no file points to a source map, which is not there', () => {
  const built = files.filter((path) => path.startsWith('dist/') && path.endsWith('.js') && !path.includes('/reference/'));
  expect(built.filter((path) => /^\/\/# sourceMappingURL=/m.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

test('what the server imports is a dependency, not one of development', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const imported = ['src', 'projections', 'infra/postgres'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      // The page of the console is built before it is packed.
      .filter((path) => path.endsWith('.ts') && !path.startsWith('console/'))
      .flatMap((path) => [
        ...readFileSync(join(ROOT, folder, path), 'utf8').matchAll(/(?:from |import\()'(@[\w-]+\/[\w-]+|[a-z][\w-]*)[/']/g),
      ])
      .map(([, name = '']) => name),
  );
  expect([...new Set(imported)].filter((name) => name !== 'savepoint' && !(name in dependencies))).toEqual([]);
});

test('on a bare machine `savepoint init game`, `cd game`, `savepoint dev` is a game that is played', async () => {
  const { stdout } = await inGame('npx', ['--no-install', 'savepoint', 'init', 'game']);
  expect(stdout).toContain('\n  npx savepoint dev ');
  const folder = join(game, 'game');
  const dev = spawn(join(game, 'node_modules/.bin/savepoint'), ['dev'], { cwd: folder, env: ownEnvironment() });
  await printed(dev, 'pushed to next: ');
  const { url, projectId, publicKey } = JSON.parse(readFileSync(join(folder, 'savepoint.credentials.json'), 'utf8'));
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  expect(await (await fetch(`${url}/manual/security`)).text()).toContain('<h1 id="security-and-game-revisions">');
  // Its project has players proven, and its devices are guests.
  const device = {
    'x-public-key': publicKey,
    'x-platform-token': `ns_guest_${randomBytes(32).toString('base64url')}`,
    'content-type': 'application/json',
  };
  const registered = await fetch(`${url}/v3/guests/${projectId}/register`, { method: 'POST', headers: device, body: '{}' });
  const { player }: { player: string } = JSON.parse(await registered.text());
  const headers = { ...device, 'x-platform-id': player, 'x-ns-publish-target': 'next' };
  const played = await fetch(`${url}/v3/endpoints/${projectId}/find-gold`, { method: 'POST', headers, body: '{"input":{}}' });
  expect(JSON.parse(await played.text())).toMatchObject({ ok: true, found: expect.any(Number) });
  const ended = new Promise((resolve) => dev.once('close', resolve));
  dev.kill('SIGTERM');
  expect(await ended).toBe(0);
});

/** What is used of playwright-core, whose own types ask for those of the DOM. */
interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  textContent(selector: string): Promise<string | null>;
  waitForFunction(look: string): Promise<unknown>;
  on(event: 'pageerror', hear: (error: Error) => void): void;
  context(): { newPage(): Promise<Page>; setOffline(isOffline: boolean): Promise<void> };
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  evaluate<Value>(look: string): Promise<Value>;
  close(): Promise<void>;
}
interface Browser {
  newContext(): Promise<{ newPage(): Promise<Page>; setDefaultTimeout(ms: number): void }>;
  close(): Promise<void>;
}
if (CHROMIUM === undefined) console.warn('SKIPPED: no chromium is installed, so the first hour ends before its page is played');

test('the first hour: init, dev, types, promote, a page; its visitor is a guest, is told what is too dear, digs, and buys', async () => {
  await inGame('npx', ['--no-install', 'savepoint', 'init', 'gold-rush', '--template', 'browser']);
  const folder = join(game, 'gold-rush');
  const web = join(folder, 'web');
  const pages = await served(join(web, 'dist'));
  const env = ownEnvironment({ CORS_ORIGINS: pages.origin });
  const dev = spawn(join(game, 'node_modules/.bin/savepoint'), ['dev'], { cwd: folder, env });
  await printed(dev, '2 of 2 tests');
  await execute(join(game, 'node_modules/.bin/savepoint'), ['promote', '--yes'], { cwd: folder, env });
  // What `npm install` makes of the page's package.json.
  const { dependencies }: { dependencies: { savepoint: string } } = JSON.parse(readFileSync(join(web, 'package.json'), 'utf8'));
  mkdirSync(join(web, 'node_modules'));
  symlinkSync(join(web, dependencies.savepoint.replace('file:', '')), join(web, 'node_modules/savepoint'));
  for (const name of ['vite', '@types']) symlinkSync(join(ROOT, 'node_modules', name), join(web, 'node_modules', name));
  await execute(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', web]);
  await build({ root: web, logLevel: 'error' });
  const { secretKey } = JSON.parse(readFileSync(join(folder, 'savepoint.credentials.json'), 'utf8'));
  const scripts = readdirSync(join(web, 'dist/assets')).map((name) => readFileSync(join(web, 'dist/assets', name), 'utf8'));
  expect(scripts.join('')).not.toContain(secretKey);
  if (CHROMIUM !== undefined) await play(pages.origin);
  pages.close();
  const ended = new Promise((resolve) => dev.once('close', resolve));
  dev.kill('SIGTERM');
  expect(await ended).toBe(0);
});

async function play(origin: string): Promise<void> {
  const browser = await launchChromium<Browser>();
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    const shows = (selector: string, text: string) =>
      page.waitForFunction(`document.querySelector('${selector}')?.textContent === ${JSON.stringify(text)}`);
    await page.goto(origin);
    await page.waitForFunction(`document.querySelector('#name').value.startsWith('Digger ')`);
    await page.fill('#name', '<b>Ada</b>');
    await page.click('#upgrade');
    await shows('#message', 'Dig some gold first.');
    while (Number(await page.textContent('#gold')) < 25) {
      const before = await page.textContent('#gold');
      await page.click('#dig');
      await page.waitForFunction(`document.querySelector('#gold').textContent !== '${before}'`);
    }
    const gold = Number(await page.textContent('#gold'));
    await page.click('#upgrade');
    await shows('#message', 'A sharper pickaxe: every swing finds more.');
    // The shop's answer, the ledger and the leaderboard say the same.
    await shows('#gold', String(gold - 25));
    await shows('#tool', '2');
    await shows('#upgrade', 'Better pickaxe: 50 gold');
    await shows('#entries li', `bought a tool-25${gold - 25}`);
    await shows('li.own .name', '<b>Ada</b>');
    await shows('li.own .value', String(gold - 25));
    // It is the same guest when it comes back.
    await page.reload();
    await shows('#gold', String(gold - 25));
    await playOn(page, origin);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}

/** Without a connection on a phone, and in a second tab. */
async function playOn(first: Page, origin: string): Promise<void> {
  const until = (page: Page, text: string, isShown = true) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)}) === ${isShown}`);
  const gold = (page: Page) => page.evaluate<number>("Number(document.querySelector('#gold').textContent)");
  await first.setViewportSize({ width: 390, height: 844 });
  expect(await first.evaluate('document.documentElement.scrollWidth')).toBe(390);

  const second = await first.context().newPage();
  await second.goto(origin);
  await until(second, 'open in another tab');
  await until(first, 'open in another tab', false);
  const before = await gold(second);
  await second.click('#dig');
  await second.waitForFunction(`Number(document.querySelector('#gold').textContent) > ${before}`);

  await first.context().setOffline(true);
  await second.click('#dig');
  await until(second, 'No connection. Try again');
  await first.click('#dig');
  await first.click('#dig');
  await until(first, '2 swings wait');
  // The second tab takes over what waits in the first.
  await first.close();
  await until(second, 'open in another tab', false);
  await until(second, '2 swings wait');
  const kept = await gold(second);
  await first.context().setOffline(false);
  await second.waitForFunction(`Number(document.querySelector('#gold').textContent) >= ${kept + 2}`);
  await until(second, 'swings wait', false);
  await second.close();
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Serves the files of a folder, as any web server does. */
async function served(folder: string): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, url === '/' ? 'index.html' : url);
    response.writeHead(existsSync(path) ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'text/plain' });
    response.end(existsSync(path) ? readFileSync(path) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

/** Waits until a program has printed this. Fails with all its output when it ends before. */
function printed({ stdout, stderr }: ChildProcessWithoutNullStreams, text: string): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(text)) resolve();
    });
    stdout.once('close', () => reject(new Error(`it ended: ${output}`)));
  });
}

test('docs/embedding.md: a game’s own test starts a node, plays on it, and its process ends', async () => {
  const [program = ''] = blocksOf('docs/embedding.md').flatMap(({ info, text }) => (info === 'js run' ? [text] : []));
  writeFileSync(join(game, 'game.test.mjs'), program);
  const { stdout } = await inGame(process.execPath, ['--test', 'game.test.mjs']);
  expect(stdout).toMatch(/pass 1\b/);
});

test('an option or a setting that startNode does not have is refused, with the one that is meant', async () => {
  const tried = `import { startNode } from 'savepoint';
for (const options of [{ data: 'x' }, { datadir: 'x' }, { settings: { CORS_ORIGIN: '*' } }]) await startNode(options).catch(({ message }) => console.log(message));`;
  const { stdout } = await inGame(process.execPath, ['--input-type=module', '--eval', tried]);
  expect(stdout.trim().split('\n')).toEqual([
    '`data` is no option of startNode.',
    "`datadir` is no option of startNode. Did you mean 'dataDir'?",
    "`CORS_ORIGIN` is no setting. Did you mean 'CORS_ORIGINS'?",
  ]);
});

test('a node that is closed as soon as it has started ends without a word', async () => {
  // Once it makes its database, and then it finds it.
  const program = `import { startNode } from 'savepoint';
for (const dataDir of [undefined, 'closed', 'closed', 'closed']) await (await startNode(dataDir && { dataDir })).close();`;
  expect(await inGame(process.execPath, ['--input-type=module', '--eval', program])).toEqual({ stdout: '', stderr: '' });
});

const TYPED = `import { type Node, startNode } from 'savepoint';
import { createClient, inc, openQueue, memoryStorage, type Result } from 'savepoint/client';

interface Game {
  documents: { players: { gold: number } };
  endpoints: { buy: { input: { item: string }; answer: { left: number }; refusals: 'TOO_POOR' } };
  queries: { top: { name: string } };
  values: { shop: { axe: number } };
}
const node: Node = await startNode({ settings: { CORS_ORIGINS: 'http://localhost' } });
const client = createClient<Game>(await node.createProject());
const bought: Result<{ left: number }, 'TOO_POOR'> = await client.tryCall('buy', { item: 'axe' });
const { version } = await client.documents('players').update(inc('gold', 5));
const after: number | undefined = version;
// @ts-expect-error no such field
await client.documents('players').update(inc('silver', 5));
const name: string | undefined = (await client.leaderboard('top')).entries[0]?.data.name;
await openQueue(client, { storage: memoryStorage() });
export { after, bought, name };
`;

test('both entries have their types, which are complete, for a page that knows nothing of Node', async () => {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(game, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['game.ts'] }));
  writeFileSync(join(game, 'game.ts'), TYPED);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await inGame(process.execPath, [compiler, '-p', game]).catch((error: { readonly stdout: string }) => error);
  expect(stdout).toBe('');
});
