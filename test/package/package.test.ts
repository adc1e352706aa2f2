import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownEnvironment } from '../../infra/harness/node.ts';
import { blocksOf, ROOT } from '../docs/support/pages.ts';
import { newFolder, removeFolders } from '../node/support/program.ts';

/** What `npm pack` makes, installed into an empty folder: nothing of the repository is there. */

const execute = promisify(execFile);
const packed = newFolder();
const game = newFolder();
let files: readonly string[];

const FLAGS = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

/** Runs a program in the folder of the game, with nothing of the tests' environment. */
const inGame = (program: string, args: readonly string[]) => execute(program, args, { cwd: game, env: ownEnvironment() });

beforeAll(async () => {
  // It is built already.
  const { stdout } = await execute('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', packed], { cwd: ROOT });
  const [pack]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
  files = pack?.files.map(({ path }) => path) ?? [];
  writeFileSync(join(game, 'package.json'), '{ "private": true, "type": "module" }');
  await inGame('npm', ['install', ...FLAGS, join(packed, pack?.filename ?? '')]);
  // 140 packages, over a network.
}, 300_000);

afterAll(removeFolders);

/** What may be in the package, and why. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/, 'what npm and its readers look for'],
  [/^bin\/savepoint\.js$/, 'the program'],
  [/^dist\/(?:src|projections|infra\/postgres)\/.*\.(?:js|sql)$/, 'what it runs'],
  [/^dist\/src\/http\/reference\//, 'the page of the API, and the licences of what it shows'],
  [
    /^dist\/src\/(?:index|client\/[\w-]+|contract\/(?:routes\/)?[\w-]+|kernel\/(?:errors|json-value))\.d\.ts$/,
    'types of what can be imported',
  ],
  [/^docs\/schemas\/[\w-]+\.json$/, 'help of editors for source files'],
];

test('there is a reason for every file', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((path) => !REASONS.some(([pattern]) => pattern.test(path)))).toEqual([]);
});

test('no file points to a source map, which is not there', () => {
  const built = files.filter((path) => path.startsWith('dist/') && path.endsWith('.js') && !path.includes('/reference/'));
  expect(built.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes('sourceMappingURL'))).toEqual([]);
});

test('what the server imports is a dependency, not one of development', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const imported = ['src', 'projections', 'infra/postgres'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => [
        ...readFileSync(join(ROOT, folder, path), 'utf8').matchAll(/(?:from |import\()'(@[\w-]+\/[\w-]+|[a-z][\w-]*)[/']/g),
      ])
      .map(([, name = '']) => name),
  );
  expect([...new Set(imported)].filter((name) => name !== 'savepoint' && !(name in dependencies))).toEqual([]);
});

test('on a bare machine `savepoint init game`, `cd game`, `savepoint dev` is a game that is played', async () => {
  await inGame('npx', ['--no-install', 'savepoint', 'init', 'game']);
  const folder = join(game, 'game');
  const dev = spawn(join(game, 'node_modules/.bin/savepoint'), ['dev'], { cwd: folder, env: ownEnvironment() });
  await printed(dev, 'pushed to next: ');
  const { url, projectId, publicKey } = JSON.parse(readFileSync(join(folder, 'savepoint.credentials.json'), 'utf8'));
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
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
    ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'ESNext', moduleResolution: 'Bundler' },
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
  };
  writeFileSync(join(game, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['game.ts'] }));
  writeFileSync(join(game, 'game.ts'), TYPED);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await inGame(process.execPath, [compiler, '-p', game]).catch((error: { readonly stdout: string }) => error);
  expect(stdout).toBe('');
});
