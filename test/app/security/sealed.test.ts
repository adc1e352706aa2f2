import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Seal, seal } from '../../domain/security/seal.ts';
import { publishGame } from '../../node/support/game.ts';
import { ok, PLAYER, wireText } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor, told } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Sealed requests and the `security` block, with sessions and proven players. */

let node: Opened;
beforeAll(async () => {
  node = await openNode();
  await publishGame(node.game);
});
afterAll(() => node?.close());

const OTHER = '76561198000000002';
const block = { configVersion: '', clientMode: 'session+encrypted', authSessions: 'enabled', encryptedRequests: 'required' };
let count = 0;

function sealedBody(of: Partial<Seal> = {}) {
  const { publicKey, projectId } = node.game;
  count += 1;
  const id = `${Math.floor(Date.now() / 1000)}_${count.toString(16).padStart(32, '0')}`;
  const plain = wireText({ times: 2, security: block, encryptedRequestId: id, _endpointSlug: 'echo' });
  return { security: block, encrypted: true, envelope: seal({ publicKey, projectId, identity: PLAYER, plain, ...of }) };
}

const call = (body: object, headers: Readonly<Record<string, string>>, player: string | null = PLAYER) =>
  node.game.play('POST', node.game.endpoint('echo'), { body, headers: { 'x-ns-security-mode': 'session+encrypted', ...headers } }, player);

/** Token and id of a new session, as the client keeps them. */
async function newSession(player = PLAYER): Promise<{ readonly headers: Record<string, string>; readonly id: string }> {
  const { sessionToken, session: made } = Object((await ok(session(node.game, 'create', proofOf(player), { platformId: player }))).body);
  // With a session, a client still sends its id and a token.
  return { headers: { ...proofOf(player), 'x-auth-session': sessionToken }, id: made.id };
}

describe.each([false, true])('where players must be proven: %s', (requirePlayerAuth) => {
  beforeAll(() => settings(node.game, { requirePlayerAuth, enableAuthSessions: true, enableEncryptedRequests: true }));

  test('a request sealed with a session is accepted with that session, once', async () => {
    const { headers, id } = await newSession();
    const body = sealedBody({ sessionId: id });
    expect((await ok(call(body, headers))).body).toMatchObject({ ok: true, twice: 4 });
    expect(await told(call(body, headers))).toBe('409 undefined ENCRYPTED_REQUEST_REPLAY_DETECTED');
  });

  test('with an Idempotency-Key it gets its first answer, sent as it was or sealed anew; its id alone still counts once', async () => {
    const key = { 'idempotency-key': `sealed ${requirePlayerAuth}` };
    const body = sealedBody();
    const first = await ok(call(body, { ...proofOf(PLAYER), ...key }));
    expect(first.headers['idempotent-replay']).toBe(undefined);
    for (const again of [body, sealedBody()]) {
      const reply = await ok(call(again, { ...proofOf(PLAYER), ...key }));
      expect([reply.text, reply.headers['idempotent-replay']]).toEqual([first.text, 'true']);
    }
    expect(await told(call(body, proofOf(PLAYER)))).toBe('409 undefined ENCRYPTED_REQUEST_REPLAY_DETECTED');
    const { publicKey, projectId } = node.game;
    const plain = wireText({
      times: 3,
      security: block,
      encryptedRequestId: `${Math.floor(Date.now() / 1000)}_abcdef${requirePlayerAuth}`,
    });
    const other = { ...body, envelope: seal({ publicKey, projectId, identity: PLAYER, plain }) };
    expect(await told(call(other, { ...proofOf(PLAYER), ...key }))).toBe('409 undefined IDEMPOTENCY_KEY_REUSED');
  });

  test('it is refused with another session or none, in a body that a game can read', async () => {
    const [mine, another] = [await newSession(), await newSession()];
    const body = sealedBody({ sessionId: mine.id });
    expect(await told(call(body, another.headers))).toBe('200 401 AUTH_SESSION_PLATFORMID_MISMATCH');
    expect(await told(call(body, proofOf(PLAYER)))).toBe('200 401 AUTH_SESSION_REQUIRED');
    await ok(call(body, mine.headers));
  });

  test('a request sealed with the player’s id is accepted without a session, and for nobody else', async () => {
    await ok(call(sealedBody(), proofOf(PLAYER)));
    await ok(call(sealedBody(), (await newSession()).headers));
    expect(await told(call(sealedBody(), proofOf(OTHER), OTHER))).toBe('401 undefined REQUEST_SIGNATURE_INVALID');
  });

  test('a host may pass on a request that its player sealed', async () => {
    const { projectId, publicKey } = node.game;
    const token = tokenFor(PLAYER);
    const signature = createHmac('sha256', publicKey).update(`${projectId}:echo:${PLAYER}:${token}`).digest('hex');
    const relayed = { 'x-on-behalf-of': PLAYER, 'x-on-behalf-of-token': token, 'x-proxy-signature': signature };
    await ok(call(sealedBody(), { ...proofOf(OTHER), ...relayed }, OTHER));
    expect(await told(call(sealedBody({ identity: OTHER }), { ...proofOf(OTHER), ...relayed }, OTHER))).toBe(
      '401 undefined REQUEST_SIGNATURE_INVALID',
    );
  });
});

describe('where sessions have been switched off', () => {
  test('a game that expects sessions is told the mode in force; another is told that sessions are off', async () => {
    await settings(node.game, { requirePlayerAuth: false, enableAuthSessions: true, enableEncryptedRequests: false });
    const { headers } = await newSession();
    await ok(call({ times: 2, security: block }, headers));
    await settings(node.game, { enableAuthSessions: false });
    const reply = await call({ times: 2, security: block }, headers);
    expect([reply.status, reply.body]).toMatchObject([
      200,
      {
        ok: false,
        status: 409,
        error: {
          code: 'SECURITY_SESSION_DISABLED',
          security: {
            configVersion: expect.stringMatching(/^[0-9a-f]{16}$/),
            expected: { authSessions: 'disabled', encryptedRequests: 'disabled' },
          },
        },
      },
    ]);
    expect(await told(call({ times: 2, security: { ...block, authSessions: 'disabled' } }, headers))).toBe('200 403 AUTH_SESSION_DISABLED');
    await ok(call({ times: 2, security: block }, proofOf(PLAYER)));
  });
});
