import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { guests as routes } from '../../../src/contract/routes/guests.ts';
import { CODE_BYTES, formatCode } from '../../../src/domain/guest/token.ts';
import { proxySignature } from '../../../src/domain/security/proxy-signature.ts';
import { newApiKey } from '../../node/support/command-line.ts';
import { ok, PLAYER, type Reply } from '../../node/support/game-client.ts';
import { listen } from '../../support/live-stream.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let node: Opened;
let beside: Opened;
beforeAll(async () => {
  node = await openNode();
  beside = await openNode({}, node);
  const schema = { gold: { type: 'number' } };
  const players = { id: 'players', name: 'Players', collectionType: 'per-platformid', accessMode: 'public', schema };
  await ok(node.game.manage('PUT', node.game.definitions('collections'), { body: [players] }));
  const whoami = {
    id: 'whoami',
    slug: 'whoami',
    method: 'POST',
    steps: [],
    response: { status: 200, body: { ok: true, me: '{{platformId}}' } },
  };
  await ok(node.game.manage('PUT', node.game.definitions('endpoints'), { body: [whoami] }));
  await settings(node.game, { requirePlayerAuth: true, guestSignIn: true, enableAuthSessions: true });
});
afterAll(async () => {
  await beside?.close();
  await node?.close();
});

type Headers = Readonly<Record<string, string>>;

const newSecret = () => `ns_guest_${randomBytes(32).toString('base64url')}`;

function ask(what: keyof typeof routes | 'code' | 'devices', headers: Headers, body?: object, at: Opened = node): Promise<Reply> {
  const { game } = at;
  const method = what === 'devices' ? 'GET' : 'POST';
  const sent = { headers: { 'x-public-key': game.publicKey, ...headers }, ...(body === undefined ? {} : { body }) };
  return game.send(method, `/v3/guests/${game.projectId}/${what}`, sent);
}

async function code(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  return status === 200 ? 'ok' : `${status} ${Object(body).error?.code}`;
}

interface Guest {
  readonly player: string;
  readonly device: string;
  readonly proof: Headers;
}

async function newGuest(secret = newSecret(), at: Opened = node): Promise<Guest> {
  const { player, device } = Object((await ok(ask('register', { 'x-platform-token': secret }, undefined, at))).body);
  return { player, device, proof: { 'x-platform-id': player, 'x-platform-token': secret } };
}

async function newCode({ proof }: Guest): Promise<string> {
  return Object((await ok(ask('code', proof))).body).code;
}

const account = (id = PLAYER) => ({ account: { platformId: id, token: tokenFor(id) } });
const call = (headers: Headers, at: Opened = node) => at.game.play('POST', at.game.endpoint('whoami'), { headers, body: {} }, null);
const save = (headers: Headers, key: string, at: Opened = node) =>
  at.game.play('POST', at.game.storage(`players/${key}`), { headers, body: { gold: 1 } }, null);

