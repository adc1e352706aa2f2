import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, NEXT, ok, type Reply } from '../node/support/game-client.ts';
import { createHearing } from '../support/lag.ts';
import { type Opened, openNode, proofOf, session, settings, tokenIn } from './security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/**
 * Two nodes, of which one has not heard yet of what the other has just stored. What it is asked to do it does on what is stored: nothing is
 * taken for done or refused because the node knows an earlier state.
 */

const hearing = createHearing();
let nodes: readonly Opened[] = [];
let one: Client;
let deaf: Client;

const steps = (...list: object[]) => list.map((step, index) => ({ id: `s${index}`, ...step }));
const OPEN = { collectionType: 'per-platformid', accessMode: 'public', allowRecordDelete: true };
const COLLECTIONS = [
  { id: 'players', name: 'players', ...OPEN, schema: { gold: { type: 'number' } } },
  { id: 'saves', name: 'saves', ...OPEN, maxRecords: 3, schema: {} },
  { id: 'names', name: 'names', ...OPEN, schema: { name: { type: 'string', _unique: true } } },
];
const OWN = { collection: 'players', key: '{{platformId}}' };
const ENDPOINTS = [
  {
    id: 'pay',
    slug: 'pay',
    steps: steps(
      { type: 'read', ...OWN, as: 'me' },
      { type: 'condition', check: { field: 'me.gold', op: '>=', value: 10 }, onFail: { status: 409, error: 'TOO_POOR' } },
      { type: 'write', ...OWN, ops: [{ op: 'inc', path: 'gold', value: -10 }] },
    ),
    response: { body: { ok: true } },
  },
  { id: 'leave', slug: 'leave', steps: steps({ type: 'delete', ...OWN }), response: { body: { ok: true } } },
];

beforeAll(async () => {
  const first = await openNode();
  nodes = [first, await openNode({}, first)];
  one = first.game;
  deaf = nodes[1]?.game ?? one;
  const push = (route: string, body: unknown) => ok(one.manage('PUT', one.definitions(route), { body }));
  await push('collections', COLLECTIONS);
  await push('endpoints', ENDPOINTS);
  await settings(one, { requirePlayerAuth: true, guestSignIn: true, enableAuthSessions: true });
});

afterAll(async () => {
  vi.restoreAllMocks();
  for (const node of [...nodes].reverse()) await node.close();
});

/** What `ask` comes to on a node that has heard of everything but `change`. Afterwards, both have heard of all. */
async function unheard(change: () => Promise<unknown>, ask: () => Promise<Reply>): Promise<string> {
  await hears(deaf, one);
  const came = await hearing.without(async () => {
    await change();
    return told(ask());
  });
  await hears(one, deaf);
  return came;
}

/** Has one node know what the other knows. */
async function hears(listener: Client, of: Client): Promise<void> {
  const { headers } = await ok(of.manage('GET', of.definitions('settings')));
  const position = { 'x-ns-position': String(headers['x-ns-position']) };
  await ok(listener.manage('GET', listener.definitions('settings'), { headers: position }));
}

async function told(asked: Promise<Reply>): Promise<string> {
  const { status, body } = await asked;
  return status === 200 ? 'ok' : `${status} ${Object(body).error?.code}`;
}

let players = 0;
const newPlayer = () => {
  players += 1;
  return `765611980000${String(players).padStart(5, '0')}`;
};
const as = (player: string) => ({ headers: proofOf(player) });
const save = (at: Client, player: string, body: object, collection = 'players') =>
  at.play('POST', at.storage(`${collection}/${player}`), { ...as(player), body }, null);
const remove = (at: Client, player: string, rest = `players/${player}`) => at.play('DELETE', at.storage(rest), as(player), null);
const read = (at: Client, player: string, collection = 'players') =>
  at.play('GET', at.storage(`${collection}/${player}`), as(player), null);
const call = (at: Client, slug: string, player: string) => at.play('POST', at.endpoint(slug), { ...as(player), body: {} }, null);
const put = (at: Client, route: string, body: unknown, headers = {}) => at.manage('PUT', at.definitions(route), { body, headers });

