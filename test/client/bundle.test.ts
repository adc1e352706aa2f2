import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/client');

/** The bundle that a game with these lines loads. */
async function bundled(lines: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: lines, resolveDir: FOLDER, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    treeShaking: true,
  });
  return outputFiles[0]?.text ?? '';
}

const GAME = `import { createClient, inc } from './index.ts';
const client = createClient({ url: 'https://play.example.com', projectId: 'p', publicKey: 'k' });
await client.call('buy', { item: 'axe' });
await client.documents('players').update(inc('gold', 5));
await client.leaderboard('top', { own: true });`;

test('a small game loads at most 13.5 KB of the library, and a game that uses all of it less than 28 KB', async () => {
  const [game, whole] = await Promise.all([bundled(GAME), bundled("export * from './index.ts';")]);
  const [gameBytes, wholeBytes] = [game, whole].map((text) => gzipSync(text).length);
  console.info(`client library, minified and gzipped: ${gameBytes} bytes for a small game, ${wholeBytes} for all of it`);
  expect(gameBytes).toBeLessThanOrEqual(13_500);
  expect(wholeBytes).toBeLessThan(28 * 1024);
});

test('a game does not load what it does not use', async () => {
  const game = await bundled(GAME);
  const whole = await bundled("export * from './index.ts';");
  // Texts of the queue, the host, the files, guests, the live stream, revisions, lobbies, reports and their switches, which survive
  // minifying.
  const texts = ['savepoint-queue', 'x-on-behalf-of-token', 'fsyncSync', 'savepoint-guest', 'listener of live values'];
  for (const text of [...texts, 'AnswerDetected', 'ManualTest', 'ns_mig_rev', 'heartbeat', 'managedVoice', 'listener to the save state']) {
    expect(whole).toContain(text);
    expect(game).not.toContain(text);
  }
});

test('loading the library has no side effects, so a bundler may drop unused parts', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "import './index.ts';", resolveDir: FOLDER, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    treeShaking: true,
    ignoreAnnotations: true,
  });
  expect(outputFiles[0]?.text).toBe('');
  const { sideEffects }: { sideEffects: readonly string[] } = JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8'));
  expect(sideEffects.filter((path) => !/^\.\/(?:bin|dist\/program)\//.test(path))).toEqual([]);
});

test('the library uses nothing that a browser lacks', async () => {
  expect(await bundled("export * from './index.ts';")).not.toMatch(/from ?["']|require\(|import\(/);
});
