import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here, printed, verified } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, PLAYER, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, postmasterOf, removeFolders, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What players report, over HTTP against the built program, with the requests of the game client. */

let node: Node;
let game: Client;

beforeAll(async () => {
  const data = newFolder();
  node = await startNode(data, { env: { PLATFORM_ID_PATTERN: '^(?:[79][0-9]{3,16}|user-[a-z]+)$' } });
  game = createClient(node.url, demoCredentials(data));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

const track = (body: unknown) => game.play('POST', game.storage('analytics/events'), { body });
const beat = (player: string, more: object = {}) => {
  const nothing = {
    source: 'network-storage-library',
    libraryVersion: '1.0',
    packageIdent: 'org.game',
    context: { map: 'm<1>' },
    fps: null,
  };
  const body = { steamId: player, sessionId: null, sessionSeconds: 0.5, event: 'heartbeat', playerName: 'Ада', ...nothing, ...more };
  return game.play('POST', game.storage('stats/heartbeat'), { body }, player);
};
const stats = (player: string) => game.play('GET', game.storage(`stats/${player}`), {}, player);
const settings = (analytics: object) => ok(game.manage('PUT', game.definitions('settings'), { body: { analytics } }));

describe('heartbeats', () => {
  test('the first yields 2 seconds, the stats show it at once, and further ones add whole seconds', async () => {
    const player = '76561198000000101';
    expect(await refused(stats(player))).toBe('404 NOT_FOUND');
    const first = (await ok(beat(player, { event: 'join' }))).body;
    expect(first).toMatchObject({ ok: true, persisted: true, platformId: player, projectId: game.projectId, totalSeconds: 2 });
    const shown = Object((await ok(stats(player))).body);
    expect(shown).toMatchObject({ ok: true, platformId: player, totalSeconds: 2, sessionCount: 1 });
    expect(shown.lastHeartbeat).toBe(new Date(shown.lastHeartbeatUnixMs).toISOString());
    expect(Object(first).lastHeartbeat).toBe(shown.lastHeartbeat);
    await sleep(1_100);
    expect(Object((await ok(beat(player))).body).totalSeconds).toBeGreaterThan(2);
    const later = Object((await ok(stats(player))).body);
    expect(later).toMatchObject({ firstSeen: shown.firstSeen, sessionCount: 1 });
    // The second heartbeat is gathered on the node and not stored yet.
    expect(later.currentSessionSeconds).toBeGreaterThan(shown.currentSessionSeconds);
  });

  test('of staged definitions count apart from those of live, and the stats are those of the target that is asked', async () => {
    const player = '76561198000000177';
    const staged = (method: string, route: string, body?: unknown) =>
      game.play(method, game.storage(route), { body, headers: NEXT }, player);
    const next = await ok(staged('POST', 'stats/heartbeat', { steamId: player, event: 'join', sessionId: 's' }));
    expect(next.body).toMatchObject({ persisted: true, platformId: player, totalSeconds: 2 });
    expect((await ok(staged('GET', `stats/${player}`))).body).toMatchObject({ platformId: player, totalSeconds: 2, sessionCount: 1 });
    expect(await refused(stats(player))).toBe('404 NOT_FOUND');
    await ok(beat(player, { event: 'join', sessionId: 'live' }));
    await ok(staged('POST', 'analytics/events', { steamId: player, type: 'session.join', sessionId: 't' }));
    await eventually(
      'the second session of next',
      async () => Object((await ok(staged('GET', `stats/${player}`))).body).sessionCount === 2,
    );
    expect((await ok(stats(player))).body).toMatchObject({ platformId: player, totalSeconds: 2, sessionCount: 1 });
  });

  test('an id beyond doubles keeps its digits, as text, as a number and in the query', async () => {
    const player = '76561198000000103';
    await ok(game.play('POST', game.storage('stats/heartbeat'), { raw: `{"platformId":${player}}` }, null));
    await ok(game.play('POST', game.storage(`stats/heartbeat?steamId=${player}`), { raw: 'no json' }, null));
    expect((await ok(stats(player))).body).toMatchObject({ platformId: player });
    expect(await refused(game.play('POST', game.storage('stats/heartbeat'), { body: {} }))).toBe('400 MISSING_PLATFORM_ID');
    expect(await refused(game.play('GET', game.storage('stats/a.b'), {}))).toBe('400 INVALID_KEY');
  });
});

test('a player who was seen has a ledger, if an empty one; one who never was has none', async () => {
  const collection = { id: 'wallets', name: 'wallets', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
  await ok(game.manage('PUT', game.definitions('collections'), { body: [collection] }));
  const player = '76561198000000105';
  const ledger = () => game.play('GET', game.storage(`wallets/${player}/ledger`), {}, player);
  expect(await refused(ledger())).toBe('404 NOT_FOUND');
  await ok(beat(player));
  await ok(stats(player));
  expect((await ok(ledger())).body).toMatchObject({ platformId: player, entries: [], cursor: null });
});

describe('analytics events', () => {
  const EVENT = { platformId: PLAYER, type: 'quest_done', severity: null, label: 'Quest', message: null, stack: null, context: { n: 1 } };

  test('are stored, or refused with the code of what is wrong with them', async () => {
    expect((await ok(track(EVENT))).body).toEqual({ ok: true, stored: true, reason: null });
    expect((await ok(track({ ...EVENT, severity: 'error', stack: 'at x' }))).body).toMatchObject({ stored: true });
    expect((await ok(track({ ...EVENT, platformId: 'user-ada' }))).body).toMatchObject({ stored: true });
    expect(await refused(track({ ...EVENT, platformId: Number(PLAYER) }))).toBe('400 INVALID_KEY');
    expect(await refused(track({ ...EVENT, severity: 'loud' }))).toBe('400 INVALID_ANALYTICS_EVENT');
    expect(await refused(track({ ...EVENT, type: null }))).toBe('400 INVALID_ANALYTICS_EVENT');
    expect(await refused(track([]))).toBe('400 INVALID_JSON');
    expect(await refused(game.play('POST', game.storage('analytics/events'), { raw: '{' }))).toBe('400 INVALID_JSON');
  });

  test('of exactly the limit are taken, one character more is too much', async () => {
    const sized = (length: number) => {
      const rest = JSON.stringify({ ...EVENT, message: '' }).length;
      return { ...EVENT, message: 'x'.repeat(length - rest) };
    };
    expect((await ok(track(sized(32_768)))).body).toMatchObject({ stored: true });
    expect(await refused(track(sized(32_769)))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(track(['x'.repeat(40_000)]))).toBe('413 PAYLOAD_TOO_LARGE');
    expect((await ok(track({ ...EVENT, message: 'я'.repeat(20_000) }))).body).toMatchObject({ stored: true });
  });

  test('that the project does not want are answered as such', async () => {
    await settings({ captureErrors: false, captureSessions: false });
    expect((await ok(track({ ...EVENT, severity: 'error' }))).body).toEqual({ ok: true, stored: false, reason: 'capture_disabled' });
    expect((await ok(track(EVENT))).body).toMatchObject({ stored: true });
    expect((await ok(beat('76561198000000104'))).body).toMatchObject({ ok: true, persisted: false, totalSeconds: 0 });
    await settings({});
    expect((await ok(beat('76561198000000104'))).body).toMatchObject({ persisted: true });
  });
});

test('a failed save is recorded, and the operators are told', async () => {
  const path = `/api/network-storage/${game.projectId}/save-failure`;
  const body = { collectionId: 'players', recordKey: `${PLAYER}_a1b2c3`, reason: 'read back differs', expectedSeq: 4, observedSeq: 3 };
  expect((await ok(game.play('POST', path, { body }))).body).toEqual({ ok: true, recorded: true });
  expect((await ok(game.play('POST', path, { body: {} }))).body).toEqual({ ok: true, recorded: true });
  expect(await refused(game.play('POST', path, { body: [] }))).toBe('400 INVALID_BODY');
  const { text } = await game.send('GET', '/metrics');
  expect(text).toMatch(/savepoint_save_failures_total 2/);
  expect(text).toMatch(/savepoint_telemetry_events_total\{outcome="stored"\} \d+/);
});

test('endpoint calls are recorded where the project asks for it, and tell which one a player called last', async () => {
  const player = '76561198000000107';
  const steps = [{ id: 'c', type: 'condition', check: { field: 'input.n', op: '>', value: 0 }, onFail: { status: 409, error: 'NO_N' } }];
  const endpoint = { id: 'greet', slug: 'greet', method: 'POST', steps, response: { body: { ok: true, playerName: 'Ева' } } };
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: [endpoint, { ...endpoint, id: 'part', slug: 'part' }] }));
  const call = (slug: string, n: number, who: string | null = player) => game.play('POST', game.endpoint(slug), { body: { n } }, who);
  const json = async (...args: readonly string[]) => JSON.parse(await printed(['analytics', ...args, '--data', node.data, '--json']));
  await ok(call('greet', 1));
  await settings({ captureEndpointCalls: true });
  await ok(call('greet', 1));
  // U+0000 once stopped the telemetry of the whole project.
  expect(await refused(call('gr%00eet', 1))).toBe('404 ENDPOINT_NOT_FOUND');
  expect(await refused(call('part', 0))).toBe('409 NO_N');
  await ok(call('greet', 1, null));
  const calls = await eventually('the calls are listed', async () => {
    const found = await json('list', '--type', 'endpoint.call');
    return found.length >= 2 && found;
  });
  expect(calls).toMatchObject([
    { platformId: player, endpointSlug: 'part', source: 'server', payload: { context: { method: 'POST', status: 409, ok: false } } },
    { platformId: player, endpointSlug: 'greet', label: 'greet', payload: { context: { status: 200, ok: true }, playerName: 'Ева' } },
  ]);
  expect(calls.length).toBe(2);
  const [seen] = (await json('players')).filter((one: { platformId: string }) => one.platformId === player);
  expect(seen).toMatchObject({ playerName: 'Ева', online: true, lastEndpointSlug: 'part', lastType: 'endpoint.call' });
  await settings({});
});

