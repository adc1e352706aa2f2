import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WIRE_TEXTS, wireNames } from '../../../src/domain/wire-names.ts';
import { ok, PLAYER } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor, tokenIn, told } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let node: Opened;
let beside: Opened;
beforeAll(async () => {
  node = await openNode();
  beside = await openNode({ WIRE_NAMES: 'published' }, node);
  await settings(node.game, { enableAuthSessions: true });
});
afterAll(async () => {
  await beside?.close();
  await node?.close();
});

const create = (player = PLAYER) => session(node.game, 'create', proofOf(player), { platformId: player });
const withToken = (token: string) => ({ 'x-auth-session': token });

describe('an auth session', () => {
  test('is created for a proven player, with all members that the client reads', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      status: 200,
      sessionToken: expect.stringMatching(/^ns_sess_[\w.-]+$/),
      ttlSeconds: 3600,
      session: {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        projectId: node.game.projectId,
        userId: 1,
        platformId: PLAYER,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expiresAt: expect.any(String),
        revokedAt: null,
      },
      _requestId: headers['x-request-id'],
    });
    const { createdAt, expiresAt } = Object(body).session;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(3_600_000);
  });

  test('counts at once on every node, however many were just made', async () => {
    for (let made = 0; made < 8; made += 1) {
      const token = await tokenIn(create());
      expect((await session(beside.game, 'refresh', withToken(token))).body).toMatchObject({ ok: true });
    }
  });

  test.each(['/v3/sessions', '/v1/auth-sessions', '/v1/sessions'])('is created under %s as well', async (prefix) => {
    const { game } = node;
    const path = `${prefix}/${game.projectId}/create?apiKey=${game.publicKey}`;
    const reply = await ok(game.send('POST', path, { headers: proofOf(PLAYER), body: { platformId: PLAYER } }));
    expect(reply.body).toMatchObject({ ok: true, session: { platformId: PLAYER } });
  });

  test('takes the id from the body alone, also as a number that no double holds', async () => {
    const headers = { 'x-platform-token': tokenFor(PLAYER) };
    expect(Object((await ok(session(node.game, 'create', headers, { platformId: PLAYER }))).body).session.platformId).toBe(PLAYER);
    const { game } = node;
    const path = `/v3/sessions/${game.projectId}/create?apiKey=${game.publicKey}`;
    const reply = await ok(game.send('POST', path, { headers, raw: `{"platformId":${PLAYER}}` }));
    expect(Object(reply.body).session.platformId).toBe(PLAYER);
  });

  test('is refused with status 200 and the real status inside, so that the game can read it', async () => {
    const { game } = node;
    const wrong = { ...proofOf(PLAYER), 'x-platform-token': tokenFor('76561198000000002') };
    expect(await told(session(game, 'create', wrong))).toBe('200 401 PLATFORM_AUTH_FAILED');
    expect(await told(session(game, 'create', { 'x-platform-id': PLAYER, 'x-platform-token': '' }))).toBe('200 401 PLATFORM_AUTH_FAILED');
    expect(await told(session(game, 'create', { 'x-platform-token': tokenFor(PLAYER) }))).toBe('200 400 INVALID_PLATFORMID');
    expect(await told(session(game, 'create', proofOf('123')))).toBe('200 400 INVALID_PLATFORMID');
    const other = session(game, 'create', proofOf(PLAYER), { platformId: '76561198000000002' });
    expect(await told(other)).toBe('200 403 AUTH_SESSION_PLATFORMID_MISMATCH');
    expect(await told(session(game, 'create', { ...proofOf(PLAYER), 'x-api-key': 'nonsense' }))).toBe('200 401 UNAUTHORIZED');
    expect(await told(session(game, 'refresh'))).toBe('200 401 AUTH_SESSION_REQUIRED');
    expect(await told(session(game, 'reauth', withToken('nonsense')))).toBe('200 401 AUTH_SESSION_INVALID');
    expect(await told(session(game, 'revoke', {}, { sessionToken: 'nonsense' }))).toBe('200 401 AUTH_SESSION_INVALID');
    const { body, headers } = await session(game, 'refresh');
    expect(body).toEqual({
      ok: false,
      status: 401,
      error: { code: 'AUTH_SESSION_REQUIRED', message: expect.any(String), requestId: headers['x-request-id'] },
      message: Object(body).error.message,
      _requestId: headers['x-request-id'],
    });
  });

  test('says why a token was rejected', async () => {
    const { body } = await session(node.game, 'create', { ...proofOf(PLAYER), 'x-platform-token': 'x' });
    expect(Object(body).error.authFailureKind).toBe('token_rejected');
  });

  test('needs only headers if the body is no JSON', async () => {
    const { game } = node;
    const path = `/v3/auth-sessions/${game.projectId}/create?apiKey=${game.publicKey}`;
    await ok(game.send('POST', path, { headers: proofOf(PLAYER), raw: '{"platformId":' }));
    await ok(game.send('POST', path, { headers: proofOf(PLAYER), raw: '[1]' }));
    await ok(game.send('POST', path, { headers: proofOf(PLAYER) }));
  });

  test("does not end the player's others, however many are made at once", async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenIn(create())));
    expect(new Set(tokens).size).toBe(8);
    for (const token of tokens) await tokenIn(session(node.game, 'refresh', withToken(token)));
  });

  test('is refreshed wherever its token is sent, and the old one stays in force', async () => {
    const token = await tokenIn(create());
    const fresh = await tokenIn(session(node.game, 'refresh', withToken(token)));
    expect(fresh).not.toBe(token);
    for (const headers of [{ 'x-auth-session-token': fresh }, { Authorization: `Bearer ${fresh}` }]) {
      await tokenIn(session(node.game, 'refresh', headers));
    }
    await tokenIn(session(node.game, 'refresh', {}, { sessionToken: fresh }));
    await tokenIn(session(node.game, `refresh?authSessionToken=${fresh}&x=`));
    await tokenIn(session(node.game, 'refresh', withToken(token)));
  });

  test('is renewed by reauth for its own player alone', async () => {
    const token = await tokenIn(create());
    await tokenIn(session(node.game, 'reauth', { ...withToken(token), ...proofOf(PLAYER) }));
    expect(await told(session(node.game, 'reauth', withToken(token)))).toBe('200 401 PLATFORM_AUTH_FAILED');
    const other = { ...withToken(token), ...proofOf('76561198000000002') };
    expect(await told(session(node.game, 'reauth', other))).toBe('200 403 AUTH_SESSION_PLATFORMID_MISMATCH');
  });

  test('that is revoked ends at once, on every node, with all that were refreshed from it', async () => {
    const token = await tokenIn(create());
    const fresh = await tokenIn(session(beside.game, 'refresh', withToken(token)));
    expect(fresh.startsWith(WIRE_TEXTS.sessionPrefix.published)).toBe(true);
    const { body } = await ok(session(node.game, 'revoke', {}, { sessionToken: token }));
    expect(body).toMatchObject({ ok: true, status: 200, session: { revokedAt: expect.any(String) } });
    expect(body).not.toHaveProperty('sessionToken');
    for (const [game, one] of [
      [beside.game, token],
      [beside.game, fresh],
      [node.game, fresh],
    ] as const) {
      expect(await told(session(game, 'refresh', withToken(one)))).toBe('200 401 AUTH_SESSION_INVALID');
    }
    expect(await told(session(node.game, 'revoke', withToken(token)))).toBe('200 401 AUTH_SESSION_INVALID');
  });

  test('is known on another node as soon as it is answered', async () => {
    for (let i = 0; i < 5; i += 1) {
      const token = await tokenIn(create());
      await tokenIn(session(beside.game, 'refresh', withToken(token)));
      await new Promise((resolve) => setTimeout(resolve, 210));
    }
  });

  test('is spelled as the published client spells it if the setting says so', async () => {
    const { body } = await ok(session(beside.game, 'create', proofOf(PLAYER)));
    const names = wireNames('published');
    expect(Object(body).session).toMatchObject({ [names.member('platformId')]: PLAYER });
    expect(await told(session(beside.game, 'create'))).toBe(`200 400 ${names.code('INVALID_PLATFORMID')}`);
  });

  test('is stored as a hash: neither log nor tables hold its token', async () => {
    const token = await tokenIn(create());
    const secret = token.split('.').at(-1);
    const pool = new pg.Pool({ connectionString: node.databaseUrl, max: 1 });
    const stored = await pool.query(`SELECT count(*)::int AS n FROM savepoint.log_events WHERE data::text LIKE '%' || $1 || '%'`, [secret]);
    expect(stored.rows).toEqual([{ n: 0 }]);
    const kept = await pool.query(`SELECT count(*)::int AS n FROM savepoint.sessions WHERE sessions::text LIKE '%' || $1 || '%'`, [secret]);
    expect(kept.rows).toEqual([{ n: 0 }]);
    await pool.end();
  });
});

