import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Client, createClient, ok, type Reply, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Queries that pass over all documents, and large boards: how much of a node they may use. */

let node: Node;
let game: Client;

const DOCUMENTS = 500;
const LARGE = 'x'.repeat(20_000);
const sources = [{ collectionId: 'saves' }];
/** Each of these is a scan of its own. */
const SUMS = Array.from({ length: 14 }, (_, n) => ({
  id: `sum${n}`,
  name: `Sum ${n}`,
  type: 'sum',
  sources,
  config: { valueExpression: `{{n}} + ${n}` },
}));
const QUERIES = [
  ...SUMS,
  { id: 'worth', name: 'Worth', sources, config: { valueExpression: '{{n}} * 10', limit: 50, columns: ['n'] } },
  { id: 'whole', name: 'Whole', sources, config: { field: 'n', limit: 1000 } },
  { id: 'whole-worth', name: 'Whole worth', sources, config: { valueExpression: '{{n}} * 10', limit: 1000 } },
  { id: 'lean', name: 'Lean', sources, config: { field: 'n', limit: 1000, columns: ['n'] } },
];

beforeAll(async () => {
  const data = newFolder();
  node = await startNode(data, { env: { DATABASE_URL: await migratedDatabase() } });
  game = createClient(node.url, demoCredentials(data));
  const collection = { id: 'saves', name: 'Saves', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
  await ok(game.manage('POST', game.definitions('collections'), { body: [collection] }));
  await ok(game.manage('POST', game.definitions('queries'), { body: QUERIES }));
  let next = 0;
  const plant = async () => {
    for (let n = next++; n < DOCUMENTS; n = next++) await ok(game.play('POST', game.storage(`saves/p${n}`), { body: { n, text: LARGE } }));
  };
  await Promise.all(Array.from({ length: 8 }, plant));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

const ask = (query: string) => game.play('GET', `/v3/queries/${game.projectId}/${query}`, {}, null);
const changed = (n: number) => ok(game.play('POST', game.storage(`saves/p${n}`), { body: { n, text: LARGE } }));
const codeOf = ({ status, body }: Reply) => (status === 200 ? '200' : `${status} ${Object(body).error.code}`);

/** All of one moment, because `/metrics` is made anew once a second. */
async function metrics(): Promise<(name: string) => number> {
  const { text } = await ok(game.send('GET', '/metrics'));
  return (name) => Number(new RegExp(`^savepoint_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('requests for one result share one scan, whatever page, player or rows around they ask for', async () => {
  const asked = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? `worth?offset=${n}&limit=1` : `worth?platformId=p${n}&around=1`));
  const answers = await Promise.all(asked.map(async (query) => Object((await ok(ask(query))).body)));
  for (const [n, { entries, player }] of answers.entries()) {
    if (n % 2 === 0)
      expect(entries).toEqual([
        { rank: n + 1, key: `p${499 - n}`, value: (499 - n) * 10, data: { n: 499 - n }, outputValues: { n: 499 - n } },
      ]);
    else expect([player.key, player.rank, entries.length]).toEqual([`p${n}`, 500 - n, 3]);
  }
  expect(new Set(answers.map(({ generatedAt }) => generatedAt)).size).toBe(1);
  // Also those that come later, as long as no document changes.
  const later = Object((await ok(ask('worth?platformId=p77'))).body);
  expect([later.player.rank, later.generatedAt, later.fromCache]).toEqual([423, answers[0].generatedAt, true]);
});

test('documents that change all the time refuse nobody: who asks while a scan waits for its turn shares it, and sees what had changed', async () => {
  const answers: Promise<readonly [code: string, isCurrent: boolean]>[] = [];
  const read = async (n: number) => {
    const reply = await ask('worth?platformId=p7&limit=1');
    return [codeOf(reply), Object(reply.body).player?.value >= n * 10] as const;
  };
  for (let n = 1_000; n < 1_040; n += 1) {
    await ok(game.play('POST', game.storage('saves/p7'), { body: { n, text: LARGE } }));
    answers.push(read(n));
  }
  const told = await Promise.all(answers);
  await changed(7);
  expect(told).toEqual(told.map(() => ['200', true]));
});

test('a project scans one after the other, with a short line; nobody else waits for it', async () => {
  await changed(1);
  const done: string[] = [];
  const asked = SUMS.map(async ({ id }) => {
    const reply = await ask(id);
    done.push(codeOf(reply));
    return reply;
  });
  // Now the queue is full.
  await expect.poll(() => done).toContain('503 BUSY');
  const write = changed(2).then(() => done.push('write'));
  const health = ok(game.send('GET', '/health')).then(() => done.push('health'));
  const replies = await Promise.all(asked);
  await Promise.all([write, health]);
  const busy = replies.filter(({ status }) => status === 503);
  expect(replies.map(codeOf).sort()).toEqual([...Array(9).fill('200'), ...Array(5).fill('503 BUSY')]);
  expect(busy.map(({ headers }) => headers['retry-after'])).toEqual(Array(5).fill('1'));
  expect(done.at(-1)).toBe('200');
  await expect.poll(async () => (await metrics())('scans_refused_total')).toBe(5);
});

test('a scan is dropped when whoever asked for it leaves, in the line and while it runs', async () => {
  await changed(3);
  const now = await metrics();
  const [scans, refusals] = [now('scan_seconds_count'), now('scans_refused_total')];
  const headers = { 'x-public-key': game.publicKey };
  let refusedOnes = 0;
  const requests = SUMS.map(({ id }) => {
    const outgoing = request(`${node.url}/v3/queries/${game.projectId}/${id}`, { headers }, ({ statusCode }) => {
      if (statusCode === 503) refusedOnes += 1;
    });
    outgoing.on('error', () => undefined);
    return outgoing.end();
  });
  // Now the queue is full.
  await vi.waitFor(() => expect(refusedOnes).toBeGreaterThan(0), 60_000);
  for (const outgoing of requests) outgoing.destroy();
  const then = await vi.waitFor(async () => {
    const text = await metrics();
    if (text('scans_refused_total') === refusals || text('scans_running') + text('scans_waiting') > 0) throw new Error('they go on');
    return text;
  }, 60_000);
  // The one that ran, and some more that got their turn before their closed connections were noticed.
  expect(then('scan_seconds_count') - scans).toBeLessThan(6);
});

test.each(['whole', 'whole-worth'])('rows that come to more than an answer holds are refused with the cure: %s', async (query) => {
  const reply = await ask(query);
  expect(codeOf(reply)).toBe('413 RESULT_TOO_LARGE');
  expect(Object(reply.body).message).toMatch(/columns.*limit/);
  expect(Object((await ok(ask(`${query}?limit=20`))).body).entries).toHaveLength(20);
  expect(await refused(ask(`${query}?platformId=p250&around=200`))).toBe('413 RESULT_TOO_LARGE');
});

test('the columns of more documents than one answer holds are shown, in pages', async () => {
  const { entries, total } = Object((await ok(ask('lean'))).body);
  expect([entries.length, total, entries[0], entries[499]]).toEqual([
    500,
    500,
    { rank: 1, key: 'p499', value: 499, data: { n: 499 }, outputValues: { n: 499 } },
    { rank: 500, key: 'p0', value: 0, data: { n: 0 }, outputValues: { n: 0 } },
  ]);
  const near = Object((await ok(ask('lean?platformId=p250&around=240'))).body);
  expect([near.entries.length, near.entries[0].rank, near.player.rank, near.entries[240].key]).toEqual([481, 10, 250, 'p250']);
  expect(Object((await ok(ask('lean?platformId=p3'))).body).player).toMatchObject({ rank: 497, value: 3 });
});

test('a client that has ended its side of the connection still gets the answer of a scan', async () => {
  await changed(4);
  const { port } = new URL(node.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.end(`GET /v3/queries/${game.projectId}/sum0 HTTP/1.1\r\nHost: x\r\nx-public-key: ${game.publicKey}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  expect(answer).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"sum":124750/);
});
