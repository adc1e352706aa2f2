import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../src/domain/project/permissions.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newApiKey, newProject, printed } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Market, openMarket } from './support/market.ts';
import { type Node, newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What support puts right: one commit undone, a player restored. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let client: Client;
let market: Market;
let projectId: string;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env });
  const project = await newProject(env, 'Market');
  projectId = project.projectId;
  client = createClient(node.url, { ...project, secretKey: await newApiKey(env, projectId, { ...DEFAULT_PERMISSIONS, restore: 'rw' }) });
  market = await openMarket(client);
});

afterAll(async () => {
  client?.close();
  await node?.stop();
  removeFolders();
});

/** The environment of commands with a key that may look at what was, too. */
const asHistory = async () => ({
  SAVEPOINT_URL: node.url,
  SAVEPOINT_PROJECT: projectId,
  SAVEPOINT_SECRET_KEY: await newApiKey(env, projectId, { ...DEFAULT_PERMISSIONS, restore: 'rw', history: 'r', correction: 'rw' }),
});
const why = { reason: 'a mistake' };
const inc = (path: string, value: number) => ({ ops: [{ op: 'inc', path, value, source: 'quest' }] });
const undo = (revision: number, more: object = {}) => market.manage('undo', { revision, ...why, ...more });

describe('one document', () => {
  const change = (key: string, what: object) => market.manage(`corrections/players/${key}`, { ...why, ...what });

  test('is changed by operations, after a look, with reason and ticket in its commit, and that is undone', async () => {
    await market.save('pia', { gold: 10, bag: ['rope'] });
    const what = { ops: [inc('gold', 5).ops[0], { op: 'set', path: 'stats.level', value: 3 }].map((op) => ({ ...op, source: undefined })) };
    const expected = {
      documents: [
        {
          collection: 'players',
          key: 'pia',
          version: 2,
          changes: [
            { path: 'gold', from: 10, to: 15 },
            { path: 'stats', to: { level: 3 } },
          ],
        },
      ],
      coins: [{ player: 'pia', field: 'gold', before: 10, after: 15, delta: 5 }],
    };
    expect((await change('pia', { ...what, dryRun: true })).body).toMatchObject({ dryRun: true, revision: null, ...expected });
    expect(await market.read('pia')).toEqual({ gold: 10, bag: ['rope'] });
    const done = await change('pia', { ...what, version: 1, ticket: 'T-9' });
    expect(done).toMatchObject({ status: 200, body: expected });
    expect(await market.read('pia')).toEqual({ gold: 15, bag: ['rope'], stats: { level: 3 } });
    const said = JSON.parse(await printed(['explain', String(done.body.revision), '--json'], { env: { ...env, ...(await asHistory()) } }));
    expect(said.meanings[0].commits[0]).toMatchObject({ cause: 'document.correct', why: { reason: 'a mistake', ticket: 'T-9' } });
    expect(await change('pia', { ...what, version: 1 })).toMatchObject({ status: 409, body: { error: { code: 'STALE_SAVE' } } });
    const taken = (await undo(done.body.revision)).body.revision;
    const undone = JSON.parse(await printed(['explain', String(taken), '--json'], { env: { ...env, ...(await asHistory()) } }));
    expect(undone.meanings[0].commits[0].why).toEqual({ reason: 'a mistake', undone: done.body.revision });
    expect(await market.read('pia')).toEqual({ gold: 10, bag: ['rope'] });
  });

  test('is made where there is none, deleted with its money, and both are undone', async () => {
    const made = await change('quin', { document: { gold: 30, bag: [] }, version: 0 });
    expect(made).toMatchObject({ status: 200, body: { documents: [{ version: 1 }], coins: [{ after: 30, delta: 30 }] } });
    expect(await change('quin', { document: {}, version: 0 })).toMatchObject({ status: 409, body: { error: { code: 'STALE_SAVE' } } });
    const gone = await change('quin', { deleted: true });
    expect(gone.body).toMatchObject({
      documents: [{ version: null, changes: [{ path: '' }] }],
      coins: [{ before: 30, after: 0, delta: -30 }],
    });
    expect((await change('quin', { deleted: true })).body).toMatchObject({ revision: null, documents: [] });
    await undo(gone.body.revision);
    expect([await market.read('quin'), await market.ledger('quin')]).toEqual([{ gold: 30, bag: [] }, 30]);
    await undo(made.body.revision);
    expect(await market.ledger('quin')).toBe(0);
  });

  test('is refused whole for what no document can take, for two wishes at once, and without the permission', async () => {
    await market.save('rolf', { gold: 1 });
    const code = async (what: object) => (await change('rolf', what)).body?.error?.code ?? 'ok';
    expect(await code({ ops: [{ op: 'inc', path: 'gold', value: 'much' }] })).toBe('INVALID_OPERATION');
    expect(await code({ ops: [{ op: 'set', path: 'gold', value: 'much' }] })).toBe('SCHEMA_VALIDATION_FAILED');
    expect(await code({ ops: [{ op: 'set', path: 'gold', value: 2, source: 'quest' }] })).toBe('VALIDATION_FAILED');
    expect(await code({ deleted: true, document: {} })).toBe('VALIDATION_FAILED');
    expect(await code({})).toBe('VALIDATION_FAILED');
    const permissions = { ...DEFAULT_PERMISSIONS, correction: 'none' };
    const other = createClient(node.url, { ...client, secretKey: await newApiKey(env, projectId, permissions) });
    const refused = await other.manage('POST', `/v3/manage/${projectId}/corrections/players/rolf`, { body: { ...why, deleted: true } });
    other.close();
    expect([refused.status, await market.read('rolf')]).toEqual([403, { gold: 1 }]);
  });

  test('on the command line', async () => {
    await market.save('sara', { gold: 5 });
    const remote = { ...env, ...(await asHistory()) };
    const says = (...words: readonly string[]) => printed(words, { env: remote });
    const set = await says('doc', 'set', 'players', 'sara', 'gold+=4', '--correction', '--reason', 'lost', '--ticket', 'T-1', '--json');
    expect(JSON.parse(set)).toMatchObject({ ok: true, version: 2 });
    expect(await says('explain', String(JSON.parse(set).revision))).toContain('T-1');
    expect(await says('doc', 'delete', 'players', 'sara', '--reason', 'asked to', '--dry-run')).toContain('this was a look');
    expect(await says('doc', 'delete', 'players', 'sara', '--reason', 'asked to', '--yes')).toMatch(
      /Deleted by the commit at revision \d+/,
    );
    expect(await market.ledger('sara')).toBe(0);
  });
});