describe('auth sessions of a project', () => {
  test('that has switched them off, or is disabled, are refused', async () => {
    const other = await openNode();
    try {
      expect(await told(session(other.game, 'create', proofOf(PLAYER)))).toBe('200 403 AUTH_SESSION_DISABLED');
      await settings(other.game, { enableAuthSessions: true, authSessionTtlSeconds: 60 });
      const { body } = await ok(session(other.game, 'create', proofOf(PLAYER)));
      expect(Object(body).ttlSeconds).toBe(60);
      await settings(other.game, { enabled: false });
      expect(await told(session(other.game, 'create', proofOf(PLAYER)))).toBe('200 403 PROJECT_DISABLED');
    } finally {
      await other.close();
    }
  });
});

describe('whatever is sent to these routes', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      PLAYER,
      'null',
      'ns_sess_',
      `ns_sess_${'a'.repeat(32)}.${'b'.repeat(32)}.1760000000000.${'c'.repeat(43)}`,
      'Bearer x',
    ),
    fc.stringMatching(/^[ -~]{0,60}$/),
  );
  const names = fc.constantFrom(
    ...['x-platform-id', 'x-platform-player-id', 'x-platform-token', 'x-auth-session', 'x-auth-session-token', 'authorization'],
    ...['x-on-behalf-of', 'x-on-behalf-of-token', 'x-proxy-signature', 'x-forwarded-for', 'x-correlation-id'],
  );
  const members = fc.constantFrom('platformId', 'token', 'sessionToken', 'authSessionToken', '__proto__', 'security');
  const body = fc.oneof(
    fc
      .dictionary(members, fc.oneof(piece, fc.json(), fc.constantFrom(76561198000000001n.toString(), '1e999')))
      .map((one) => JSON.stringify(one)),
    fc.json(),
    fc.string(),
  );
  const operation = fc.constantFrom('create', 'refresh', 'reauth', 'revoke');
  const query = fc.constantFrom('', '&platformId=1&platformId=2', '&sessionToken=%00', '&token=x', '&authSessionToken[]=1');

  test('is answered with an object, status 200 and a code, and never with a fault', async () => {
    const property = fc.asyncProperty(operation, fc.dictionary(names, piece), body, query, async (what, headers, raw, more) => {
      const { game } = node;
      const path = `/v3/auth-sessions/${game.projectId}/${what}?apiKey=${game.publicKey}${more}`;
      const reply = await game.send('POST', path, { headers, raw });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ ok: false, status: expect.any(Number), error: { code: expect.any(String) } });
      expect(Object(reply.body).status).toBeLessThan(500);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
