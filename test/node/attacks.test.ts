import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, PLAYER, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What an attacker would send to the running program. Each of these once stalled it, filled its log or got a 500. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let game: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env });
  game = createClient(node.url, demoCredentials(node.data));
  await publishGame(game);
  const rules = [{ name: 'World', collection: 'towns', field: 'sold', scope: 'per_player', window: 'perDay', limit: 50, action: 'reject' }];
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules } }));
});

afterAll(async () => {
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  game.close();
  await verified(env);
  await node.stop();
  removeFolders();
});

/** A write and the view of it, which shows that the read models still move. */
async function viewsMove(gold: number): Promise<void> {
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold } }));
  const ledger = await eventually('a ledger that shows the write', async () => {
    const answer = await ok(game.play('GET', game.storage(`players/${PLAYER}/ledger?limit=100`)));
    return answer.headers['x-ns-stale'] === undefined && answer;
  });
  expect(Object(ledger.body).entries.at(-1)).toMatchObject({ after: gold });
}

// Random text, because an index compresses what repeats.
const LONG_ID = Array.from({ length: 6_000 }, () => Math.random().toString(36).slice(2, 3)).join('');

test.each([
  ['header', { headers: { 'x-platform-id': LONG_ID } }, ''],
  ['query', {}, `?platformId=${LONG_ID}`],
  ['U+0000 in the query', {}, '?platformId=7%00'],
])('a claimed id that no index could hold is refused before it is stored: %s', async (_, sent, query) => {
  const body = { ops: [{ op: 'inc', path: 'sold', value: 1 }] };
  expect(await refused(game.play('POST', game.storage(`towns/market${query}`), { ...sent, body }, null))).toBe('400 INVALID_PLATFORMID');
  await viewsMove(LONG_ID.length + query.length);
});

test('U+0000 in the path of a record is a record that is not there', async () => {
  expect(await refused(game.play('GET', game.storage('feed/record/%00')))).toBe('404 NOT_FOUND');
});

test('U+0000 in the id of a player whose flagged writes are asked for is refused', async () => {
  expect(await refused(game.manage('GET', game.definitions('flags?platformId=7%00')))).toBe('400 INVALID_PLATFORMID');
});

test('what no body may hold is refused in the query of a GET call, too: written, it stopped the ledger, or nobody could read it', async () => {
  const ops = [
    { op: 'inc', path: 'gold', value: 1, source: '{{input.why}}' },
    { op: 'set', path: 'sent', value: '{{input}}' },
  ];
  const steps = [{ id: 'w', type: 'write', collection: 'players', key: PLAYER, ops }];
  const endpoint = { id: 'told', slug: 'told', method: 'GET', steps, response: { status: 200, body: { ok: true } } };
  await ok(game.manage('PATCH', game.definitions('endpoints'), { body: endpoint }));
  const call = (query: string) => game.play('GET', `${game.endpoint('told')}?${query}`);
  for (const query of ['why=a%00b', 'why=a&b%00c=1', '__proto__=1', '__prot%6f__=1']) {
    expect(await refused(call(query))).toBe('400 INVALID_INPUT');
  }
  await ok(call('why=shop&half=%ED%A0%80&percent=%zz'));
  await viewsMove(91);
});

test('a leaderboard over a field too long to be a key fails alone', async () => {
  const config = { field: LONG_ID, order: 'desc' };
  const query = { id: 'long', name: 'Long', type: 'leaderboard', sources: [{ collectionId: 'scores' }], config };
  await ok(game.manage('POST', game.definitions('queries'), { body: [query] }));
  await viewsMove(77);
});

test('definitions of many commits: one text of 700 KB, a thousand small ones, and both are there afterwards', async () => {
  const endpoint = (id: string, text: string) => ({ id, slug: id, method: 'POST', steps: [], response: { status: 200, body: { text } } });
  const push = (body: unknown) => ok(game.manage('PUT', game.definitions('endpoints'), { body }));
  await push([endpoint('large', 'x'.repeat(700_000))]);
  await push(Array.from({ length: 1_000 }, (_, n) => endpoint(`small-${n}`, String(n))));
  expect(await bodyOf(game.play('POST', game.endpoint('small-999'), { body: {} }))).toEqual({ text: '999' });
  expect((await ok(game.play('POST', game.endpoint('large'), { body: {} }))).text.length).toBeGreaterThan(700_000);
});

test('a push of more items than a project may have is answered in a line, whatever they are: a million once were 250 MB of refusals', async () => {
  const items = Array.from({ length: 3_000 }, () => 5);
  const pushes = ['PUT collections', 'POST queries', 'PUT sync', 'POST sync/preflight'].map((route) => route.split(' '));
  for (const [method = '', route = ''] of pushes) {
    const body = route.startsWith('sync') ? { endpoints: items } : items;
    const reply = await game.manage(method, game.definitions(route), { body });
    expect([reply.status, reply.text.length < 1_000]).toEqual([400, true]);
    expect(Object(reply.body).message).toContain('at most 2000 definitions');
  }
});

test('a thousand clients that connect at once are let in while the node is busy, and need not try again a second later', async () => {
  expect(Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))).toBeGreaterThan(1_000);
  const { port, hostname } = new URL(node.url);
  process.kill(node.pid, 'SIGSTOP');
  const sockets = Array.from({ length: 1_000 }, () => connect(Number(port), hostname));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  } finally {
    process.kill(node.pid, 'SIGCONT');
    for (const socket of sockets) socket.on('error', () => undefined).destroy();
  }
}, 20_000);

