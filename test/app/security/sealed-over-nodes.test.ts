import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seal } from '../../domain/security/seal.ts';
import { ok, PLAYER, type Reply, refused } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings, told } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Sealed calls that carry a session, over two nodes of one installation. */

let node: Opened;
let beside: Opened;
beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  const whoami = { id: 'whoami', slug: 'whoami', method: 'POST', enabled: true, steps: [] };
  const response = { status: 200, body: { ok: true, me: '{{platformId}}' } };
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: [{ ...whoami, response }] }));
  await settings(game, { requirePlayerAuth: true, enableAuthSessions: true, enableEncryptedRequests: true });
  beside = await openNode({}, node);
});
afterAll(async () => {
  await beside?.close();
  await node?.close();
});

interface Held {
  readonly id: string;
  readonly token: string;
}

async function create(player = PLAYER): Promise<Held> {
  const { body } = await ok(session(node.game, 'create', proofOf(player)));
  return { id: Object(body).session.id, token: Object(body).sessionToken };
}

const newId = () => `${Math.floor(Date.now() / 1000)}_${randomBytes(16).toString('hex')}`;

function sealed(sessionId: string, id = newId()): object {
  const { publicKey, projectId } = node.game;
  const plain = JSON.stringify({ encryptedRequestId: id, _endpointSlug: 'whoami' });
  return { encrypted: true, envelope: seal({ publicKey, projectId, identity: PLAYER, sessionId, plain }) };
}

function call({ game }: Opened, body: object, { token }: Pick<Held, 'token'>): Promise<Reply> {
  const headers = { 'x-ns-security-mode': 'session+encrypted', 'x-auth-session': token, ...proofOf(PLAYER) };
  return game.play('POST', game.endpoint('whoami'), { headers, body }, null);
}

test('a call sealed for a session runs for its player, once over all nodes', async () => {
  const held = await create();
  const body = sealed(held.id);
  const replies = await Promise.all([node, beside, node, beside].map((where) => call(where, body, held)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(replies.find(({ status }) => status === 200)?.body).toEqual({ ok: true, me: PLAYER });
  expect(await refused(call(beside, body, held))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
});

test('the same request id counts once for each session', async () => {
  const [one, two] = [await create(), await create()];
  const id = newId();
  await ok(call(node, sealed(one.id, id), one));
  await ok(call(node, sealed(two.id, id), two));
  expect(await refused(call(node, sealed(one.id, id), one))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
});

test('a session that was revoked on another node refuses sealed calls', async () => {
  const held = await create();
  await ok(call(node, sealed(held.id), held));
  await ok(session(beside.game, 'revoke', { 'x-auth-session': held.token }));
  expect(await told(call(node, sealed(held.id), held))).toBe('200 401 AUTH_SESSION_INVALID');
});