describe('a guest', () => {
  test('plays as a player that is proven, on every node at once', async () => {
    const guest = await newGuest();
    expect(guest.player).toMatch(/^guest-[0-9a-f]{32}$/);
    expect(Object((await ok(call(guest.proof, beside))).body).me).toBe(guest.player);
    await ok(save(guest.proof, guest.player));
    await ok(save(guest.proof, `${guest.player}_slot`, beside));
    expect(await code(save(guest.proof, PLAYER))).toBe('403 FORBIDDEN');
  });

  test('is made once, however often its secret is sent, to any node, at once', async () => {
    const secret = newSecret();
    const all = await Promise.all(Array.from({ length: 12 }, (_, index) => newGuest(secret, index % 2 === 0 ? node : beside)));
    expect(new Set(all.map(({ player }) => player)).size).toBe(1);
    const { body } = await ok(ask('devices', all[0]?.proof ?? {}, undefined, beside));
    expect(Object(body).devices).toEqual([{ id: all[0]?.device, joinedAt: expect.any(String), asks: true }]);
  });

  test('is proven by nothing but a secret of its own', async () => {
    const [guest, other] = [await newGuest(), await newGuest()];
    const named = (token: string) => ({ 'x-platform-id': guest.player, 'x-platform-token': token });
    for (const token of [newSecret(), String(other.proof['x-platform-token']), tokenFor(guest.player), 'nonsense']) {
      expect(await code(call(named(token)))).toBe('401 PLATFORM_AUTH_FAILED');
    }
    const unproven = await call({ 'x-platform-id': guest.player });
    expect([unproven.status, Object(unproven.body).message]).toEqual([
      401,
      expect.stringContaining('send its secret in the header x-platform-token'),
    ]);
    expect(await code(call({ 'x-platform-id': PLAYER, 'x-platform-token': newSecret() }))).toBe('401 PLATFORM_AUTH_FAILED');
    // Nor is anybody called so that a guest's documents would be its own.
    expect(await code(save(proofOf(PLAYER), guest.player))).toBe('403 FORBIDDEN');
  });

  test('exists beside players of the login, who are proven as before', async () => {
    expect(Object((await ok(call(proofOf(PLAYER)))).body).me).toBe(PLAYER);
  });

  test('has secrets and codes that are in neither log nor tables', async () => {
    const secret = newSecret();
    const guest = await newGuest(secret);
    const text = await newCode(guest);
    const pool = new pg.Pool({ connectionString: node.databaseUrl, max: 1 });
    const { rows: tables } = await pool.query(`SELECT schemaname AS s, relname AS t FROM pg_stat_user_tables`);
    expect(tables.length).toBeGreaterThan(20);
    for (const { s, t } of tables) {
      const sql = `SELECT count(*)::int AS n FROM "${s}"."${t}" r WHERE r::text LIKE ANY ($1)`;
      const hidden = [secret.slice(9), text, text.replaceAll('-', '')].map((one) => `%${one}%`);
      expect([t, (await pool.query(sql, [hidden])).rows]).toEqual([t, [{ n: 0 }]]);
    }
    await pool.end();
  });

  test('that sends no secret is told its form', async () => {
    const { status, body } = await ask('register', { 'x-platform-token': 'ns_guest_short' });
    expect([status, Object(body).message]).toEqual([401, expect.stringContaining('43 characters')]);
  });
});

describe('a lost device', () => {
  test('is replaced by a recovery code, which works once, also under a race', async () => {
    const guest = await newGuest();
    const typed = (await newCode(guest)).toLowerCase().replaceAll('-', ' ');
    const joined = await Promise.all(
      Array.from({ length: 6 }, (_, index) => ask('join', { 'x-platform-token': newSecret() }, { code: typed }, index % 2 ? node : beside)),
    );
    const outcomes = joined.map(({ status, body }) => (status === 200 ? Object(body).player : Object(body).error.code));
    expect(outcomes.filter((one) => one === guest.player)).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'GUEST_CODE_INVALID')).toHaveLength(5);
    expect(Object((await ok(ask('devices', guest.proof))).body)).toMatchObject({ devices: [{}, {}], hasCode: false });
  });

  test('is not replaced twice when the request is sent again', async () => {
    const guest = await newGuest();
    const text = await newCode(guest);
    const headers = { 'x-platform-token': newSecret() };
    for (const at of [node, beside, node])
      expect(Object((await ok(ask('join', headers, { code: text }, at))).body).devices).toHaveLength(2);
  });

  test('cannot come back: a code that it issued is void when it is revoked', async () => {
    const guest = await newGuest();
    const secret = newSecret();
    const { device } = Object((await ok(ask('join', { 'x-platform-token': secret }, { code: await newCode(guest) }))).body);
    const kept = await newCode({ ...guest, proof: { ...guest.proof, 'x-platform-token': secret } });
    expect(Object((await ok(ask('revoke', guest.proof, { device }, beside))).body)).toMatchObject({ devices: [{}], hasCode: false });
    for (const at of [node, beside])
      expect(await code(ask('join', { 'x-platform-token': newSecret() }, { code: kept }, at))).toBe('401 GUEST_CODE_INVALID');
  });

  test('is revoked at once, on every node, with the sessions that it opened and no others', async () => {
    const guest = await newGuest();
    const secret = newSecret();
    await ok(ask('join', { 'x-platform-token': secret }, { code: await newCode(guest) }));
    const lost = { ...guest.proof, 'x-platform-token': secret };
    const tokenOf = async (proof: Headers) => {
      const { body } = await ok(session(node.game, 'create', proof, { platformId: guest.player }));
      return { 'x-platform-id': guest.player, 'x-auth-session': String(Object(body).sessionToken) };
    };
    const [kept, stolen] = [await tokenOf(guest.proof), await tokenOf(lost)];
    const refreshed = Object((await ok(session(beside.game, 'refresh', stolen))).body).sessionToken;
    await ok(call(stolen, beside));
    const streams = await Promise.all(
      [lost, stolen].map((headers) =>
        listen(node.game.url, node.game.projectId, [`documents/players/${guest.player}`], {
          'x-public-key': node.game.publicKey,
          ...headers,
        }),
      ),
    );
    for (const stream of streams) await stream.next(({ event }) => event === 'message');
    const { devices } = Object((await ok(ask('devices', guest.proof))).body);
    const shut = devices.find(({ asks }: { readonly asks: boolean }) => !asks).id;
    await ok(ask('revoke', guest.proof, { device: shut }));
    for (const stream of streams) {
      await stream.next(({ event }) => event === 'refused');
      stream.close();
    }
    for (const at of [node, beside]) {
      expect(await code(save(lost, guest.player, at))).toBe('401 PLATFORM_AUTH_FAILED');
      for (const headers of [stolen, { ...stolen, 'x-auth-session': refreshed }]) {
        expect(await code(save(headers, guest.player, at))).toBe('401 AUTH_SESSION_INVALID');
        expect(Object((await session(at.game, 'refresh', headers)).body).error.code).toBe('AUTH_SESSION_INVALID');
      }
      await ok(save(kept, guest.player, at));
    }
    expect(await code(ask('register', { 'x-platform-token': secret }))).toBe('ok');
    expect(await code(ask('code', lost))).toBe('401 PLATFORM_AUTH_FAILED');
  });
});

