import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  analyticsOf,
  answerGuest,
  createClient,
  type GuestRequest,
  guestRelay,
  inc,
  memoryStorage,
  type Result,
  revisionOf,
  SavepointError,
  tryRecoverGuest,
  trySignInGuest,
} from '../../src/client/index.ts';
import { STRANGE, type StrangeServer, startStrangeServer } from '../support/strange-server.ts';

/** Answers that are none of a node: the game gets an error with a code, and no TypeError. */

let server: StrangeServer;

beforeAll(async () => {
  server = await startStrangeServer();
});
afterAll(() => server.close());

const SECRET = `ns_guest_${'A'.repeat(43)}`;
const options = { retries: 0 } as const;

function clientOf(token = 'a token') {
  return createClient({ url: server.url, projectId: 'p', publicKey: 'k', player: { id: 'ada', token }, retries: 0 });
}

const signedIn = async () => {
  server.answers('{"ok":true,"player":"guest-1","devices":[],"account":null,"hasCode":false}');
  const guest = await trySignInGuest(clientOf(), { storage: memoryStorage() });
  if (!guest.ok) throw guest.error;
  return guest.value;
};

const REQUESTS: Readonly<Record<string, (text: string) => Promise<Result<unknown> | null>>> = {
  get: () => clientOf().documents('players').tryGet(),
  save: () => clientOf().documents('players').trySave({}),
  update: () => clientOf().documents('players').tryUpdate(inc('gold', 1)),
  delete: () => clientOf().documents('players').tryDelete(),
  edit: () =>
    clientOf()
      .documents('players')
      .tryEdit((document) => ({ ...document })),
  ledger: () => clientOf().documents('players').tryLedger(),
  'list of records': () => clientOf().records('slots').tryList(),
  'new record': () => clientOf().records('slots').tryCreate('Camp'),
  'deleted record': () => clientOf().records('slots').tryDelete('r'),
  query: () => clientOf().tryQuery('rich'),
  leaderboard: () => clientOf().tryLeaderboard('rich'),
  values: () => clientOf().tryValues(),
  session: () => clientOf().sessions.tryCreate(),
  revision: () => revisionOf(clientOf()).tryInit(),
  security: () => clientOf().security.tryLoad(),
  heartbeat: () => analyticsOf(clientOf()).heartbeat('join'),
  guest: () => trySignInGuest(clientOf(), { storage: memoryStorage() }),
  'recovered guest': () => tryRecoverGuest(clientOf(), { code: 'c' }, { storage: memoryStorage() }),
  'code of a guest': async (text) => {
    const guest = await signedIn();
    server.answers(text);
    return guest.tryIssueCode(options);
  },
  'devices of a guest': async (text) => {
    const guest = await signedIn();
    server.answers(text);
    return guest.tryShow(options);
  },
  'pass of a guest': () => {
    const client = clientOf(SECRET);
    client.relay = guestRelay(client, async () => ({ ok: true, body: {} }), { host: 'bo' });
    return client.tryCall('buy');
  },
};

/** `{}` is an answer to these: a document, and what is read of nothing but its status. */
const EMPTY_IS_FINE = ['get', 'delete', 'deleted record', 'edit', 'revision', 'heartbeat'];

describe.each(Object.entries(REQUESTS))('%s', (name, request) => {
  test.each(STRANGE)('answered with %j is an error with a code', async (text) => {
    server.answers(text);
    const result = await request(text);
    if (text === '{}' && EMPTY_IS_FINE.includes(name)) return;
    expect(result).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
    expect(result?.ok === false && result.error.cause).not.toBeInstanceOf(TypeError);
  });
});

test('an endpoint may answer any JSON', async () => {
  server.answers('null');
  expect(await clientOf().tryCall('buy')).toEqual({ ok: true, value: null });
  server.answers('<html>');
  expect(await clientOf().tryCall('buy')).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
});

test('a member of a list may be wrong, too', async () => {
  const guest = await signedIn();
  server.answers('{"ok":true,"devices":[null],"account":null,"hasCode":false}');
  expect(await guest.tryShow(options)).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
});

test.each([null, 7, 'x', [], {}, { ok: false }, { ok: false, error: null }])('a host that answers %j has failed', async (answer) => {
  const client = clientOf();
  client.relay = guestRelay(client, async () => JSON.parse(JSON.stringify(answer)));
  const result = await client.tryCall('buy', {}, { timeoutMs: 1000 });
  expect(result).toMatchObject({ ok: false, error: { code: 'PROXY_FAILED' } });
  expect(result.ok ? '' : result.error.message).toBe('The answer of the host is none');
});

test.each([null, 7, [], {}])('a guest that asks %j is refused', async (request) => {
  const answer = await answerGuest(clientOf(), request as unknown as GuestRequest, 'bo');
  expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } });
});

test('every error is one of the library', async () => {
  server.answers('{}');
  await expect(clientOf().query('rich')).rejects.toThrow(SavepointError);
});
