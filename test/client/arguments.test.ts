import { expect, test } from 'vitest';
import * as library from '../../src/client/index.ts';

/** A wrong argument is reported by its name, as a typed error, before anything is sent. */

let sent = 0;
const fetch = () => {
  sent += 1;
  return Promise.reject(new TypeError('nobody is there'));
};
const wrong = <T>(given: unknown) => given as T;
const { createClient, memoryStorage } = library;
const options = { url: 'http://127.0.0.1:1', projectId: 'p', publicKey: 'k', player: '7', retries: 0, fetch };
const client = createClient(options);
const live = library.openLive(client);
const storage = memoryStorage();
storage.setItem('known', JSON.stringify({ secret: 'ns_guest_x', player: 'guest-1' }));
const guest = await library.signInGuest(createClient(options), { storage, name: 'known' });
const queue = await library.openQueue(client, { storage });
const onValue = () => undefined;
const NO = wrong<never>(undefined);
const players = client.documents('players');
const slots = client.records('slots');

/** Calls by function, each with one wrong argument. */
const CALLS: Readonly<Record<string, readonly (() => unknown)[]>> = {
  createClient: [
    () => createClient(wrong(null)),
    () => createClient(wrong('http://127.0.0.1')),
    ...[{ url: 5 }, { publicKey: {} }, { player: 7656119 }, { player: { id: 7 } }, { timeoutMs: '5' }, { retries: Number.NaN }].map(
      (changes) => () => createClient({ ...options, ...wrong<object>(changes) }),
    ),
    ...[
      { fetch: 'x' },
      { log: {} },
      { credentials: 'file' },
      { json: JSON.stringify },
      { sessions: 'yes' },
      { publishTarget: 1 },
      { apiVersion: 'v1' },
    ].map((changes) => () => createClient({ ...options, ...wrong<object>(changes) })),
  ],
  'client.configure': [
    () => client.configure(NO),
    () => client.configure({ revision: wrong('12') }),
    () => client.configure({ revision: 7.5 }),
    () => client.configure({ revision: -1 }),
    () => client.configure({ publishTarget: wrong('nxt') }),
    () => client.configure(wrong<object>({ publishtarget: 'next' })),
  ],
  'client.publishTarget': [
    () => {
      client.publishTarget = wrong('Next');
    },
  ],
  'client.as': [() => client.as(wrong(7))],
  'client.player': [
    () => {
      client.player = wrong(7);
    },
  ],
  'client.call': [
    () => client.call(NO),
    () => client.call(wrong<string>(5)),
    () => client.call(''),
    () => client.call('http://'),
    () => client.call('buy', wrong('axe')),
    () => client.call('buy', wrong([1])),
    () => client.call('buy', {}, wrong('a key')),
    () => client.call('buy', {}, { signal: wrong({}) }),
    () => client.call('buy', {}, { timeoutMs: wrong('5 s') }),
    () => client.call('buy', {}, { idempotencyKey: '' }),
    () => client.call('buy', {}, { idempotencyKey: wrong(7) }),
    () => client.call('buy', {}, { idempotencyKey: 'ключ' }),
  ],
  'client.lastError': [() => client.lastError(NO)],
  'client.documents': [() => client.documents(NO).get(), () => client.documents('').get()],
  'client.records': [() => client.records(NO).list()],
  'client.leaderboard': [() => client.leaderboard(NO), () => client.leaderboard('top', { limit: wrong('10') })],
  'client.query': [() => client.query(NO), () => client.query('top', { own: wrong(1) })],
  'client.serverInfo': [() => client.serverInfo({ timeoutMs: wrong('1') })],
  'client.supports': [() => client.supports(NO), () => client.supports('live', wrong('now'))],
  'client.values': [() => client.values(wrong('now'))],
  'documents.get': [
    () => players.get({ key: wrong(7) }),
    () => players.get({ record: wrong(7) }),
    () => players.get({ key: wrong(7n) }),
    () => players.get(wrong('7')),
  ],
  'documents.load': [() => players.load({ key: '..' })],
  'documents.save': [
    () => players.save({ gold: Number.NaN }),
    () => players.save({ gold: wrong(1n) }),
    () => players.save({}, { ifVersion: wrong('1') }),
  ],
  'documents.update': [() => players.update(NO), () => players.update([NO]), () => players.update(wrong({ gold: 1 }))],
  'documents.edit': [() => players.edit(NO)],
  'documents.delete': [() => players.delete({ ifVersion: Number.NaN })],
  'documents.ledger': [() => players.ledger({ field: wrong(7) }), () => players.ledger({ limit: wrong('7') })],
  'records.list': [() => slots.list({ player: wrong(7) })],
  'records.create': [() => slots.create(wrong(7))],
  'records.rename': [() => slots.rename(NO, 'Camp'), () => slots.rename('a', wrong(7))],
  'records.delete': [() => slots.delete(NO)],
  openLive: [() => library.openLive(NO), () => library.openLive(wrong<typeof client>({}))],
  'live.document': [
    () => live.document('players', NO),
    () => live.document('players', wrong({ onValue })),
    () => live.document('a/b', onValue),
    () => live.document('players', onValue, { key: 'a@b' }),
    () => live.document('players', onValue, { key: wrong(7) }),
    () => live.document('players', onValue, { onError: wrong('x') }),
    () => live.document('players', onValue, { signal: wrong(true) }),
  ],
  'live.ledger': [
    () => live.ledger('players', NO),
    () => live.ledger('players', onValue, { limit: wrong('5') }),
    () => live.ledger('players', onValue, { order: wrong(-1) }),
  ],
  'live.records': [() => live.records('slots', NO), () => live.records(NO, onValue)],
  'live.leaderboard': [() => live.leaderboard('top', NO), () => live.leaderboard('top', onValue, { around: wrong('1') })],
  'live.query': [() => live.query('', onValue)],
  'live.values': [() => live.values(NO)],
  'live.publishes': [() => live.publishes(NO), () => live.publishes(onValue, { limit: wrong('5') })],
  openQueue: [
    () => library.openQueue(NO, { storage }),
    () => library.openQueue(client, wrong('q')),
    () => library.openQueue(client, { storage: wrong('s') }),
    () => library.openQueue(client, { storage, onSettled: wrong(true) }),
    () => library.openQueue(client, { storage, limit: wrong('5') }),
  ],
  'queue.call': [() => queue.call(NO), () => queue.call('')],
  'queue.update': [() => queue.update('players', NO), () => queue.update(NO, library.inc('gold'))],
  'queue.save': [() => queue.save('players', { gold: Number.NaN }), () => queue.save('players', {}, { ifVersion: wrong('1') })],
  'queue.delete': [() => queue.delete(NO), () => queue.delete('players', { key: wrong(7) })],
  signInGuest: [() => library.signInGuest(NO), () => library.signInGuest(client, wrong('file')), () => library.trySignInGuest(NO)],
  recoverGuest: [
    () => library.recoverGuest(client, NO, { storage }),
    () => library.recoverGuest(client, { code: wrong(7) }, { storage }),
    () => library.recoverGuest(client, { account: NO }, { storage }),
    () => library.tryRecoverGuest(client, wrong({}), { storage }),
  ],
  forgetGuest: [() => library.forgetGuest(NO), () => library.tryForgetGuest(NO), () => library.forgetGuest(client, wrong('file'))],
  'guest.link': [() => guest.link(NO), () => guest.link({ id: wrong(7), token: 't' })],
  'guest.unlink': [() => guest.unlink(NO)],
  'guest.revoke': [() => guest.revoke(wrong(7))],
  'guest.issueCode': [() => guest.issueCode({ timeoutMs: wrong('1') })],
  'guest.show': [() => guest.show({ retries: wrong('1') })],
  guestRelay: [
    () => library.guestRelay(NO, NO),
    () => library.guestRelay(client, NO),
    () => library.guestRelay(client, wrong(onValue), { host: wrong(7) }),
  ],
  answerGuest: [() => library.answerGuest(NO, {}, '7'), () => library.answerGuest(client, undefined, '7')],
  'documents.exists': [() => players.exists({ key: wrong(7) }), () => players.tryExists({ timeoutMs: wrong('1') })],
  readStats: [() => library.readStats(NO), () => library.readStats(client, { player: wrong(7) })],
  readRateLimits: [() => library.readRateLimits(NO), () => library.readRateLimits(client, { timeoutMs: wrong('1') })],
  readPage: [() => library.readPage(NO, 'news'), () => library.readPage(client, wrong<string>(7)), () => library.readPage(client, '..')],
  globalRecords: [
    () => library.globalRecords(wrong<typeof client>(undefined), 'feed'),
    () => library.globalRecords(client, NO),
    () => library.globalRecords(client, 'feed').append(NO),
    () => library.globalRecords(client, 'feed').append({ at: new Date() }),
    () => library.globalRecords(client, 'feed').list({ limit: wrong('5') }),
    () => library.globalRecords(client, 'feed').get(NO),
  ],
  lobbyMetadata: [() => library.lobbyMetadata(NO), () => library.lobbyMetadata(client, { migratesTo: wrong('8') })],
  compareLobby: [() => library.compareLobby(NO, {})],
  revisionOf: [() => library.revisionOf(NO)],
  analyticsOf: [() => library.analyticsOf(NO)],
  openRevisionPrompt: [
    () => library.openRevisionPrompt(NO),
    () => library.openRevisionPrompt(client, wrong('x')),
    () => library.openRevisionPrompt(client, { onDismiss: wrong('x') }),
  ],
  analyticsSwitches: [() => library.analyticsSwitches(NO), () => library.analyticsSwitches({ enabled: wrong('no') })],
  'revision.onRefreshLobbyList': [() => library.revisionOf(client).onRefreshLobbyList(NO)],
  'revision.onChange': [() => library.revisionOf(client).onChange(NO)],
  'revision.onOutdated': [() => library.revisionOf(client).onOutdated(NO)],
  'revision.init': [() => library.revisionOf(client).init({ timeoutMs: wrong('1') })],
  'sessions.create': [() => client.sessions.create({ timeoutMs: wrong('1') })],
  'sessions.refresh': [() => client.sessions.refresh({ timeoutMs: wrong('1') })],
  'sessions.reauth': [() => client.sessions.reauth({ timeoutMs: wrong('1') })],
  'security.load': [() => client.security.load({ timeoutMs: wrong('1') })],
  configurationOf: [() => library.configurationOf(NO)],
  saveState: [() => library.saveState(NO), () => library.saveState(players, { key: wrong(7) })],
  set: [() => library.set(NO, 1)],
  inc: [() => library.inc(NO), () => library.inc('gold', wrong('5')), () => library.inc('gold', Number.NaN)],
  push: [() => library.push(wrong<string>(7), 1)],
  pull: [() => library.pull('items', NO), () => library.pull(NO, {})],
  remove: [() => library.remove(NO, 1)],
  merge: [() => library.merge('$', NO), () => library.merge(NO, {})],
  setIfNull: [() => library.setIfNull(NO, 1)],
  fileStorage: [() => library.fileStorage(NO)],
  createEncryptedRequestId: [
    () => library.createEncryptedRequestId(Number.NaN),
    () => library.createEncryptedRequestId(0, wrong(123456)),
    () => library.createEncryptedRequestId(0, 'short'),
  ],
  parseEncryptedRequestId: [() => library.parseEncryptedRequestId(NO)],
};