describe('an account', () => {
  test('that is linked lets devices in, and the guest keeps its id', async () => {
    const guest = await newGuest();
    await ok(save(guest.proof, guest.player));
    expect(Object((await ok(ask('link', guest.proof, account()))).body)).toMatchObject({ player: guest.player, account: PLAYER });
    const secret = newSecret();
    const { body } = await ok(ask('join', { 'x-platform-token': secret }, account(), beside));
    expect(Object(body)).toMatchObject({ player: guest.player, devices: [{ asks: false }, { asks: true }] });
    const { body: mine } = await ok(
      node.game.play(
        'GET',
        node.game.storage(`players/${guest.player}`),
        {
          headers: { 'x-platform-id': guest.player, 'x-platform-token': secret },
        },
        null,
      ),
    );
    expect(Object(mine).gold).toBe(1);
    await ok(ask('unlink', guest.proof, account()));
    expect(await code(ask('join', { 'x-platform-token': newSecret() }, account()))).toBe('404 GUEST_NOT_LINKED');
  });

  test('is linked to one guest, also under a race on two nodes', async () => {
    const id = '76561198000000077';
    const guests = await Promise.all(Array.from({ length: 6 }, () => newGuest()));
    const linked = await Promise.all(guests.map(({ proof }, index) => code(ask('link', proof, account(id), index % 2 ? node : beside))));
    expect(linked.filter((one) => one === 'ok')).toHaveLength(1);
    expect(linked.filter((one) => one === '409 GUEST_CONFLICT')).toHaveLength(5);
  });

  test('must be proven: neither its name alone nor a guest is enough', async () => {
    const [guest, other] = [await newGuest(), await newGuest()];
    const bad = { account: { platformId: PLAYER, token: tokenFor('76561198000000002') } };
    expect(await code(ask('link', guest.proof, bad))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await code(ask('join', { 'x-platform-token': newSecret() }, bad))).toBe('401 PLATFORM_AUTH_FAILED');
    const guests = { account: { platformId: other.player, token: other.proof['x-platform-token'] } };
    expect(await code(ask('link', guest.proof, guests))).toBe('409 GUEST_CONFLICT');
    expect(await code(ask('link', guest.proof, { account: { platformId: PLAYER } }))).toBe('400 INVALID_BODY');
    expect(await code(ask('link', { 'x-platform-id': PLAYER, 'x-platform-token': tokenFor(PLAYER) }, account()))).toBe(
      '401 PLATFORM_AUTH_FAILED',
    );
  });
});