test('what a staged test does to windows, documents and boards stays in its space', async () => {
  const inc = (sent: object) =>
    game.play('POST', game.storage('towns/fair'), { ...sent, body: { ops: [{ op: 'inc', path: 'sold', value: 1 }] } });
  for (let n = 0; n < 40; n++) await ok(inc({}));
  const staged = await Promise.all(Array.from({ length: 20 }, () => inc({ headers: NEXT })));
  const live = await Promise.all(Array.from({ length: 20 }, () => inc({})));
  for (const replies of [staged, live]) expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(await bodyOf(game.play('GET', game.storage('towns/fair')))).toMatchObject({ sold: 50 });
});

describe('bad input', () => {
  const raw = (text: string, path = game.storage(`players/${PLAYER}`)) => game.play('POST', path, { raw: text });

  test('is refused with the documented status', async () => {
    expect(await refused(raw('{"a":'))).toBe('400 INVALID_BODY');
    expect(await refused(raw(''))).toBe('400 INVALID_BODY');
    expect(await refused(raw('[1]'))).toBe('400 INVALID_BODY');
    expect(await refused(raw('null'))).toBe('400 INVALID_BODY');
    expect(await refused(raw('{"name":"\\ud800"}'))).toBe('400 INVALID_BODY');
    expect(await refused(raw('{"name":"\\u0000"}'))).toBe('400 INVALID_BODY');
    expect(await refused(raw(`{"a":${'['.repeat(500)}${']'.repeat(500)}}`))).toBe('400 INVALID_BODY');
    expect(await refused(raw('{"item":', game.endpoint('buy')))).toBe('400 INVALID_JSON');
    expect(await refused(raw('[]', game.endpoint('buy')))).toBe('400 INVALID_BODY');
    expect(await refused(raw(JSON.stringify({ name: 'x'.repeat(70_000) })))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(raw(JSON.stringify({ name: 'x'.repeat(2_000_000) })))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(game.play('GET', game.storage(`players/${PLAYER}/ledger?field=%00`)))).toBe('400 INVALID_BODY');
    const nobody = game.play('POST', game.storage(`players/${PLAYER}?platformId=%00`), { raw: '{"name":"x"}' }, null);
    expect(await refused(nobody)).toBe('400 INVALID_PLATFORMID');
    expect(await refused(game.play('GET', game.storage('nothing/k')))).toBe('404 NOT_FOUND');
    expect(await refused(game.play('GET', '/v3/storage'))).toBe('404 NOT_FOUND');
    expect(await refused(game.play('GET', '/nothing/at/all'))).toBe('404 NOT_FOUND');
    expect(await refused(game.manage('POST', game.definitions('nothing'), { body: {} }))).toBe('404 NOT_FOUND');
  });

  test('keys and projects that nobody knows are 401, whichever of the two it is', async () => {
    const headers = { 'x-public-key': 'sp_ns_nothing' };
    expect(await refused(game.send('GET', game.storage('players/1'), { headers }))).toBe('401 UNAUTHORIZED');
    expect(await refused(game.send('GET', game.storage('players/1')))).toBe('401 UNAUTHORIZED');
    expect(await refused(game.play('GET', '/v3/storage/pnothing/players/1'))).toBe('401 UNAUTHORIZED');
    expect(await refused(game.play('GET', game.definitions('validate')))).toBe('401 UNAUTHORIZED');
    const validate = async (key: string) => {
      const { body } = await game.send('GET', game.definitions('validate'), { headers: { 'x-api-key': key } });
      return Object(body).message;
    };
    expect(await validate(game.publicKey)).toContain('this is a public key');
    expect(await validate('sp_sk_nothing')).toContain('check it, and the project id');
  });

  test.each(['__proto__', 'constructor', 'prototype'])('%s is refused or harmless wherever it stands', async (name) => {
    const replies = await Promise.all([
      raw(`{"name":"x","${name}":{"polluted":1}}`),
      raw(`{"ops":[{"op":"set","path":"${name}.polluted","value":1}]}`),
      raw(`{"ops":[{"op":"set","path":"items.${name}","value":1}]}`),
      raw(`{"item":"axe","${name}":{"polluted":1}}`, game.endpoint('buy')),
      raw('{"a":1}', game.storage(`${name}/k`)),
      raw('{"a":1}', game.storage(`players/${name}`)),
      raw('{}', game.endpoint(name)),
      game.play('GET', game.storage(`${name}/list`)),
      game.play('GET', game.storage(`feed/record/${name}`)),
      game.play('GET', game.storage(`players/${name}/ledger`)),
      game.play('GET', `/v3/queries/${game.projectId}/${name}`),
      game.play('GET', `/v3/storage/${name}/players/k`),
      game.play('GET', `${game.endpoint('buy')}?${name}=1&item=axe`),
      game.manage('PUT', game.definitions('collections'), { raw: `[{"id":"${name}","name":"${name}","collectionType":"global"}]` }),
      game.manage('PUT', game.definitions('endpoints'), {
        raw: `[{"id":"${name}","slug":"${name}","name":"x","steps":[{"id":"${name}","type":"transform","expression":"1"}]}]`,
      }),
      game.manage('PUT', game.definitions('game-values'), {
        raw: `{"items":[{"id":"${name}","type":"group","name":"x","entries":{"${name}":1}}]}`,
      }),
      game.manage('DELETE', game.definitions(`collections/${name}`)),
      game.manage('POST', game.storage('feed/append'), { raw: `{"text":"x","${name}":1}`, headers: { 'idempotency-key': name } }),
    ]);
    expect(replies.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
    expect(replies.slice(1, 3).map(({ status }) => status)).toEqual([400, 400]);
    const fresh = '76561198000000060';
    await ok(game.play('POST', game.storage(`players/${fresh}`), { body: {} }, fresh));
    expect((await ok(game.play('GET', game.storage(`players/${fresh}`), {}, fresh))).text).toBe('{"gold":10,"level":1}');
  });
});
