import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnalyticsSwitches, analyticsOf, analyticsSwitches, type Client, createClient } from '../../src/client/index.ts';
import { endGame, type Game, network, startGame } from './support.ts';

/** What a game reports, and which reports its switches and the project's leave. */

/** Each switch, with a report that it alone governs. */
const GOVERNED: { readonly [Name in keyof Required<AnalyticsSwitches>]: (client: Client) => Promise<unknown> } = {
  enabled: (client) => analyticsOf(client).track('level_done'),
  captureSessions: (client) => analyticsOf(client).heartbeat('join'),
  captureWarnings: (client) => analyticsOf(client).warning('LOW_MEMORY'),
  captureErrors: (client) => analyticsOf(client).error('MAP_MISSING'),
  captureLocalWarnings: (client) => analyticsOf(editor(client)).warning('LOW_MEMORY'),
  captureLocalErrors: (client) => analyticsOf(editor(client)).error('MAP_MISSING'),
  captureEndpointDiagnostics: (client) => analyticsOf(client).track('endpoint.slow'),
  managedLibraryEvents: (client) => analyticsOf(client).track('network_storage_query:top'),
  managedPerformance: (client) => analyticsOf(client).track('performance.slow'),
  managedNetwork: (client) => analyticsOf(client).track('network.lag'),
  managedVoice: (client) => analyticsOf(client).track('voice.muted'),
  managedInputFocus: (client) => analyticsOf(client).track('input.lost'),
  managedScene: (client) => analyticsOf(client).track('scene.loaded'),
  managedRuntime: (client) => analyticsOf(client).track('runtime.started'),
  managedRevision: (client) => analyticsOf(client).track('revision.outdated'),
  managedSystemInfo: (client) => analyticsOf(client).track('system.info'),
  retainErrorStacks: (client) => analyticsOf(client).error(new Error('x')),
};
const NAMES = Object.keys(GOVERNED) as (keyof AnalyticsSwitches)[];

const editor = (client: Client): Client => createClient({ ...client.connection.options, clientType: 'editor' });

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(() => endGame(game));

function player(options: object = {}) {
  const { fetch, sent } = network();
  const client: Client = createClient({ ...game.options, player: game.newPlayer(), fetch, ...options });
  const reports = () => sent.filter(({ path }) => /events|heartbeat/.test(path)).map(({ body }) => JSON.parse(body));
  return { client, reports };
}

describe('a switch', () => {
  test.each(NAMES)('%s of the client governs its own reports', async (name) => {
    const on = player({ analytics: analyticsSwitches({ [name]: true }) });
    const off = player({ analytics: analyticsSwitches({ [name]: false }) });
    await GOVERNED[name](on.client);
    await GOVERNED[name](off.client);
    expect(on.reports()).toHaveLength(1);
    if (name === 'retainErrorStacks') expect([on.reports()[0].stack, off.reports()[0].stack]).toEqual([expect.any(String), undefined]);
    else expect(off.reports()).toEqual([]);
  });

  test.each(NAMES)('%s of the project governs the same', async (name) => {
    await game.change({ analytics: { [name]: false } });
    const { client, reports } = player();
    const told = Object(await GOVERNED[name](client));
    await game.change({ analytics: {} });
    if (name === 'retainErrorStacks') expect(reports()[0].stack).toBeUndefined();
    else if (reports().length > 0) expect(told.value.stored ?? told.value.persisted).toBe(false);
  });

  test('with a wrong name or value is refused', () => {
    for (const wrong of [{ managedVoices: false }, { enabled: 'no' }, null]) {
      expect(() => analyticsSwitches(wrong as AnalyticsSwitches)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    }
  });

  test('is in the table of docs/telemetry.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/telemetry.md'), 'utf8');
    const [, section = ''] = page.split('\n### Switches\n');
    const listed = Object.fromEntries(
      [...section.matchAll(/^\| `(\w+)` \| `(\w+)` \| /gm)].map(([, ours = '', theirs = '']) => [ours, theirs]),
    );
    const named = (name: string) => `Analytics${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    expect(listed).toEqual(Object.fromEntries(NAMES.map((name) => [name, name === 'enabled' ? 'EnablePlayerAnalytics' : named(name)])));
  });
});

test('allowedEventTypes of the project are all the types that a game may make up, and leave warnings, errors and types of switches alone', async () => {
  await game.change({ analytics: { allowedEventTypes: ['Level done'] } });
  const { client, reports } = player();
  const analytics = analyticsOf(client);
  expect(await analytics.track('boss_seen')).toBeNull();
  const taken = [
    await analytics.track('level_done'),
    await analytics.track('voice.muted'),
    await analytics.warning('LOW_MEMORY'),
    await analytics.heartbeat('join'),
  ];
  expect(taken.map((report) => report?.ok)).toEqual([true, true, true, true]);
  expect(reports()).toHaveLength(4);
  const { manager } = game;
  const sent = await manager.manage('POST', manager.storage('analytics/events'), { body: { type: 'boss_seen', platformId: '76561198' } });
  expect(sent.body).toMatchObject({ stored: false, reason: 'capture_disabled' });
  await game.change({ analytics: { allowedEventTypes: [] } });
  expect(await analyticsOf(player().client).track('level_done')).toBeNull();
  await game.change({ analytics: {} });
  expect((await analyticsOf(player().client).track('boss_seen'))?.ok).toBe(true);
});

test('a report says what it is and where it comes from', async () => {
  const { client, reports } = player({ packageIdent: 'studio.game' });
  await analyticsOf(client).error('MAP_MISSING', 'no map', 'at load', { map: 'north' });
  await analyticsOf(client).error(new TypeError('no map'), { map: 'north' });
  const session = analyticsOf(client).startSession({ playerName: 'Ada' });
  await analyticsOf(client).endSession(90, { levels: 3 });
  const [code, thrown, join, leave] = reports();
  expect(code).toMatchObject({ type: 'MAP_MISSING', severity: 'error', message: 'no map', stack: 'at load', context: { map: 'north' } });
  expect(thrown).toMatchObject({
    type: 'TypeError',
    message: 'no map',
    stack: expect.stringContaining('TypeError'),
    context: { map: 'north' },
  });
  expect(join).toMatchObject({ event: 'join', sessionId: session.id });
  expect(leave).toMatchObject({ event: 'leave', sessionId: session.id, sessionSeconds: 90, context: { levels: 3 } });
  const common = { source: 'network-storage-library', libraryVersion: '0.1.0', packageIdent: 'studio.game' };
  for (const report of reports()) expect(report).toMatchObject(common);
  expect(await analyticsOf(client).endSession()).toBeNull();
});

test('reports never throw, whatever they are given', async () => {
  const { client } = player();
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const hostile = Object.defineProperty({}, 'x', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
  for (const exotic of [Object.create(null), Symbol('x'), null, undefined, 1n, cyclic, hostile, new Map(), new Proxy({}, {}), () => 1]) {
    const analytics = analyticsOf(client);
    for (const reported of [
      analytics.error(exotic),
      analytics.error('X', 'x', 'x', exotic as never),
      analytics.track(exotic as never, { context: exotic as never }),
      analytics.warning(exotic as never, exotic as never, exotic as never),
      analytics.heartbeat(exotic as never, { context: exotic as never }),
      analytics.endSession(exotic as never, exotic as never),
    ])
      await expect(reported).resolves.toBeDefined();
    expect(() => analytics.startSession(exotic as never)).not.toThrow();
  }
});