describe('undo', () => {
  test('takes a trade back on both sides, whatever happened since, and can be undone itself', async () => {
    await market.save('ann', { gold: 100, bag: ['sword', 'rope'], level: 1 });
    await market.save('bob', { gold: 5, bag: [] });
    const trade = await market.trade('ann', 'bob', 60, 'sword');
    await market.save('ann', inc('gold', 7));
    await market.save('bob', { ops: [{ op: 'push', path: 'bag', value: 'hat' }, inc('gold', -1).ops[0]] });
    const look = await undo(trade, { dryRun: true });
    expect(look.body).toMatchObject({ ok: true, dryRun: true, revision: null, undone: { cause: 'endpoint.call' } });
    expect(await market.read('ann')).toEqual({ gold: 47, bag: ['rope'], level: 1 });
    const done = await undo(trade, { ticket: 'T-1' });
    expect(done).toMatchObject({
      status: 200,
      body: {
        documents: [
          { collection: 'players', key: 'ann' },
          { collection: 'players', key: 'bob' },
        ],
        coins: [
          { player: 'ann', field: 'gold', before: 47, after: 107, delta: 60 },
          { player: 'bob', field: 'gold', before: 64, after: 4, delta: -60 },
        ],
        left: [],
        shortfalls: [],
      },
    });
    expect(await market.read('ann')).toEqual({ gold: 107, bag: ['sword', 'rope'], level: 1 });
    expect(await market.read('bob')).toEqual({ gold: 4, bag: ['hat'] });
    expect(await undo(trade)).toMatchObject({ status: 409, body: { error: { code: 'ALREADY_UNDONE' } } });
    const again = await undo(done.body.revision);
    expect(again.status).toBe(200);
    expect(await market.read('ann')).toEqual({ gold: 47, bag: ['rope'], level: 1 });
    expect(await market.read('bob')).toEqual({ gold: 64, bag: ['sword', 'hat'] });
    expect(await undo(done.body.revision)).toMatchObject({ status: 409, body: { error: { code: 'ALREADY_UNDONE' } } });
    // The trade counts again, so it can be undone again.
    expect((await undo(trade)).status).toBe(200);
    expect(await undo(again.body.revision)).toMatchObject({ status: 409, body: { error: { code: 'ALREADY_UNDONE' } } });
    expect([await market.ledger('ann'), await market.ledger('bob')]).toEqual([107, 4]);
  });

  test('lists what a balance no longer covers, by both policies', async () => {
    await market.save('cay', { gold: 0 });
    const gift = await market.save('cay', inc('gold', 1000));
    await market.save('cay', inc('gold', -700));
    const shortfalls = [{ collection: 'players', key: 'cay', field: 'gold', asked: -1000, moved: 0, short: 1000 }];
    expect((await undo(gift, { policy: 'give' })).body).toMatchObject({ revision: null, documents: [], shortfalls });
    const { body } = await undo(gift);
    expect(body.shortfalls).toEqual([{ ...shortfalls[0], moved: -300, short: 700 }]);
    expect(await market.read('cay')).toEqual({ gold: 0 });
    const page = Object((await ok(client.manage('GET', client.storage('players/cay/ledger?order=desc&limit=1')))).body);
    expect(page.entries ?? page.ledger ?? page).toMatchObject([{ delta: -300, source: 'undo', reason: 'a mistake' }]);
  });

  test('leaves what somebody changed since, and brings back what nobody touched', async () => {
    await market.save('dee', { name: 'Dee', level: 2, xp: 5 });
    const change = await market.save('dee', { name: 'Dora', level: 3, xp: 5 });
    await market.save('dee', { ops: [{ op: 'set', path: 'level', value: 9 }] });
    const { body } = await undo(change);
    expect(body.left).toEqual([{ collection: 'players', key: 'dee', path: 'level', before: 2, made: 3, now: 9 }]);
    expect(await market.read('dee')).toEqual({ name: 'Dee', level: 9, xp: 5 });
  });

  test('a value that is taken since stands in the way, unless it is left where it is', async () => {
    await market.save('eve', { name: 'Star', xp: 1 });
    const change = await market.save('eve', { name: 'Moon', xp: 2 });
    await market.save('fay', { name: 'Star' });
    expect(await undo(change)).toMatchObject({
      status: 409,
      body: { error: { code: 'CORRECTION_BLOCKED', blocked: [{ collection: 'players', key: 'eve', obstacle: 'unique' }] } },
    });
    expect(await market.read('eve')).toEqual({ name: 'Moon', xp: 2 });
    expect((await undo(change, { despite: ['unique'] })).status).toBe(200);
    expect(await market.read('eve')).toEqual({ name: 'Moon', xp: 1 });
  });

  test('save records, deletes, appended records: each goes back, and back again', async () => {
    const made = await market.save('gus_a', { gems: 3, map: 'x' }, 'saves');
    await ok(client.manage('PATCH', client.storage('saves/gus/records/a'), { body: { recordName: 'Castle' } }));
    const { headers } = await ok(client.manage('DELETE', client.storage('saves/gus/records/a')));
    const slots = async () => Object((await ok(client.manage('GET', client.storage('saves/gus/records')))).body).records;
    expect(await slots()).toEqual([]);
    const undone = await undo(Number(headers['x-ns-position']));
    expect(undone.body.slots).toMatchObject([{ recordId: 'a', is: 'made' }]);
    expect(await slots()).toMatchObject([{ recordId: 'a', recordName: 'Castle' }]);
    expect(await market.read('gus_a', 'saves')).toEqual({ gems: 3, map: 'x' });
    await undo(undone.body.revision);
    expect(await slots()).toEqual([]);
    expect((await undo(made)).body).toMatchObject({ documents: [], shortfalls: [{ field: 'gems', short: 3 }] });
    const appended = await ok(client.manage('POST', client.storage('feed/append'), { body: { text: 'oops' } }));
    const id = String(Object(appended.body).record?._id ?? Object(appended.body)._id ?? Object(appended.body).id);
    const removed = await undo(Number(appended.headers['x-ns-position']));
    expect(removed.body.documents).toMatchObject([{ collection: 'feed', key: id, version: null }]);
    expect(await market.read(id, 'feed')).toBeNull();
    await undo(removed.body.revision);
    expect(await market.read(id, 'feed')).toMatchObject({ text: 'oops' });
  });

  test('refuses what it cannot undo, in words that say what to do', async () => {
    const { headers } = await ok(client.manage('PUT', client.definitions('endpoints'), { body: [] }));
    const publishes = Object((await ok(client.manage('GET', client.definitions('publishes')))).body).publishes;
    expect(headers).toBeDefined();
    expect(await undo(publishes[0].revision)).toMatchObject({
      status: 409,
      body: { error: { code: 'NOTHING_TO_UNDO', message: expect.stringContaining('savepoint rollback') } },
    });
    expect(await undo(999_999)).toMatchObject({ status: 404, body: { error: { missing: 'commit' } } });
    expect(await market.manage('undo', { revision: 1 })).toMatchObject({ status: 400 });
    expect(await undo(1, { reason: 'two\nlines' })).toMatchObject({ status: 400 });
    expect(await undo(1, { reason: ' ' })).toMatchObject({ status: 400 });
    const weak = await newApiKey(env, projectId, { collections: 'rwx', players: 'rw' });
    const reply = await client.manage('POST', client.definitions('undo'), {
      body: { revision: 1, ...why },
      headers: { 'x-api-key': weak },
    });
    expect(reply.status).toBe(403);
  });

  test('the command shows what it would do, asks, and names the commit that takes it back', async () => {
    const { secretKey } = client;
    const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: secretKey };
    await market.save('hal', { gold: 10 });
    const gift = String(await market.save('hal', inc('gold', 90)));
    const words = ['undo', gift, '--reason', 'too much'];
    expect(await here(words, { env: remote })).toMatchObject({ code: 1, stderr: expect.stringContaining('give --yes') });
    expect(await printed([...words, '--dry-run'], { env: remote })).toContain('players/hal gold: 100 → 10');
    expect(await market.read('hal')).toEqual({ gold: 100 });
    const { revision } = JSON.parse(await printed([...words, '--yes', '--json'], { env: remote }));
    expect(await market.read('hal')).toEqual({ gold: 10 });
    await printed(['undo', String(revision), '--reason', 'it was right', '--yes'], { env: remote });
    expect(await market.read('hal')).toEqual({ gold: 100 });
  });
});

