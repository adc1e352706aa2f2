import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { listOf, objectOf } from '../../../src/kernel/json-read.ts';
import { seal } from '../../domain/security/seal.ts';
import { newApiKey, printed } from '../../node/support/command-line.ts';
import { bodyOf, ok, type Reply, wireText } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Every id that somebody may hold is explained over HTTP, with the input of a call that keeps it, and with what followed. */

const PLAYER = '7001';
const OTHER = '7002';
const BLOCK = { configVersion: '', clientMode: 'encrypted', authSessions: 'disabled', encryptedRequests: 'required' };

let opened: Opened;
let historyKey: string;
/** What somebody holds, by what it is. */
const held: Record<string, string> = {};
/** Answers of calls. */
const done: Record<string, Reply> = {};

const explain = async (id: string, query = '') => {
  const path = `/v3/manage/${opened.game.projectId}/explain/${encodeURIComponent(id)}${query}`;
  const { meanings } = await bodyOf(opened.game.manage('GET', path, { headers: { 'x-api-key': historyKey } }));
  return listOf(meanings).map((meaning) => objectOf(meaning));
};
const commitsOf = (meaning: JsonObject | undefined, part = 'commits') => listOf(meaning?.[part]).map((commit) => objectOf(commit));
const positionOf = (reply: Reply | undefined) => Number(reply?.headers['x-ns-position']);
const buy = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  ok(opened.game.play('POST', opened.game.endpoint('buy'), { body, headers: { 'x-platform-id': PLAYER, ...headers } }));

beforeAll(async () => {
  opened = await openNode();
  const { game } = opened;
  historyKey = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId, { history: 'r' });
  await settings(game, { enableAuthSessions: true, guestSignIn: true, enableEncryptedRequests: true });
  const purses = { name: 'purses', accessMode: 'public', maxRecords: 3, schema: { gold: { type: 'number', _ledger: true } } };
  const news = { name: 'news', collectionType: 'global', accessMode: 'public', schema: { text: { type: 'string' } } };
  await ok(game.manage('POST', game.definitions('collections'), { body: [purses, news] }));
  const step = { id: 'pay', type: 'write', collection: 'purses', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: -1 }] };
  const bought = { slug: 'buy', method: 'POST', record: 'input', steps: [step], response: { status: 200, body: { ok: true } } };
  const published = await ok(
    game.manage('POST', game.definitions('endpoints'), { body: [bought, { ...bought, slug: 'forgets', record: undefined }] }),
  );
  held['publish'] = String(positionOf(published));

  await ok(game.play('POST', game.storage(`purses/${PLAYER}`), { body: { gold: 100 }, headers: { 'x-platform-id': PLAYER } }));
  const made = await ok(session(game, 'create', proofOf(PLAYER), { platformId: PLAYER }));
  held['session'] = Object(made.body).session.id;
  const device = { 'x-platform-token': `ns_guest_${'A'.repeat(42)}E`, 'x-public-key': game.publicKey };
  held['guest'] = (await bodyOf(game.send('POST', `/v3/guests/${game.projectId}/register`, { headers: device }))).player;
  const slots = game.storage(`purses/${PLAYER}/records`);
  const slot = await bodyOf(game.play('POST', slots, { body: { recordName: 'hard' }, headers: { 'x-platform-id': PLAYER } }));
  held['saveRecord'] = slot.recordId;
  held['record'] = (await bodyOf(game.manage('POST', game.storage('news/append'), { body: { text: 'hello' } }))).record._id;
  done['keyed'] = await buy({ item: 'axe' }, { 'idempotency-key': 'axe of today' });
  held['idempotencyKey'] = 'axe of today';
  done['proven'] = await buy({ item: 'bow', token: 'an opaque ticket', platformId: PLAYER, apiKey: game.publicKey });
  held['sealedRequest'] = `${Math.floor(Date.now() / 1000)}_${'a'.repeat(32)}`;
  const plain = wireText({ item: 'sealed', security: BLOCK, encryptedRequestId: held['sealedRequest'], _endpointSlug: 'buy' });
  const { publicKey, projectId } = game;
  const body = { security: BLOCK, encrypted: true, envelope: seal({ publicKey, projectId, identity: PLAYER, plain }) };
  done['sealed'] = await buy(body, { ...proofOf(PLAYER), 'x-ns-security-mode': 'encrypted' });
  const secrets = { note: `sk_${'x'.repeat(48)}`, deep: [{ at: 'https://ada:secret@example.org/x' }], many: 'x'.repeat(5_000), n: 7 };
  done['masked'] = await buy({ item: 'rope', ...secrets });
  done['forgotten'] = await ok(game.play('POST', game.endpoint('forgets'), { body: { item: 'x' }, headers: { 'x-platform-id': PLAYER } }));
  for (let gold = 1; gold <= 12; gold += 1)
    await ok(game.play('POST', game.storage(`purses/${PLAYER}`), { body: { gold }, headers: { 'x-platform-id': PLAYER } }));
  await ok(game.play('POST', game.storage(`purses/${OTHER}`), { body: { gold: 1 }, headers: { 'x-platform-id': OTHER } }));
  const [commit] = commitsOf((await explain(String(positionOf(done['masked']))))[0]);
  held['key'] = String(objectOf(commit?.['actor'])['keyId']);
});

