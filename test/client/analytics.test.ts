import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnalyticsSwitches, analyticsSwitches, type Client, createClient } from '../../src/client/index.ts';
import { removeFolders } from '../node/support/program.ts';
import { type Game, network, startGame } from './support.ts';

/** What a game reports, and which reports its switches and the project's leave. */

/** Each switch, with a report that it alone governs. */
const GOVERNED: { readonly [Name in keyof Required<AnalyticsSwitches>]: (client: Client) => Promise<unknown> } = {
  enabled: ({ analytics }) => analytics.track('level_done'),
  captureSessions: ({ analytics }) => analytics.heartbeat('join'),
  captureWarnings: ({ analytics }) => analytics.warning('LOW_MEMORY'),
  captureErrors: ({ analytics }) => analytics.error('MAP_MISSING'),
  captureLocalWarnings: (client) => editor(client).analytics.warning('LOW_MEMORY'),
  captureLocalErrors: (client) => editor(client).analytics.error('MAP_MISSING'),
  captureEndpointDiagnostics: ({ analytics }) => analytics.track('endpoint.slow'),
  managedLibraryEvents: ({ analytics }) => analytics.track('network_storage_query:top'),
  managedPerformance: ({ analytics }) => analytics.track('performance.slow'),
  managedNetwork: ({ analytics }) => analytics.track('network.lag'),
  managedVoice: ({ analytics }) => analytics.track('voice.muted'),
  managedInputFocus: ({ analytics }) => analytics.track('input.lost'),
  managedScene: ({ analytics }) => analytics.track('scene.loaded'),
  managedRuntime: ({ analytics }) => analytics.track('runtime.started'),
  managedRevision: ({ analytics }) => analytics.track('revision.outdated'),
  managedSystemInfo: ({ analytics }) => analytics.track('system.info'),
  retainErrorStacks: ({ analytics }) => analytics.error(new Error('x')),
};
const NAMES = Object.keys(GOVERNED) as (keyof AnalyticsSwitches)[];

const editor = (client: Client): Client => createClient({ ...client.connection.options, clientType: 'editor' });

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(async () => {
  await game.node.stop();
  removeFolders();
});

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
    const listed = [...page.matchAll(/^\| `(\w+)` \| `Analytics\w+`|^\| `(\w+)` \| `EnablePlayerAnalytics`/gm)].map(([, a, b]) => a ?? b);
    expect(listed.sort()).toEqual([...NAMES].sort());
  });
});

test('a report says what it is and where it comes from', async () => {
  const { client, reports } = player({ packageIdent: 'studio.game' });
  await client.analytics.error('MAP_MISSING', 'no map', 'at load', { map: 'north' });
  await client.analytics.error(new TypeError('no map'), { map: 'north' });
  const session = client.analytics.startSession({ playerName: 'Ada' });
  await client.analytics.endSession(90, { levels: 3 });
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
  expect(await client.analytics.endSession()).toBeNull();
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
    const { analytics } = client;
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
