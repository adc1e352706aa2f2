import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { type Client, createClient, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/**
 * Texts of many levels, sent to a node that has just started: a parser that recurses to the end of the stack took the process with it where V8
 * compiled a regular expression there, which it does only once.
 */
const DEEP: readonly [name: string, text: string][] = [
  ['lists in lists on a line', '- '.repeat(8_000)],
  ['a short text of brackets', '['.repeat(1_000)],
  ['many brackets', '['.repeat(100_000)],
  ['objects in objects', '{a: '.repeat(4_000)],
  ['names on one line', 'a: '.repeat(10_000)],
  ['names of names', 'a: b:\n'.repeat(4_000)],
  ['complex keys', '? '.repeat(8_000)],
  ['colons', ': '.repeat(8_000)],
  ['ever deeper lines', Array.from({ length: 600 }, (_, column) => `${' '.repeat(column)}a:`).join('\n')],
  ['names in an object', `{${'a: b: '.repeat(8_000)}}`],
  ['lists and objects in turn', '[{a: '.repeat(4_000)],
];

let node: Node;
let game: Client;

beforeAll(async () => {
  node = await startNode(newFolder());
  game = createClient(node.url, demoCredentials(node.data));
});

afterAll(async () => {
  game?.close();
  const ended = await node?.stop();
  removeFolders();
  expect(ended).toMatchObject({ code: 0, signal: null });
});

const source = (sourceText: string) => ({ kind: 'endpoint', id: 'deep', sourcePath: 'deep.endpoint.yml', sourceText });

test.each(DEEP)('%s: a push that is nested too deeply is refused, and the node goes on', async (_, text) => {
  const body = { endpoints: [source(text)] };
  expect(await refused(game.manage('POST', game.definitions('sync/preflight'), { body }))).toMatch(/^400 /);
  expect(await refused(game.manage('PUT', game.definitions('endpoints'), { body: [source(text)] }))).toMatch(/^400 /);
  expect(await refused(game.manage('POST', game.definitions('source-upgrade'), { body: source(text) }))).toMatch(/^400 /);
  await ok(game.send('GET', '/health'));
});

test('`check --offline` names the place in each file', async () => {
  const dir = newFolder();
  mkdirSync(join(dir, 'endpoints'));
  for (const [index, [, text]] of DEEP.entries()) writeFileSync(join(dir, 'endpoints', `deep-${index}.endpoint.yml`), text);
  const { code, signal, stdout } = await savepoint(['check', '--offline', '--dir', dir]);
  expect({ code, signal }).toEqual({ code: 1, signal: null });
  for (const index of DEEP.keys()) expect(stdout).toMatch(new RegExp(`endpoints/deep-${index}\\.endpoint\\.yml:\\d+:\\d+`));
});