describe('an operator', () => {
  const json = async (...args: readonly string[]) => JSON.parse(await printed(['analytics', ...args, '--data', node.data, '--json']));

  test('sees events, failed saves and players, of one project, type or player', async () => {
    const failures = await eventually('the failures are listed', async () => {
      const found = await json('failures', '--project', game.projectId);
      return found.length === 2 && found;
    });
    expect(failures[1]).toMatchObject({
      collectionId: 'players',
      payload: { recordKey: `${PLAYER}_a1b2c3`, expectedSeq: 4, attempts: -1 },
    });
    expect(await json('list', '--type', 'custom.quest_done', '--limit', '1')).toMatchObject([{ platformId: PLAYER, label: 'Quest' }]);
    expect(await json('list', '--type', 'error')).toMatchObject([
      { type: 'error.reported', payload: { stack: 'at x', severity: 'error' } },
    ]);
    expect(await json('list', '--player', 'nobody')).toEqual([]);
    expect((await here(['analytics', 'list', '--project', 'other', '--data', node.data])).stderr).toContain('No project other');
    expect((await json('players')).map((one: { playerName: string }) => one.playerName)).toContain('Ада');
  });

  test('reads tables that no player can steer a terminal with', async () => {
    await ok(track({ platformId: '4444', type: 'x', label: '\u001b[2J\u202ered' }));
    const line = await eventually('the event is listed', async () => {
      const text = await printed(['analytics', 'list', '--player', '4444', '--data', node.data]);
      return text.includes('custom.x') && text;
    });
    expect(line).toContain('\ufffd[2J\ufffdred');
    expect((await here(['analytics', 'list', '--limit', '0', '--data', node.data])).code).toBe(2);
  });

  test('can prove and rebuild it beside the running node', async () => {
    expect(await succeed(['rebuild', 'telemetry', '--data', node.data])).toContain('Rebuilt telemetry');
    await verified({ SAVEPOINT_DATA: node.data });
  });
});

