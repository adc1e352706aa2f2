import { execFile, spawn } from 'node:child_process';
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
});

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

test('the program answers, and a node starts on a bare folder and stops when it is told to', async () => {
  const { stdout } = await inGame('npx', ['--no-install', 'savepoint', '--help']);
  expect(stdout).toContain('savepoint [options] [command]');
  const node = spawn(join(game, 'node_modules/.bin/savepoint'), ['start', '--port', '0'], { cwd: game, env: ownEnvironment() });
  const printed: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    node.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    node.stdout.on('data', (chunk: Buffer) => {
      printed.push(chunk.toString());
      const [, found] = /savepoint is ready on (\S+)/.exec(printed.join('')) ?? [];
      if (found !== undefined) resolve(found);
    });
    node.once('close', () => reject(new Error(`it ended: ${printed.join('')}`)));
  });
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  const ended = new Promise((resolve) => node.once('close', resolve));
  node.kill('SIGTERM');
  expect(await ended).toBe(0);
});

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