test('whoever names nobody is told to sign in', async () => {
  const { status, body } = await call({});
  expect([status, Object(body).message]).toEqual([401, expect.stringContaining('sign in first')]);
});

describe('a guest behind a host', () => {
  const HOST = '76561198000000021';
  const passFor = async (guest: Guest, host = HOST, at: Opened = node) =>
    Object((await ok(ask('pass', guest.proof, { host }, at))).body).pass;
  const through = (guest: string, token: string, host: Headers = proofOf(HOST), purpose = 'whoami') => {
    const { projectId, publicKey } = node.game;
    const signature = proxySignature(publicKey, { projectId, purpose, player: guest, token });
    return { ...host, 'x-on-behalf-of': guest, 'x-on-behalf-of-token': token, 'x-proxy-signature': signature };
  };

  test('gives it a pass, and plays and reads through it, on every node', async () => {
    const guest = await newGuest();
    const pass = await passFor(guest);
    expect(Object((await ok(call(through(guest.player, pass), beside))).body).me).toBe(guest.player);
    await ok(save(guest.proof, guest.player));
    const read = through(guest.player, pass, proofOf(HOST), 'storage-players');
    await ok(node.game.play('GET', node.game.storage(`players/${guest.player}`), { headers: read }, null));
    // A host may be a guest itself.
    const host = await newGuest();
    expect(Object((await ok(call(through(guest.player, await passFor(guest, host.player), host.proof)))).body).me).toBe(guest.player);
  });

  test('never gives it the secret of the device, which proves nobody there', async () => {
    const guest = await newGuest();
    const { status, body } = await call(through(guest.player, String(guest.proof['x-platform-token'])));
    expect([status, Object(body).message]).toEqual([401, expect.stringContaining('asks for a pass')]);
  });

  test('is proven by a pass for this host and this guest alone, and by no pass without a host', async () => {
    const [guest, other] = [await newGuest(), await newGuest()];
    const pass = await passFor(guest);
    const [head, device, until, mark] = pass.split('.');
    const wrong = [
      through(guest.player, pass, proofOf(PLAYER)),
      through(other.player, pass),
      through(guest.player, [head, device, Number(until) + 1, mark].join('.')),
      through(guest.player, [head, other.device, until, mark].join('.')),
      through(guest.player, `${pass.slice(0, -1)}_`),
      { 'x-platform-id': guest.player, 'x-platform-token': pass },
    ];
    for (const headers of wrong) expect(await code(call(headers))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await code(ask('pass', proofOf(HOST), { host: HOST }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await code(ask('pass', guest.proof, { host: 'no id of a player' }))).toBe('400 INVALID_PLATFORMID');
  });

  test('is not proven by a pass that has expired, or whose device was revoked', async () => {
    const guest = await newGuest();
    const pass = await passFor(guest);
    const now = Date.now();
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, 'now').mockReturnValue(now + 601_000);
    const late = await call(through(guest.player, pass));
    vi.restoreAllMocks();
    expect([late.status, Object(late.body).message]).toEqual([401, expect.stringContaining('over')]);
    await newCode(guest);
    await ok(ask('revoke', guest.proof, { device: guest.device }));
    expect(await code(call(through(guest.player, pass)))).toBe('401 PLATFORM_AUTH_FAILED');
  });
});

test('an address that keeps guessing is blocked, and its known players play on', async () => {
  const guest = await newGuest();
  const from = { 'X-Forwarded-For': '203.0.113.7' };
  await ok(call({ ...guest.proof, ...from }));
  for (let tried = 0; tried < 10; tried += 1) {
    expect(await code(call({ ...guest.proof, 'x-platform-token': newSecret(), ...from }))).toBe('401 PLATFORM_AUTH_FAILED');
  }
  const { body, headers } = await call({ ...guest.proof, 'x-platform-token': newSecret(), ...from });
  expect([Object(body).error.authFailureKind, Number(headers['retry-after']) > 0]).toEqual(['service_unavailable', true]);
  await ok(call({ ...guest.proof, ...from }));
});

test.each([
  [
    'recovery codes',
    '203.0.113.11',
    (from: Headers) => ask('join', { 'x-platform-token': newSecret(), ...from }, { code: formatCode(randomBytes(CODE_BYTES)).text }),
  ],
  ['secrets', '203.0.113.12', (from: Headers, guest: Guest) => call({ ...guest.proof, 'x-platform-token': newSecret(), ...from })],
])('of %s that an address guesses at once, no more are judged than one after another', async (_name, address, guess) => {
  const guest = await newGuest();
  const from = { 'X-Forwarded-For': address };
  const answers = await Promise.all(Array.from({ length: 40 }, () => guess(from, guest)));
  const errors = answers.map(({ body }) => Object(body).error);
  const judged = errors.filter((error) => error.code === 'GUEST_CODE_INVALID' || error.authFailureKind === 'token_rejected');
  expect(judged).toHaveLength(10);
});

test('routes of guests are rate-limited by address, so that nobody fills the log with players', async () => {
  const few = await openNode({ LIMIT_GUEST_BURST: '3', LIMIT_GUEST_HOURLY: '1' }, node);
  try {
    const from = { 'X-Forwarded-For': '203.0.113.9' };
    const outcomes: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      outcomes.push(await code(ask('register', { 'x-platform-token': newSecret(), ...from }, undefined, few)));
    }
    expect(outcomes).toEqual(['ok', 'ok', 'ok', '429 RATE_LIMITED', '429 RATE_LIMITED']);
  } finally {
    await few.close();
  }
});

