import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok, PLAYER } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings, tokenFor, tokenIn } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let node: Opened;
let token: string;
beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  const collection = { id: 'players', name: 'Players', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
  await ok(game.manage('PUT', game.definitions('collections'), { body: [collection] }));
  const whoami = {
    id: 'whoami',
    slug: 'whoami',
    method: 'POST',
    enabled: true,
    steps: [],
    response: { status: 200, body: { ok: true, me: '{{platformId}}' } },
  };
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: [whoami] }));
  await settings(game, { requirePlayerAuth: true, enableAuthSessions: true });
  token = await tokenIn(session(game, 'create', proofOf(PLAYER)));
});
afterAll(() => node?.close());

const OTHER = '76561198000000002';

/** Made once, because the time in them is signed too. */
const PROVEN: Readonly<Record<string, string>> = { [PLAYER]: tokenFor(PLAYER), [OTHER]: tokenFor(OTHER) };

/** Valid proofs, almost valid ones, and anything else. */
const value = fc.oneof(
  fc.constantFrom('', '0', PLAYER, OTHER, ` ${PLAYER}`, ...Object.values(PROVEN), tokenFor(PLAYER, 'another secret of theirs')),
  fc.constantFrom('TOKEN', 'Bearer TOKEN', 'a'.repeat(64), `7${'0'.repeat(40)}`, 'a/b', '../..'),
  fc.stringMatching(/^[ -~]{0,80}$/),
);
const header = fc.constantFrom(
  ...['x-platform-id', 'x-platform-player-id', 'x-platform-token', 'x-platform-auth-token', 'x-auth-session', 'x-auth-session-token'],
  ...['authorization', 'x-on-behalf-of', 'x-on-behalf-of-token', 'x-proxy-signature'],
);
const member = fc.constantFrom('platformId', 'token', 'sessionToken', 'authSessionToken', 'security', 'input');
const headers = fc.dictionary(header, value, { maxKeys: 5 });
const body = fc.dictionary(member, fc.oneof(value, fc.integer(), fc.constant(null)), { maxKeys: 3 });
const query = fc.dictionary(fc.constantFrom('platformId', 'platformid', 'token', 'sessionToken'), value, { maxKeys: 2 });

test('every admitted player was proven, and no request is a fault', async () => {
  const whole = (text: string) => text.replace('TOKEN', token);
  const property = fc.asyncProperty(fc.boolean(), headers, body, query, async (calls, sent, sentBody, asked) => {
    const { game } = node;
    const search = new URLSearchParams(asked).toString();
    const path = `${calls ? game.endpoint('whoami') : game.storage(`players/${PLAYER}`)}?${search}`;
    const named = Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, whole(text)]));
    const reply = await game.play('POST', path, { headers: named, body: sentBody }, null);
    expect(reply.status).toBeLessThan(500);
    const { ok: isIn, me } = Object(reply.body);
    if (isIn !== true) return;
    const said = JSON.stringify([named, sentBody, asked]);
    const player = String(calls ? me : PLAYER);
    expect([PLAYER, OTHER]).toContain(player);
    expect(said.includes(PROVEN[player] ?? '') || (player === PLAYER && said.includes(token))).toBe(true);
  });
  await fc.assert(property, { numRuns: 400 });
});