/** The error code of a call that throws, rejects or returns a result. */
async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    const { ok, error } = Object(await call());
    return ok === false ? error.code : 'it was taken';
  } catch (error) {
    return error instanceof library.SavepointError ? error.code : error;
  }
}

test.each(Object.entries(CALLS))('%s refuses what is no argument of it, and sends nothing', async (_, calls) => {
  sent = 0;
  expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'INVALID_ARGUMENT'));
  expect([sent, queue.size]).toEqual([0, 0]);
});

test('a misspelt option of a client is told with the one that is meant, and a wrong value with those that are allowed', () => {
  expect(() => createClient({ ...options, ...wrong<object>({ publishtarget: 'next' }) })).toThrow(
    '`publishtarget` is no option of a client: `publishTarget` is',
  );
  expect(() => client.configure({ publishTarget: wrong('nxt') })).toThrow('`publishTarget` must be one of live, next, and not nxt');
  expect(client.publishTarget).toBe('live');
});

test('a token that no header can carry is refused, and not shown', async () => {
  const player = { id: '7', token: 'тайна' };
  const read = await createClient({ ...options, player })
    .documents('players')
    .tryGet();
  expect(read).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('x-platform-token') } });
  expect(read.ok || read.error.message).not.toContain('тайна');
});

/** These functions accept any argument, or have none. */
const WHATEVER = [
  ...['credentials', 'memoryStorage', 'newIdempotencyKey', 'unwrap', 'SavepointError'],
  ...['live.close', 'queue.flush', 'queue.idle', 'queue.close', 'guest.forget', 'security.now', 'security.modes', 'security.recover'],
  ...[
    'revision.testOutdated',
    'revision.refreshLobbyList',
    'revision.tell',
    'readLobby',
    'security.forget',
    'sessions.ensure',
    'sessions.recover',
    'sessions.forget',
    'sessions.revoke',
  ],
];

/** Reports (`analyticsOf(client)`) never fail. */
test('the test covers every function of the library', () => {
  const { sessions, security } = client;
  const revision = library.revisionOf(client);
  const parts = { client, documents: players, records: slots, live, queue, guest, revision, sessions, security };
  const methods = Object.entries(parts).flatMap(([name, part]) => {
    return Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(part)))
      .filter(([method, { value }]) => typeof value === 'function' && method !== 'constructor')
      .map(([method]) => `${name}.${method}`);
  });
  const functions = Object.entries(library).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  const plain = [...methods, ...functions].map((name) => name.replace(/(^|\.)try([A-Z])/, (_, dot, first) => dot + first.toLowerCase()));
  expect(plain.filter((name) => CALLS[name] === undefined && !WHATEVER.includes(name))).toEqual([]);
});