describe('a project', () => {
  test('that has switched guests off refuses guests and everybody with an id of theirs', async () => {
    const guest = await newGuest();
    const { body } = await ok(session(node.game, 'create', guest.proof, { platformId: guest.player }));
    await settings(node.game, { guestSignIn: false });
    try {
      expect(await code(ask('register', { 'x-platform-token': newSecret() }))).toBe('403 GUESTS_DISABLED');
      expect(await code(call(guest.proof))).toBe('401 PLATFORM_AUTH_FAILED');
      expect(await code(call(proofOf(guest.player)))).toBe('401 PLATFORM_AUTH_FAILED');
      const held = { 'x-platform-id': guest.player, 'x-auth-session': String(Object(body).sessionToken) };
      expect(await code(save(held, guest.player))).toBe('401 AUTH_SESSION_INVALID');
    } finally {
      await settings(node.game, { guestSignIn: true });
    }
    await ok(call(guest.proof));
  });

  test('that demands no proof says so only to callers that name a player', async () => {
    const told = async (reply: Promise<Reply>) => (await reply).headers['x-ns-player-proof'];
    const guest = await newGuest();
    const named = { 'x-platform-id': PLAYER };
    expect(await told(call(guest.proof))).toBeUndefined();
    await settings(node.game, { requirePlayerAuth: false });
    try {
      const { game } = node;
      expect(await told(call(named))).toBe('none');
      expect(await told(save(named, PLAYER))).toBe('none');
      expect(await told(game.play('POST', game.endpoint('nothing'), { headers: named, body: {} }, null))).toBe('none');
      expect(await told(game.play('POST', game.endpoint('whoami'), { body: { platformId: PLAYER } }, null))).toBe('none');
      expect(await told(call({}))).toBeUndefined();
      expect(await told(game.manage('POST', game.endpoint('whoami'), { headers: named, body: {} }))).toBeUndefined();
      const { body } = await ok(session(game, 'create', guest.proof, { platformId: guest.player }));
      expect(await told(call({ 'x-platform-id': guest.player, 'x-auth-session': Object(body).sessionToken }))).toBeUndefined();
    } finally {
      await settings(node.game, { requirePlayerAuth: true });
    }
  });
});

test('a node that starts loads guests from its tables', async () => {
  const guest = await newGuest();
  await newCode(guest);
  const other = await openNode({}, node);
  expect(Object((await ok(ask('devices', guest.proof, undefined, other))).body)).toMatchObject({ player: guest.player, hasCode: true });
  await other.close();
});

