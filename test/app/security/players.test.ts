import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { proxySignature } from '../../../src/domain/security/proxy-signature.ts';
import { ok, PLAYER, type Reply, refused } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor, tokenIn, told } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const OTHER = '76561198000000002';

/** Two projects of two installations: one requires verified players, one does not. */
let strict: Opened;
let open: Opened;
beforeAll(async () => {
  [strict, open] = await Promise.all([openNode(), openNode({ VERIFIER: 'none' })]);
  for (const { game } of [strict, open]) await publish(game);
  await settings(strict.game, { requirePlayerAuth: true, enableAuthSessions: true });
  await settings(open.game, { enableAuthSessions: true });
});
afterAll(() => Promise.all([strict?.close(), open?.close()]));

async function publish(game: Opened['game']): Promise<void> {
  const schema = { gold: { type: 'number', _ledger: true } };
  const collections = [
    { id: 'players', name: 'Players', collectionType: 'per-platformid', accessMode: 'public', allowRecordDelete: true, schema },
    { id: 'towns', name: 'Towns', collectionType: 'global', accessMode: 'public', publicAppend: true, schema },
  ];
  await ok(game.manage('PUT', game.definitions('collections'), { body: collections }));
  const steps = [{ id: 'save', type: 'write', collection: 'players', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: 1 }] }];
  const whoami = {
    id: 'whoami',
    slug: 'whoami',
    method: 'POST',
    enabled: true,
    response: { status: 200, body: { ok: true, me: '{{platformId}}' } },
  };
  await ok(
    game.manage('PUT', game.definitions('endpoints'), {
      body: [
        { ...whoami, steps: [] },
        { ...whoami, id: 'mine', slug: 'mine', steps },
      ],
    }),
  );
}

type Headers = Readonly<Record<string, string>>;

const call = ({ game }: Opened, headers: Headers, body: unknown = {}, slug = 'whoami'): Promise<Reply> =>
  game.play('POST', game.endpoint(slug), { headers, body }, null);
const me = async (reply: Promise<Reply>) => Object((await ok(reply)).body).me;
const load = ({ game }: Opened, headers: Headers, key = PLAYER, collection = 'players') =>
  game.play('GET', game.storage(`${collection}/${key}`), { headers }, null);
const save = ({ game }: Opened, headers: Headers, key = PLAYER, collection = 'players') =>
  game.play('POST', game.storage(`${collection}/${key}`), { headers, body: { gold: 1 } }, null);

/** What a host sends for a player. */
function relayed(game: Opened['game'], purpose: string, player = OTHER, host = PLAYER): Record<string, string> {
  const token = tokenFor(player);
  const signature = proxySignature(game.publicKey, { projectId: game.projectId, purpose, player, token });
  return { ...proofOf(host), 'x-on-behalf-of': player, 'x-on-behalf-of-token': token, 'x-proxy-signature': signature };
}

const secretly = ({ game }: Opened, headers: Headers): Promise<Reply> =>
  game.send('POST', `${game.endpoint('whoami')}?apiKey=${game.publicKey}&secret-key=1`, {
    headers: { 'x-public-key': game.publicKey, 'x-secret-key': game.secretKey, ...headers },
    body: {},
  });

test('a login that proves an invalid player id is refused: the id could be the prefix of another key', async () => {
  for (const id of ['abc', '7', PLAYER.slice(0, 3)]) {
    expect(await refused(save(strict, proofOf(id), `${id}_${PLAYER}`))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(call(strict, proofOf(id)))).toBe('401 PLATFORM_AUTH_FAILED');
  }
  const { body } = await call(strict, proofOf('abc'));
  expect(Object(body).message).toContain('PLATFORM_ID_PATTERN');
});

