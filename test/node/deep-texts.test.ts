import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { NO_HASH, seal } from '../../src/log/chain.ts';
import { openFileTarget } from '../../src/log/file/target.ts';
import { projectStream } from '../../src/log/streams.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject } from './support/command-line.ts';
import { type Client, createClient, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/**
 * Texts of many levels, sent to a node that has just started: a parser that recurses to the end of the stack took the process with it where
 * V8 compiled a regular expression there, which it does only once.
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
let workers: Node;
let game: Client;
let database: string;

beforeAll(async () => {
  node = await startNode(newFolder(), { env: { DATABASE_URL: await migratedDatabase() } });
  game = createClient(node.url, demoCredentials(node.data));
  database = await migratedDatabase();
  workers = await startNode(newFolder(), { env: { DATABASE_URL: database }, args: ['--workers', '2', '--no-demo'] });
});

afterAll(async () => {
  game?.close();
  const ended = [await node?.stop(), await workers?.stop()];
  removeFolders();
  expect(ended).toMatchObject([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
});

const source = (sourceText: string) => ({ kind: 'endpoint', id: 'deep', sourcePath: 'deep.endpoint.yml', sourceText });

test.each(DEEP)('%s: a push that is nested too deeply is refused, and the node goes on', async (_, text) => {
  const body = { endpoints: [source(text)] };
  expect(await refused(game.manage('POST', game.definitions('sync/preflight'), { body }))).toMatch(/^400 /);
  expect(await refused(game.manage('PUT', game.definitions('endpoints'), { body: [source(text)] }))).toMatch(/^400 /);
  expect(await refused(game.manage('POST', game.definitions('source-upgrade'), { body: source(text) }))).toMatch(/^400 /);
  await ok(game.send('GET', '/health'));
});

test('nor does a worker end by one', async () => {
  const crew = createClient(workers.url, await newProject({ DATABASE_URL: database }, 'Crew'));
  for (const [, text] of DEEP)
    expect(await refused(crew.manage('POST', crew.definitions('sync/preflight'), { body: { endpoints: [source(text)] } }))).toMatch(
      /^400 /,
    );
  await ok(crew.send('GET', '/health'));
  crew.close();
  expect(workers.stderr()).not.toMatch(/worker .*(?:ended|died|stopped)/i);
});

test('`log copy` of a file with an event of many levels says what is wrong', async () => {
  const deep = (open: string, close: string) => `{"a":${open.repeat(100_000)}1${close.repeat(100_000)}}`;
  for (const [name, data] of [
    ['lists', deep('[', ']')],
    ['tags', deep('{"$n":', '}')],
  ] as const) {
    const file = join(newFolder(), `${name}.ndjson.gz`);
    await writeLog(file, data);
    const env = { DATABASE_URL: await migratedDatabase() };
    const { code, signal, stdout, stderr } = await savepoint(['log', 'copy', '--from', `file:${file}`], { env });
    expect({ code, signal, said: `${stdout}${stderr}` }).toEqual({
      code: 1,
      signal: null,
      said: expect.stringContaining('project-p1@0 is nested more deeply than any event'),
    });
  }
});

/** Writes a file as `log copy` does, with one sealed event. */
async function writeLog(file: string, data: string): Promise<void> {
  const metadata = JSON.stringify({ commandId: 'c', cause: 'test', actor: { kind: 'operator' }, schemaVersion: 1, recordedAt: 0 });
  const { event } = seal(NO_HASH, { id: randomUUID(), type: 'document.written', metadata, data });
  const target = await openFileTarget(file);
  await target.append(projectStream('p1'), 'none', [event]);
  await target.settle(true);
  await target.close();
}

test('`check --offline` names the place in each file', async () => {
  const dir = newFolder();
  mkdirSync(join(dir, 'endpoints'));
  for (const [index, [, text]] of DEEP.entries()) writeFileSync(join(dir, 'endpoints', `deep-${index}.endpoint.yml`), text);
  const { code, signal, stdout } = await savepoint(['check', '--offline', '--dir', dir]);
  expect({ code, signal }).toEqual({ code: 1, signal: null });
  for (const index of DEEP.keys()) expect(stdout).toMatch(new RegExp(`endpoints/deep-${index}\\.endpoint\\.yml:\\d+:\\d+`));
});
