import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/client');

/** What a game loads for these lines, as its bundler makes it. */
async function bundled(lines: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: lines, resolveDir: FOLDER, loader: 'ts' },
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', treeShaking: true },
  });
  return outputFiles[0]?.text ?? '';
}

const GAME = `import { createClient, inc } from './index.ts';
const client = createClient({ url: 'https://play.example.com', projectId: 'p', publicKey: 'k' });
await client.call('buy', { item: 'axe' });
await client.documents('players').update(inc('gold', 5));
await client.leaderboard('top', { own: true });`;

test('a small game loads less than 15 KB for it, and one that uses all of it less than 20 KB', async () => {
  const [game, whole] = await Promise.all([bundled(GAME), bundled("export * from './index.ts';")]);
  const [gameBytes, wholeBytes] = [game, whole].map((text) => gzipSync(text).length);
  console.info(`client library, minified and gzipped: ${gameBytes} bytes for a small game, ${wholeBytes} for all of it`);
  expect(gameBytes).toBeLessThan(15 * 1024);
  expect(wholeBytes).toBeLessThan(20 * 1024);
});

test('a game does not load what it does not use', async () => {
  const game = await bundled(GAME);
  const whole = await bundled("export * from './index.ts';");
  // Texts survive minifying: of the queue, the host, the files, guests, the live stream.
  for (const text of ['savepoint-queue', 'x-on-behalf-of-token', 'fsyncSync', 'savepoint-guest', 'listener of live values']) {
    expect(whole).toContain(text);
    expect(game).not.toContain(text);
  }
});

test('loading it does nothing, so a bundler may leave out what is not used, as `sideEffects` says', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "import './index.ts';", resolveDir: FOLDER, loader: 'ts' },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022', treeShaking: true, ignoreAnnotations: true },
  });
  expect(outputFiles[0]?.text).toBe('');
  const { sideEffects }: { sideEffects: readonly string[] } = JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8'));
  expect(sideEffects.filter((path) => !/^\.\/(?:bin|dist\/src\/(?!client))/.test(path))).toEqual([]);
});

test('it asks for nothing that a browser has not', async () => {
  expect(await bundled("export * from './index.ts';")).not.toMatch(/from ?["']|require\(|import\(/);
});