describe('where players must be verified, an endpoint call', () => {
  test('runs for the player that its token proves', async () => {
    expect(await me(call(strict, proofOf(PLAYER)))).toBe(PLAYER);
    const bodily = { platformId: PLAYER, token: tokenFor(PLAYER) };
    expect(await me(call(strict, {}, bodily))).toBe(PLAYER);
    const { game } = strict;
    const path = `${game.endpoint('whoami')}?platformId=${PLAYER}&token=${tokenFor(PLAYER)}`;
    expect(await me(game.play('GET', path, {}, null))).toBe(PLAYER);
  });

  test('is 401 without a token that proves the id, whether the endpoint exists or not', async () => {
    expect(await refused(call(strict, {}))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(call(strict, { 'x-platform-id': PLAYER, 'x-platform-token': '' }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(call(strict, { 'x-platform-id': PLAYER, 'x-platform-token': tokenFor(OTHER) }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(call(strict, {}, {}, 'nothing'))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(call(strict, proofOf(PLAYER), {}, 'nothing'))).toBe('404 ENDPOINT_NOT_FOUND');
    const { body } = await call(strict, { 'x-platform-id': PLAYER });
    expect(Object(body).error.authFailureKind).toBe('token_rejected');
  });

  test.each<[string, Headers, unknown]>([
    ['another header', { 'x-platform-player-id': OTHER }, {}],
    ['the body', {}, { platformId: OTHER }],
    ['the body, as a number', {}, { platformId: 12345678901 }],
  ])('is 401 for another claim in %s, also where it would not count', async (_, headers, body) => {
    expect(await told(call(strict, { ...proofOf(PLAYER), ...headers }, body))).toBe('200 401 AUTH_SESSION_PLATFORMID_MISMATCH');
  });

  test('writes nothing before its player is proven', async () => {
    expect(await refused(call(strict, { 'x-platform-id': '76561198000000099' }, {}, 'mine'))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(load(strict, proofOf(PLAYER), '76561198000000099'))).toBe('404 NOT_FOUND');
  });

  test('runs on a session alone; a bad token beside it is refused, and a refusal of the session has status 200', async () => {
    const token = await tokenIn(session(strict.game, 'create', proofOf(PLAYER)));
    const held = { 'x-auth-session': token };
    expect(await me(call(strict, held))).toBe(PLAYER);
    expect(await me(call(strict, { ...held, ...proofOf(PLAYER) }))).toBe(PLAYER);
    expect(await me(call(strict, {}, { sessionToken: token, token: 'an input' }))).toBe(PLAYER);
    expect(await refused(call(strict, { ...held, 'x-platform-id': PLAYER, 'x-platform-token': 'bad' }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await told(call(strict, { ...held, ...proofOf(OTHER) }))).toBe('200 401 AUTH_SESSION_PLATFORMID_MISMATCH');
    expect(await told(call(strict, { ...held, 'x-platform-id': OTHER }))).toBe('200 401 AUTH_SESSION_PLATFORMID_MISMATCH');
    expect(await told(call(strict, { 'x-auth-session': 'nonsense' }))).toBe('200 401 AUTH_SESSION_INVALID');
    await ok(session(strict.game, 'revoke', held));
    expect(await told(call(strict, held))).toBe('200 401 AUTH_SESSION_INVALID');
  });

  test('is one call under its Idempotency-Key, with whatever token of its player it is sent again, and wherever the token is', async () => {
    const tokens = [
      await tokenIn(session(strict.game, 'create', proofOf(PLAYER))),
      await tokenIn(session(strict.game, 'create', proofOf(PLAYER))),
    ];
    const key = { 'idempotency-key': 'new token' };
    const [first, second] = tokens;
    expect((await ok(call(strict, key, { sessionToken: first }))).headers['idempotent-replay']).toBe(undefined);
    for (const [headers, body] of [
      [{}, { sessionToken: second }],
      [{}, { authSessionToken: first }],
      [{ 'x-auth-session': second }, {}],
      [{}, { platformId: PLAYER, token: tokenFor(PLAYER) }],
    ] as const) {
      expect((await ok(call(strict, { ...key, ...headers }, body))).headers['idempotent-replay']).toBe('true');
    }
    expect(await refused(call(strict, { ...key, ...proofOf(PLAYER) }, { item: 'axe' }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    // What an endpoint is asked for inside of `input` proves nobody.
    expect(await refused(call(strict, { ...key, ...proofOf(PLAYER) }, { input: { token: 'red' } }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  });

  test('answers nobody with what another player was answered under the same Idempotency-Key, whatever names the player', async () => {
    const key = { 'idempotency-key': 'two players' };
    const [mine, theirs] = [proofOf(PLAYER), proofOf(OTHER)].map((proof) => session(strict.game, 'create', proof));
    for (const [who, opened] of [
      [PLAYER, mine],
      [OTHER, theirs],
    ] as const) {
      const { body, headers } = await ok(call(strict, key, { sessionToken: opened && (await tokenIn(opened)) }));
      expect([Object(body).me, headers['idempotent-replay']]).toEqual([who, undefined]);
    }
    for (const platformId of [PLAYER, OTHER]) {
      const { body, headers } = await ok(call(open, key, { platformId }));
      expect([Object(body).me, headers['idempotent-replay']]).toEqual([platformId, undefined]);
    }
  });

  test('runs for a dedicated server without any proof', async () => {
    expect(await me(secretly(strict, {}))).toBe('anonymous');
    expect(await me(secretly(strict, { 'x-platform-id': PLAYER }))).toBe(PLAYER);
    expect(await me(secretly(strict, { 'x-on-behalf-of': OTHER }))).toBe(OTHER);
    expect(await refused(secretly(strict, { 'x-on-behalf-of': 'x' }))).toBe('400 INVALID_PLATFORMID');
  });
});

describe('a call by a host for another player', () => {
  test('runs for that player when it has signed, and both are proven', async () => {
    expect(await me(call(strict, relayed(strict.game, 'whoami')))).toBe(OTHER);
  });

  test.each<[string, (game: Opened['game']) => Headers]>([
    ['without the signature', (game) => ({ ...relayed(game, 'whoami'), 'x-proxy-signature': '' })],
    ["without the player's token", (game) => ({ ...relayed(game, 'whoami'), 'x-on-behalf-of-token': '' })],
    ['signed for another endpoint', (game) => relayed(game, 'mine')],
    ['signed for another player', (game) => ({ ...relayed(game, 'whoami'), 'x-on-behalf-of': '76561198000000003' })],
    ["without the host's own token", (game) => ({ ...relayed(game, 'whoami'), 'x-platform-token': '' })],
    ["with another's token for the host", (game) => ({ ...relayed(game, 'whoami'), 'x-platform-token': tokenFor(OTHER) })],
  ])('%s is 401', async (_, headers) => {
    expect(await refused(call(strict, headers(strict.game)))).toBe('401 PLATFORM_AUTH_FAILED');
  });

  test("with a player's token that is invalid is 401, even if it is signed", async () => {
    const { game } = strict;
    const signed = { projectId: game.projectId, purpose: 'whoami', player: OTHER, token: 'bad' };
    const headers = {
      ...relayed(game, 'whoami'),
      'x-on-behalf-of-token': 'bad',
      'x-proxy-signature': proxySignature(game.publicKey, signed),
    };
    expect(await refused(call(strict, headers))).toBe('401 PLATFORM_AUTH_FAILED');
  });

  describe('whose token the player chose', () => {
    const handedOn = (game: Opened['game'], token: string) => {
      const signature = proxySignature(game.publicKey, { projectId: game.projectId, purpose: 'whoami', player: OTHER, token });
      return { ...relayed(game, 'whoami'), 'x-on-behalf-of-token': token, 'x-proxy-signature': signature };
    };
    const twelveTimes = async (headers: Headers) => {
      for (let time = 0; time < 12; time += 1) expect(await refused(call(strict, headers))).toBe('401 PLATFORM_AUTH_FAILED');
    };

    test('shuts nobody out when there is none', async () => {
      const at = { 'x-forwarded-for': '203.0.113.7' };
      await twelveTimes({ ...handedOn(strict.game, ''), ...at });
      expect(await me(call(strict, { ...relayed(strict.game, 'whoami'), ...at }))).toBe(OTHER);
    });

    test('does not shut the host out when it is bad', async () => {
      const at = { 'x-forwarded-for': '203.0.113.8' };
      await twelveTimes({ ...handedOn(strict.game, 'bad'), ...at });
      expect(await me(call(strict, { ...proofOf(PLAYER), ...at }))).toBe(PLAYER);
    });
  });

  test('reads a document, signed for the collection in either form', async () => {
    await ok(save(strict, proofOf(OTHER), OTHER));
    await ok(load(strict, relayed(strict.game, 'storage-players'), OTHER));
    await ok(load(strict, relayed(strict.game, 'players'), OTHER));
    expect(await refused(load(strict, relayed(strict.game, 'storage-towns'), OTHER))).toBe('401 PLATFORM_AUTH_FAILED');
  });
});

describe('where players must be verified, documents', () => {
  test('are written and deleted by their own player, or under names that begin with its id', async () => {
    await ok(save(strict, proofOf(PLAYER)));
    await ok(save(strict, proofOf(PLAYER), `${PLAYER}_slot1`));
    expect(await refused(save(strict, proofOf(PLAYER), OTHER))).toBe('403 FORBIDDEN');
    expect(await refused(save(strict, proofOf(PLAYER), `${PLAYER}0`))).toBe('403 FORBIDDEN');
    const remove = (key: string) => strict.game.play('DELETE', strict.game.storage(`players/${key}`), { headers: proofOf(PLAYER) }, null);
    expect(await refused(remove(OTHER))).toBe('403 FORBIDDEN');
    await ok(remove(`${PLAYER}_slot1`));
    await ok(save(strict, proofOf(PLAYER), 'market', 'towns'));
  });

  test("are read by any proven player, also another's", async () => {
    await ok(save(strict, proofOf(OTHER), OTHER));
    await ok(load(strict, proofOf(PLAYER), OTHER));
    expect(await refused(load(strict, {}, OTHER))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(load(strict, {}, OTHER, 'nowhere'))).toBe('404 NOT_FOUND');
    const token = await tokenIn(session(strict.game, 'create', proofOf(PLAYER)));
    await ok(load(strict, { 'x-auth-session': token }, OTHER));
    expect(await refused(load(strict, { 'x-auth-session': 'nonsense' }, OTHER))).toBe('401 AUTH_SESSION_INVALID');
  });

  test('are refused before their body is read', async () => {
    const { game } = strict;
    const reply = game.play('POST', game.storage(`players/${PLAYER}`), { raw: '{"gold":' }, null);
    expect(await refused(reply)).toBe('401 PLATFORM_AUTH_FAILED');
  });

  test('have a ledger that only their own player reads', async () => {
    await ok(save(strict, proofOf(PLAYER)));
    const ledger = (headers: Headers, key = PLAYER) =>
      strict.game.play('GET', strict.game.storage(`players/${key}/ledger`), { headers }, null);
    await ok(ledger(proofOf(PLAYER)));
    expect(await refused(ledger(proofOf(OTHER)))).toBe('403 FORBIDDEN');
    expect(await refused(ledger({ 'x-platform-id': PLAYER }))).toBe('401 PLATFORM_AUTH_FAILED');
  });

  test('are appended in the name of the player that is proven alone', async () => {
    const { game } = strict;
    const append = (headers: Headers) => game.play('POST', game.storage('towns/append'), { headers, body: { gold: 1 } }, null);
    expect(Object((await ok(append(proofOf(PLAYER)))).body).record._writerId).toBe(PLAYER);
    expect(await refused(append({ 'x-platform-id': PLAYER }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(await refused(append({ ...proofOf(PLAYER), 'x-on-behalf-of': OTHER }))).toBe('401 PLATFORM_AUTH_FAILED');
    expect(Object((await ok(append(relayed(game, 'storage-towns')))).body).record._writerId).toBe(OTHER);
  });

  test('need no proven player from a dedicated server', async () => {
    const { game } = strict;
    await ok(game.manage('POST', game.storage(`players/${OTHER}`), { body: { gold: 2 } }));
    await ok(game.manage('GET', game.storage(`players/${OTHER}`)));
  });
});

describe('where players need not be verified', () => {
  test('a claimed player is accepted, and tokens are not checked', async () => {
    expect(await me(call(open, {}))).toBe('anonymous');
    expect(await me(call(open, { 'x-platform-id': PLAYER, 'x-platform-token': 'whatever' }))).toBe(PLAYER);
    expect(await me(call(open, { 'x-platform-id': PLAYER, 'x-on-behalf-of': OTHER }))).toBe(OTHER);
    await ok(save(open, { 'x-platform-id': PLAYER }, OTHER));
  });

  test('a session that was sent must be in force all the same, and names the player', async () => {
    expect(await told(call(open, { 'x-auth-session': 'nonsense' }))).toBe('200 401 AUTH_SESSION_INVALID');
    await settings(open.game, { enableAuthSessions: false });
    expect(await told(call(open, { 'x-auth-session': 'nonsense' }))).toBe('200 403 AUTH_SESSION_DISABLED');
    const believing = { security: { authSessions: 'enabled' } };
    const { body } = await ok(call(open, { 'x-auth-session': 'nonsense' }, believing));
    expect(Object(body)).toMatchObject({ ok: false, status: 409, error: { code: 'SECURITY_SESSION_DISABLED' } });
    expect(Object(body).error.security.expected).toMatchObject({ authSessions: 'disabled' });
    await settings(open.game, { enableAuthSessions: true });
    await settings(strict.game, { requirePlayerAuth: false });
    const token = await tokenIn(session(strict.game, 'create', proofOf(PLAYER)));
    // The client always adds its platform token, which nobody may be able to check here.
    const held = { 'x-auth-session': token, 'x-platform-id': PLAYER, 'x-platform-token': 'whatever' };
    expect(await me(call(strict, held))).toBe(PLAYER);
    expect(await told(call(strict, { ...held, 'x-platform-id': OTHER }))).toBe('200 401 AUTH_SESSION_PLATFORMID_MISMATCH');
    await settings(strict.game, { requirePlayerAuth: true });
  });
});

test('an installation without a verifier refuses where players must be verified, and does not blame the token', async () => {
  await settings(open.game, { requirePlayerAuth: true });
  const { status, body, headers } = await call(open, proofOf(PLAYER));
  expect([status, Object(body).error.code, Object(body).error.authFailureKind]).toEqual([
    401,
    'PLATFORM_AUTH_FAILED',
    'service_unavailable',
  ]);
  expect(headers['retry-after']).toBe('5');
  await settings(open.game, { requirePlayerAuth: false });
});

test('a player who can be proven may finish a save that began before the project required proof', async () => {
  const turned = await openNode();
  try {
    await publish(turned.game);
    const { game } = turned;
    const headers = { 'x-public-key': game.publicKey, 'content-type': 'application/json', ...proofOf(PLAYER) };
    const saving = httpRequest(`${game.url}${game.storage(`players/${PLAYER}`)}`, { method: 'POST', headers });
    const answered = once(saving, 'response');
    saving.write('{"gold":');
    // The first half of the body has come and access was granted once a later request has been answered.
    await ok(save(turned, {}, OTHER));
    await settings(game, { requirePlayerAuth: true });
    saving.end('5}');
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBe(200);
  } finally {
    await turned.close();
  }
});