describe('support', () => {
  let supportKey: string;
  beforeAll(async () => {
    supportKey = await newApiKey({ DATABASE_URL: node.databaseUrl }, node.game.projectId, { players: 'rw' });
  });

  const manage = (method: string, path: string, key?: string, body?: object) => {
    const { game } = node;
    const headers = { 'x-secret-key': key ?? supportKey };
    return game.send(method, `/v3/manage/${game.projectId}/${path}`, { headers, ...(body === undefined ? {} : { body }) });
  };

  test('lists the devices of a guest, shuts one out, and makes a code that lets a new device in', async () => {
    const lost = await newGuest();
    const shown = Object((await ok(manage('GET', `guests/${lost.player}`))).body);
    expect(shown).toMatchObject({ player: lost.player, devices: [{ id: lost.device }], account: null, hasCode: false });
    expect(await code(manage('POST', `guests/${lost.player}/revoke`, undefined, { device: lost.device }))).toBe('409 GUEST_CONFLICT');
    const issued = Object((await ok(manage('POST', `guests/${lost.player}/code`))).body);
    expect(issued.hasCode).toBe(true);
    const secret = newSecret();
    expect(Object((await ok(ask('join', { 'x-platform-token': secret }, { code: issued.code }))).body).player).toBe(lost.player);
    const left = Object((await ok(manage('POST', `guests/${lost.player}/revoke`, undefined, { device: lost.device }))).body);
    expect([left.devices.length, left.hasCode]).toEqual([1, false]);
    expect(await code(ask('devices', lost.proof))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await code(ask('devices', { ...lost.proof, 'x-platform-token': secret }))).toBe('ok');
  });

  test('unlinks an account, which may then be linked elsewhere', async () => {
    const [first, second] = [await newGuest(), await newGuest()];
    await ok(ask('link', first.proof, account('76561198000000099')));
    expect(Object((await ok(manage('GET', `guests/${first.player}`))).body).account).toBe('76561198000000099');
    expect(Object((await ok(manage('POST', `guests/${first.player}/unlink`))).body).account).toBeNull();
    expect(await code(ask('link', second.proof, account('76561198000000099')))).toBe('ok');
  });

  test('finds players by how their name begins, live alone', async () => {
    const beat = (platformId: string, playerName: string) =>
      ok(node.game.play('POST', node.game.storage('stats/heartbeat'), { body: { platformId, playerName } }, null));
    for (const [id, name] of [
      ['7001', 'Grace'],
      ['7002', 'gracie_%'],
      ['7003', 'Bo / 😀'],
    ] as const)
      await beat(id, name);
    const find = async (query: string) => Object((await ok(manage('GET', `players?${query}`))).body);
    await vi.waitFor(
      async () =>
        expect((await find('name=GRAC')).players.map(({ platformId }: Guest & { platformId: string }) => platformId)).toEqual([
          '7001',
          '7002',
        ]),
      { timeout: 60_000 },
    );
    expect(await find('name=grac&limit=1')).toMatchObject({ players: [{ platformId: '7001', name: 'Grace', online: true }], more: true });
    // A name is no id: games report any characters.
    const { players } = await find(`name=${encodeURIComponent('bo / 😀')}`);
    expect(players).toMatchObject([{ platformId: '7003', name: 'Bo / 😀' }]);
    expect(await find('name=%25')).toMatchObject({ players: [], more: false });
    expect(await code(manage('GET', 'players'))).toBe('400 INVALID_REQUEST');
  });

  test('needs a permission of its own, which no key has by itself, and a guest that there is', async () => {
    const guest = await newGuest();
    expect(await code(manage('GET', 'guests/nobody'))).toBe('404 NOT_FOUND');
    expect(await code(manage('POST', `guests/${PLAYER}/code`))).toBe('404 NOT_FOUND');
    const lesser = await newApiKey({ DATABASE_URL: node.databaseUrl }, node.game.projectId, { players: 'r' });
    expect(await code(manage('GET', `guests/${guest.player}`, lesser))).toBe('ok');
    expect(await code(manage('POST', `guests/${guest.player}/code`, lesser))).toBe('403 FORBIDDEN');
    expect(await code(manage('GET', `guests/${guest.player}`, node.game.secretKey))).toBe('403 FORBIDDEN');
    expect(await code(manage('GET', `guests/${guest.player}`, node.game.publicKey))).toMatch(/^401 /);
  });
});