describe('a node that does not know yet', () => {
  test('a document deletes it, and does not take it for deleted', async () => {
    const player = newPlayer();
    expect(await told(read(deaf, player))).toBe('404 NOT_FOUND');
    expect(
      await unheard(
        () => ok(save(one, player, { gold: 1 })),
        () => remove(deaf, player),
      ),
    ).toBe('ok');
    expect(await told(read(one, player))).toBe('404 NOT_FOUND');
  });

  test('a save record deletes it, and does not say that there is none', async () => {
    const player = newPlayer();
    let path = '';
    const make = async () => {
      const made = await ok(one.play('POST', one.storage(`saves/${player}/records`), { ...as(player), body: {} }, null));
      path = `saves/${player}/records/${Object(made.body).recordId}`;
    };
    expect(await unheard(make, () => remove(deaf, player, path))).toBe('ok');
    const left = await ok(one.play('GET', one.storage(`saves/${player}/records`), as(player), null));
    expect(Object(left.body).records).toEqual([]);
  });

  test('a save takes the next one, and does not call it stale', async () => {
    const player = newPlayer();
    await ok(save(deaf, player, { gold: 1 }));
    const change = () => ok(save(one, player, { gold: 2, _saveVersion: 1 }));
    expect(await unheard(change, () => save(deaf, player, { gold: 3, _saveVersion: 2 }))).toBe('ok');
  });

  test('a freed name gives it away', async () => {
    const [first, second] = [newPlayer(), newPlayer()];
    await ok(save(deaf, first, { name: 'Ada' }, 'names'));
    const free = () => ok(remove(one, first, `names/${first}`));
    expect(await unheard(free, () => save(deaf, second, { name: 'Ada' }, 'names'))).toBe('ok');
  });

  test('what a player has earned lets him pay, and what he has saved lets him leave', async () => {
    const player = newPlayer();
    await ok(save(deaf, player, { gold: 0 }));
    const earn = () => ok(save(one, player, { gold: 10 }));
    expect(await unheard(earn, () => call(deaf, 'pay', player))).toBe('ok');
    await ok(remove(one, player));
    expect(await unheard(earn, () => call(deaf, 'leave', player))).toBe('ok');
    expect(await told(read(one, player))).toBe('404 NOT_FOUND');
  });

  test('a collection or what opens it saves there', async () => {
    const player = newPlayer();
    const push = (accessMode: string) => {
      const fresh = { id: 'fresh', name: 'fresh', ...OPEN, accessMode, schema: {} };
      return ok(one.manage('PATCH', one.definitions('collections'), { body: fresh }));
    };
    for (const mode of ['endpoint', 'public']) {
      const expected = mode === 'public' ? 'ok' : '403 ENDPOINT_ONLY';
      expect(
        await unheard(
          () => push(mode),
          () => save(deaf, player, {}, 'fresh'),
        ),
      ).toBe(expected);
    }
  });

  test('an endpoint or a wider limit goes by it', async () => {
    const player = newPlayer();
    const added = { id: 'added', slug: 'added', steps: [], response: { body: { ok: true } } };
    expect(
      await unheard(
        () => ok(one.manage('PATCH', one.definitions('endpoints'), { body: added })),
        () => call(deaf, 'added', player),
      ),
    ).toBe('ok');
    const limited = (limit: number) => ({
      rules: [{ name: 'pay', collection: 'players', field: 'gold', scope: 'per_player', window: 'perDay', limit, action: 'reject' }],
    });
    await ok(put(one, 'rate-limit-rules', limited(5)));
    const widen = () => ok(put(one, 'rate-limit-rules', limited(50)));
    expect(await unheard(widen, () => save(deaf, player, { gold: 40 }))).toBe('ok');
    await ok(put(one, 'rate-limit-rules', { rules: [] }));
  });

  test('a push, a setting or what is staged puts back what it knows itself', async () => {
    const values = (price: number) => ({ items: [{ id: 'start', type: 'group', name: 'Start', entries: { price } }] });
    await ok(put(one, 'game-values', values(3)));
    expect(
      await unheard(
        () => ok(put(one, 'game-values', values(40))),
        () => put(deaf, 'game-values', values(3)),
      ),
    ).toBe('ok');
    expect((await ok(one.manage('GET', one.definitions('game-values')))).text).toContain('"price":3');
    await settings(one, { strictSaveVersion: false });
    const setting = (strictSaveVersion: boolean, at: Client) => put(at, 'settings', { strictSaveVersion });
    expect(
      await unheard(
        () => ok(setting(true, one)),
        () => setting(false, deaf),
      ),
    ).toBe('ok');
    expect(Object((await ok(one.manage('GET', one.definitions('settings')))).body).settings.strictSaveVersion).toBe(false);
    expect(
      await unheard(
        () => ok(put(one, 'game-values', values(50), NEXT)),
        () => deaf.manage('POST', deaf.definitions('discard'), { body: {} }),
      ),
    ).toBe('ok');
    expect((await ok(one.manage('GET', one.definitions('diff')))).text).not.toContain('game-values');
  });

  test('a session ends it, and of an ended one does nothing more with it, not even nothing', async () => {
    const player = newPlayer();
    const made = async () => ({
      'x-platform-id': player,
      'x-auth-session': await tokenIn(session(one, 'create', proofOf(player), { platformId: player })),
    });
    let headers = {};
    const create = async () => {
      headers = await made();
    };
    const removeBy = (at: Client) => at.play('DELETE', at.storage(`players/${player}`), { headers }, null);
    expect(await unheard(create, () => session(deaf, 'revoke', headers))).toBe('ok');
    expect(await told(removeBy(one))).toBe('401 AUTH_SESSION_INVALID');
    await create();
    expect(await told(removeBy(deaf))).toBe('ok');
    expect(
      await unheard(
        () => ok(session(one, 'revoke', headers)),
        () => removeBy(deaf),
      ),
    ).toBe('401 AUTH_SESSION_INVALID');
  });

  test('a device of a guest shuts it out', async () => {
    const newSecret = () => `ns_guest_${randomBytes(32).toString('base64url')}`;
    const ask = (at: Client, what: string, proof: object, body = {}) =>
      at.send('POST', `/v3/guests/${at.projectId}/${what}`, { headers: { 'x-public-key': at.publicKey, ...proof }, body });
    const secret = newSecret();
    const { player } = Object((await ok(ask(one, 'register', { 'x-platform-token': secret }))).body);
    const proof = { 'x-platform-id': player, 'x-platform-token': secret };
    await ok(ask(deaf, 'code', proof));
    let device = '';
    const join = async () => {
      const { code } = Object((await ok(ask(one, 'code', proof))).body);
      device = Object((await ok(ask(one, 'join', { 'x-platform-token': newSecret() }, { code }))).body).device;
    };
    expect(await unheard(join, () => ask(deaf, 'revoke', proof, { device }))).toBe('ok');
    const devices = await ok(
      one.send('GET', `/v3/guests/${one.projectId}/devices`, { headers: { 'x-public-key': one.publicKey, ...proof } }),
    );
    expect(Object(devices.body).devices).toHaveLength(1);
  });
});