const restore = (player: string, more: object) => market.manage(`players/${player}/restore`, { ...why, ...more });

describe('restore', () => {
  const traders = ['t1', 't2', 't3'];
  const all = (player: string) => [player, ...traders.map((each) => `${player}${each}`)];
  const states = async (player: string) =>
    Object.fromEntries(await Promise.all(all(player).map(async (each) => [each, await market.read(each)])));
  const supply = async (player: string) => {
    const held = Object.values(await states(player)).map((each) => Number(Object(each).gold));
    return held.reduce((sum, gold) => sum + gold, 0);
  };

  /** A player has 100 gold, a sword and a rope, trades with three others, finds gold and buys a skin. Resolves to the revision before. */
  async function traded(player: string): Promise<number> {
    const [, one = '', two = '', three = ''] = all(player);
    for (const each of all(player).slice(1)) await market.save(each, { gold: 10, bag: [] });
    const before = await market.save(player, { gold: 100, bag: ['sword', 'rope'], name: player, level: 3 });
    await market.trade(player, one, 50, 'sword');
    await market.trade(player, two, 30, 'rope');
    await market.trade(three, player, 5);
    await market.save(player, inc('gold', 7));
    await market.save(player, { ops: [{ op: 'push', path: 'skins', value: 'red' }] });
    // One has spent most of what he got.
    await market.save(one, inc('gold', -45));
    return before;
  }

  test('by the policy give the player gets back what he had, and nobody pays; undone, everything is as before', async () => {
    const to = await traded('give');
    const before = await states('give');
    expect([before['give'], await supply('give')]).toEqual([
      { gold: 32, bag: ['nothing'], name: 'give', level: 3, skins: ['red'] },
      32 + 15 + 40 + 5,
    ]);
    const look = await restore('give', { to, keep: ['skins'], dryRun: true });
    expect(look.body).toMatchObject({ dryRun: true, revision: null, coins: [{ player: 'give', before: 32, after: 100, delta: 68 }] });
    expect(await states('give')).toEqual(before);
    const { status, body } = await restore('give', { to, keep: ['skins'], ticket: 'T-5' });
    expect([status, body.shortfalls, body.left]).toEqual([200, [], []]);
    expect(await states('give')).toEqual({
      ...before,
      give: { gold: 100, bag: ['sword', 'rope'], name: 'give', level: 3, skins: ['red'] },
    });
    // 68 were made anew.
    expect(await supply('give')).toBe(92 + 68);
    expect((await undo(body.revision)).body).toMatchObject({ left: [], shortfalls: [] });
    expect(await states('give')).toEqual(before);
    for (const player of all('give')) expect(await market.ledger(player), player).toBe(Object(before[player]).gold);
  });

  test('by the policy reverse the others give back what they still hold, and the shortfall is listed; undone, everything is as before', async () => {
    const to = await traded('back');
    const before = await states('back');
    const { status, body } = await restore('back', { to, policy: 'reverse' });
    expect(status).toBe(200);
    expect(body.shortfalls).toEqual([{ collection: 'players', key: 'backt1', field: 'gold', asked: -50, moved: -15, short: 35 }]);
    expect(await states('back')).toEqual({
      back: { gold: 100, bag: ['sword', 'rope'], name: 'back', level: 3 },
      backt1: { gold: 0, bag: [] },
      backt2: { gold: 10, bag: [] },
      backt3: { gold: 10, bag: [] },
    });
    // Of 92: 15 and 30 came back, 5 went back, the 7 that were found are gone, and the shortfall of 35 was made anew.
    expect(await supply('back')).toBe(120);
    expect((await undo(body.revision)).body).toMatchObject({ left: [], shortfalls: [] });
    expect(await states('back')).toEqual(before);
    for (const player of all('back')) expect(await market.ledger(player), player).toBe(Object(before[player]).gold);
  });

  test('brings back only parts, slots with their names, and documents that were deleted; by time as by revision', async () => {
    await market.save('ivy', { gold: 5, bag: ['axe'], name: 'Ivy' });
    await market.save('ivy_s1', { gems: 4, map: 'a' }, 'saves');
    const named = await ok(client.manage('PATCH', client.storage('saves/ivy/records/s1'), { body: { recordName: 'Home' } }));
    const at = new Date().toISOString();
    // What is stored in the same millisecond belongs to it.
    while (Date.now() <= Date.parse(at)) await sleep(1);
    await market.save('ivy', { gold: 1, bag: [], name: 'Ivo' });
    await ok(client.manage('DELETE', client.storage('saves/ivy/records/s1')));
    await market.save('ivy_s2', { gems: 9 }, 'saves');
    expect((await restore('ivy', { to: at, only: ['bag'], collections: ['players'] })).body.documents).toMatchObject([{ key: 'ivy' }]);
    expect(await market.read('ivy')).toEqual({ gold: 1, bag: ['axe'], name: 'Ivo' });
    const slots = async () => Object((await ok(client.manage('GET', client.storage('saves/ivy/records')))).body).records;
    const before = await slots();
    const { body } = await restore('ivy', { to: Number(named.headers['x-ns-position']) });
    expect([await market.read('ivy'), await market.read('ivy_s1', 'saves'), await market.read('ivy_s2', 'saves')]).toEqual([
      { gold: 5, bag: ['axe'], name: 'Ivy' },
      { gems: 4, map: 'a' },
      null,
    ]);
    expect(await slots()).toMatchObject([{ recordId: 's1', recordName: 'Home' }]);
    await undo(body.revision);
    expect([await market.read('ivy_s1', 'saves'), await market.read('ivy_s2', 'saves')]).toEqual([null, { gems: 9 }]);
    expect(await slots()).toMatchObject(before.map(({ recordId }: { recordId: string }) => ({ recordId })));
    expect((await restore('ivy', { to: named.headers['x-ns-position'] ?? '', collections: ['saves'] })).status).toBe(200);
    expect((await restore('ivy', { to: named.headers['x-ns-position'] ?? '', collections: ['saves'] })).body).toMatchObject({
      revision: null,
      documents: [],
    });
  });

  test('leaves save slots as they are that are kept, with their data', async () => {
    await market.save('lea_s1', { gems: 4 }, 'saves');
    const to = await market.save('lea_s2', { gems: 5 }, 'saves');
    for (const slot of ['s1', 's2']) await ok(client.manage('DELETE', client.storage(`saves/lea/records/${slot}`)));
    await market.save('lea_s3', { gems: 6 }, 'saves');
    const { body } = await restore('lea', { to, keepSlots: ['s2', 's3'] });
    expect(body).toMatchObject({ slots: [{ recordId: 's1', is: 'made' }] });
    expect(body.documents).toMatchObject([{ key: 'lea_s1' }]);
    const saved = (slot: string) => market.read(`lea_${slot}`, 'saves');
    expect([await saved('s1'), await saved('s2'), await saved('s3')]).toEqual([{ gems: 4 }, null, { gems: 6 }]);
  });

  test('brings back what was lost alone, and what is asked for besides: what came since stays', async () => {
    await market.save('mia', { gold: 9, bag: ['axe', 'rope'], name: 'Mia', level: 3 });
    await market.save('mia_s1', { gems: 4 }, 'saves');
    const to = await market.save('mia_s2', { gems: 5 }, 'saves');
    await market.save('mia', { gold: 2, bag: ['rope'], name: 'Mio', level: 8, skins: ['red'] });
    await ok(client.manage('DELETE', client.storage('saves/mia/records/s1')));
    for (const slot of ['s3', 's4']) await market.save(`mia_${slot}`, { gems: 6 }, 'saves');
    const now = { name: 'Mio', level: 8, skins: ['red'] };
    const saved = async () => Promise.all(['s1', 's2', 's3', 's4'].map((slot) => market.read(`mia_${slot}`, 'saves')));
    const look = { to, dryRun: true };
    const { body } = await restore('mia', { ...look, lines: 3 });
    expect(body.documents.find(({ key }: { readonly key: string }) => key === 'mia')).toMatchObject({
      changes: [{ path: 'gold', lost: true }, { path: 'bag', lost: true }, {}],
      moreLines: 2,
      lostLines: 2,
    });
    expect((await restore('mia', { ...look, lost: true, collections: ['players'], lines: 0 })).body).toMatchObject({
      documents: [{ collection: 'players', key: 'mia', version: 3, changes: [], moreLines: 2, lostLines: 2 }],
      coins: [{ field: 'gold', before: 2, after: 9, delta: 7 }],
    });
    const asked = ['--to', String(to), '--lost', '--collection', 'players', '--lines', '0', '--reason', 'a crash', '--dry-run'];
    const said = await printed(['player', 'restore', 'mia', ...asked], { env: { ...env, ...(await asHistory()) } });
    expect(said).toContain('… 2 more: --json with a larger --lines shows them');
    const first = await restore('mia', { to, lost: true, keep: ['bag'] });
    expect(await market.read('mia')).toEqual({ ...now, gold: 9, bag: ['rope'] });
    expect(await saved()).toEqual([{ gems: 4 }, { gems: 5 }, { gems: 6 }, { gems: 6 }]);
    await undo(first.body.revision);
    await restore('mia', { to, lost: true, also: ['name'], alsoSlots: ['s3'] });
    expect(await market.read('mia')).toEqual({ ...now, gold: 9, bag: ['axe', 'rope'], name: 'Mia' });
    expect(await saved()).toEqual([{ gems: 4 }, { gems: 5 }, null, { gems: 6 }]);
    await restore('mia', { to, lost: true, alsoCollections: ['saves'] });
    expect([await market.read('mia'), await saved()]).toEqual([
      { ...now, gold: 9, bag: ['axe', 'rope'], name: 'Mia' },
      [{ gems: 4 }, { gems: 5 }, null, null],
    ]);
    // A page lists hundreds of lines, each of which may be ticked or left out.
    const many = Array.from({ length: 1000 }, (_, place) => `skins.${place}`);
    expect((await restore('mia', { ...look, lost: true, keep: many, also: many })).status).toBe(200);
    expect((await restore('mia', { ...look, keep: [...many, 'name'] })).status).toBe(400);
    for (const more of [{ also: ['name'] }, { alsoSlots: ['s3'] }, { alsoCollections: ['saves'] }])
      expect(await restore('mia', { ...look, ...more })).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect((await restore('mia', { ...look, lines: -1 })).status).toBe(400);
    // Who asks for no bound is told all, as ever.
    expect((await restore('mia', look)).body.documents).toMatchObject([{ key: 'mia', changes: expect.any(Array) }]);
    expect((await restore('mia', look)).body.documents[0]).not.toHaveProperty('moreLines');
  });

  test('refuses what it cannot bring back before anything is written', async () => {
    const to = await market.save('jan', { name: 'Jan', level: 8 });
    await market.save('jan', { name: 'Johan', level: 1 });
    await market.save('kim', { name: 'Jan' });
    expect(await restore('jan', { to })).toMatchObject({ status: 409, body: { error: { code: 'CORRECTION_BLOCKED', blockedCount: 1 } } });
    expect(await market.read('jan')).toEqual({ name: 'Johan', level: 1 });
    expect((await restore('jan', { to, keep: ['name'] })).status).toBe(200);
    expect(await market.read('jan')).toEqual({ name: 'Johan', level: 8 });
    expect(await restore('jan', { to: '2999-01-01T00:00:00Z' })).toMatchObject({ status: 400 });
    expect(await restore('jan', { to: '2026-03-01T12:00:00' })).toMatchObject({ status: 400 });
    expect(await restore('jan', { to: 9_999_999 })).toMatchObject({ status: 404 });
    expect(await restore('jan', { to: '2001-01-01' })).toMatchObject({ status: 404 });
    expect(await restore('jan', { to, collections: ['feed'] })).toMatchObject({ status: 400 });
    expect(await restore('jan', { to, collections: ['none'] })).toMatchObject({ status: 404 });
    // Twenty documents of 60 KiB do not fit into one commit.
    const map = 'x'.repeat(60_000);
    const slots = Array.from({ length: 20 }, (_, index) => `leo_${index}`);
    const begun = await market.save('leo', { gold: 1 });
    await ok(client.manage('PATCH', client.definitions('collections'), { body: { id: 'saves', maxRecords: 30 } }));
    for (const slot of slots) await market.save(slot, { map }, 'saves');
    const filled = await market.save('leo', { gold: 2 });
    for (const slot of slots) await ok(client.manage('DELETE', client.storage(`saves/leo/records/${slot.slice(4)}`)));
    expect(await restore('leo', { to: filled })).toMatchObject({
      status: 413,
      body: { error: { code: 'APPEND_TOO_LARGE', message: expect.stringContaining('--collection') } },
    });
    expect(await market.read('leo_3', 'saves')).toBeNull();
    expect((await restore('leo', { to: begun, collections: ['players'] })).status).toBe(200);
  });
});

describe('what both leave behind', () => {
  test('the tables are what the log says', async () => {
    const { code, stdout } = await savepoint(['verify', '--wait'], { env });
    expect(`${code} ${stdout}`).toMatch(/^0 /);
  });
});