test('while the database is away every report is answered with 200 and says that it was not stored; then they are stored again', async () => {
  const event = { platformId: PLAYER, type: 'outage' };
  process.kill(postmasterOf(node.data), 'SIGKILL');
  const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? track(event) : beat(PLAYER))));
  for (const { status, body } of replies) expect([status, Object(body).ok]).toEqual([200, true]);
  await eventually('a report is stored', async () => Object((await ok(track(event))).body).stored === true);
  await eventually('a heartbeat is stored', async () => Object((await ok(beat(PLAYER))).body).persisted === true);
  await eventually('the stats go on', async () => (await stats(PLAYER)).status === 200);
  await verified({ SAVEPOINT_DATA: node.data });
});

test('several processes behind one port take reports in, and the first of them projects', async () => {
  const data = newFolder();
  const crew = await startNode(data, { env: { DATABASE_URL: await migratedDatabase() }, args: ['--workers', '2'] });
  const client = createClient(crew.url, demoCredentials(data));
  try {
    for (const player of ['7001', '7002', '7003']) {
      await ok(client.play('POST', client.storage('stats/heartbeat'), { body: { platformId: player } }, player));
      const reply = await ok(client.play('GET', client.storage(`stats/${player}`), {}, player));
      expect(reply.body).toMatchObject({ platformId: player, totalSeconds: 2 });
    }
  } finally {
    client.close();
    await crew.stop();
  }
});