// The last test: it sets the clock by which nodes know how long they have heard nothing.
test('a node that has not heard from the log for five seconds serves no reads, and still writes', async () => {
  const player = newPlayer();
  const secret = `ns_guest_${randomBytes(32).toString('base64url')}`;
  const by = (proof: object) => ({ headers: { 'x-public-key': deaf.publicKey, ...proof } });
  const register = await ok(deaf.send('POST', `/v3/guests/${deaf.projectId}/register`, by({ 'x-platform-token': secret })));
  const guest = by({ 'x-platform-id': Object(register.body).player, 'x-platform-token': secret });
  await ok(save(deaf, player, { gold: 1 }));
  const show = { id: 'show', slug: 'show', steps: steps({ type: 'read', ...OWN, as: 'me' }), response: { body: { gold: '{{me.gold}}' } } };
  await ok(deaf.manage('PATCH', deaf.definitions('endpoints'), { body: show }));
  // Waits for the views, which a busy machine may still be writing.
  await ok(deaf.play('GET', deaf.storage(`players/${player}/ledger`), as(player), null));
  await hearing.without(async () => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_500);
    const shown = {
      document: () => read(deaf, player),
      records: () => deaf.play('GET', deaf.storage(`saves/${player}/records`), as(player), null),
      ledger: () => deaf.play('GET', deaf.storage(`players/${player}/ledger`), { ...as(player), once: true }, null),
      call: () => call(deaf, 'show', player),
      values: () => deaf.play('GET', `/v3/values/${deaf.projectId}`),
      stats: () => deaf.manage('GET', `/v3/storage/${deaf.projectId}/stats/${player}`, { once: true }),
      devices: () => deaf.send('GET', `/v3/guests/${deaf.projectId}/devices`, guest),
      pass: () => deaf.send('POST', `/v3/guests/${deaf.projectId}/pass`, { ...guest, body: { host: player } }),
      ...Object.fromEntries(
        ['settings', 'collections', 'diff', 'publishes', 'flags', 'validate', 'agent-manifest', 'game-package'].map((one) => [
          one,
          () => deaf.manage('GET', deaf.definitions(one)),
        ]),
      ),
    };
    const came: Record<string, string> = {};
    for (const [what, ask] of Object.entries(shown)) came[what] = await told(ask());
    expect(new Set(Object.values(came)), JSON.stringify(came)).toEqual(new Set(['503 STORAGE_UNAVAILABLE']));
    expect(await told(save(deaf, player, { gold: 2 }))).toBe('ok');
  });
});
