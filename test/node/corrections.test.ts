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

const why = { reason: 'a mistake' };
const inc = (path: string, value: number) => ({ ops: [{ op: 'inc', path, value, source: 'quest' }] });
const undo = (revision: number, more: object = {}) => market.manage('undo', { revision, ...why, ...more });

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

  test('the tables are what the log says', async () => {
    const { code, stdout } = await savepoint(['verify', '--wait'], { env });
    expect(`${code} ${stdout}`).toMatch(/^0 /);
  });
});