afterAll(() => opened?.close());

describe('what somebody holds is told as what it is', () => {
  test.each(['publish', 'session', 'guest', 'saveRecord', 'record', 'idempotencyKey', 'sealedRequest', 'key'])('%s', async (kind) => {
    const meanings = await explain(held[kind] ?? '');
    expect(meanings.map(({ is }) => is)).toEqual([kind]);
    const [meaning] = meanings;
    if (kind === 'key') expect(objectOf(meaning?.['links'])['commits']).toContain(held['key']);
    else expect(commitsOf(meaning).length).toBeGreaterThan(0);
    if (kind === 'session') expect(commitsOf(meaning)).toMatchObject([{ cause: 'session.create', players: [PLAYER] }]);
  });
});

describe('the input of a call', () => {
  const inputAt = async (name: string) => commitsOf((await explain(String(positionOf(done[name]))))[0])[0]?.['input'];

  test('is kept with the commit, also of a sealed call and of a keyed one', async () => {
    expect(await inputAt('keyed')).toEqual({ value: { item: 'axe' } });
    expect(await inputAt('sealed')).toEqual({ value: { item: 'sealed' } });
    expect(await inputAt('forgotten')).toBeUndefined();
    // What proves the caller stands beside the input here, and is none of it.
    expect(await inputAt('proven')).toEqual({ value: { item: 'bow' } });
  });

  test('has no secrets, and is bounded', async () => {
    const value = { item: 'rope', note: 'sk_***', deep: [{ at: expect.not.stringContaining('secret') }], n: 7 };
    expect(await inputAt('masked')).toEqual({ value, left: 1 });
  });

  test('is shown by commits and by the command', async () => {
    const { projectId, url } = opened.game;
    const path = `/v3/manage/${projectId}/commits?endpoint=buy&limit=1`;
    const { commits } = await bodyOf(opened.game.manage('GET', path, { headers: { 'x-api-key': historyKey } }));
    expect(objectOf(listOf(commits)[0])['input']).toMatchObject({ value: { item: 'rope' }, left: 1 });
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: historyKey };
    const said = await printed(['explain', String(positionOf(done['keyed']))], { env });
    expect(said).toContain('input {"item":"axe"}');
    expect(said).toContain('Then:\n');
  });
});

test('what followed is listed: the next ten commits of the players, and nobody else’s', async () => {
  const [meaning] = await explain(String(positionOf(done['masked'])));
  const followed = commitsOf(meaning, 'followed');
  expect(followed).toHaveLength(10);
  const revisions = followed.map(({ revision }) => Number(revision));
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  expect(revisions[0]).toBe(positionOf(done['forgotten']));
  for (const { players } of followed) expect(players).toEqual([PLAYER]);
  expect((await explain(OTHER))[0]?.['followed']).toBeUndefined();
});

test('what followed is left out where nobody asks for it, and nothing else is', async () => {
  const held = String(positionOf(done['masked']));
  const [whole] = await explain(held);
  const { followed: _, ...rest } = objectOf(whole ?? null);
  expect(await explain(held, '?withoutFollowed=true')).toEqual([rest]);
});
