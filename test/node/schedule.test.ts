import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { projectsWithDuePromotions } from '../../projections/models/releases/read.ts';
import { checkSchedules } from '../../src/compose/doctor/schedules.ts';
import { promotionWatch } from '../../src/compose/promotions.ts';
import { readConfig } from '../../src/config/config.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import type { Log } from '../../src/log/port.ts';
import { createPostgresLog } from '../../src/log/postgres/log.ts';
import { PEOPLE_STREAM } from '../../src/log/streams.ts';
import { createLogger } from '../../src/logger.ts';
import { startNode } from '../../src/main.ts';
import { type ConsoleReply, type SignedBrowser, signInByLink } from '../support/console.ts';
import { logWith } from '../support/log-with.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { printed, verified } from './support/command-line.ts';
import { prices } from './support/game.ts';
import { type Client, createClient, NEXT, ok } from './support/game-client.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A promotion at a chosen time. The node has no role `worker`: the test looks for what is due, with a clock that is ahead. */

const HOUR = 3_600_000;
const AHEAD = HOUR;
let env: { readonly DATABASE_URL: string; readonly CONSOLE_LISTEN: string };
let node: Awaited<ReturnType<typeof startNode>>;
let mara: SignedBrowser;
let oleg: SignedBrowser;
let game: Client;
let pool: pg.Pool;
let log: Log;
let secretKey: string;
let price = 7;
const lines: string[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0' };
  const config = readConfig({ ROLES: 'api,projector', PORT: '0', ...env }, { dataDir: newFolder() });
  node = await startNode(config, { demo: false, logger: createLogger({ level: 'error', format: 'json' }), onLost: () => undefined });
  [mara, oleg] = [await newManager('mara'), await newManager('oleg')];
  const made = await node.createProject?.('Market');
  if (made === undefined) throw new Error('this node makes no projects');
  secretKey = made.secretKey;
  game = createClient(node.url, made);
  await ok(game.manage('PUT', game.definitions('game-values'), { body: prices(price) }));
  pool = new pg.Pool({ connectionString: env.DATABASE_URL });
  log = createPostgresLog({ connection: { connectionString: env.DATABASE_URL } });
});

afterAll(async () => {
  game?.close();
  await node?.close();
  await log?.close();
  await pool?.end();
  removeFolders();
});

async function newManager(name: string): Promise<SignedBrowser> {
  return signInByLink(JSON.parse(await printed(['user', 'add', name, '--role', 'manager', '--json'], { env })).url);
}

const path = (rest: string) => game.definitions(rest);
const SCHEDULE = 'promote/schedule';
const codeOf = (reply: ConsoleReply) => [reply.status, JSON.parse(reply.text).error?.code];
const at = (ms = AHEAD) => new Date(Date.now() + ms).toISOString();
const scheduleBy = (by: SignedBrowser, body: object = { at: at() }) =>
  by.change('POST', path(`${SCHEDULE}?message=Summer%20prices&ticket=T-77`), body);

async function stage(): Promise<void> {
  price += 1;
  await ok(game.manage('PUT', path('game-values'), { headers: NEXT, body: prices(price) }));
}

async function stagedAndScheduled(by: SignedBrowser): Promise<void> {
  await stage();
  const reply = await scheduleBy(by);
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
}

async function shown() {
  return Object((await ok(game.manage('GET', path(SCHEDULE)))).body).schedule;
}

async function livePrice(): Promise<unknown> {
  return JSON.stringify((await ok(game.manage('GET', path('game-values')))).body);
}

/** What one node does when it looks, this much later. `through`: the log as it reads it. */
function watch(later = AHEAD + 1_000, through = log) {
  const logger = createLogger({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const scheduler = { ...realScheduler, now: () => Date.now() + later };
  return promotionWatch({ pool, log: through, config: readConfig({}), logger, scheduler })();
}

/** Looks on two nodes at once, once the read model knows what is due, and waits until it knows that nothing is any more. */
async function watched(later?: number) {
  const due = () => projectsWithDuePromotions(pool, Date.now() + AHEAD + 1_000, 10);
  await expect.poll(due, { timeout: 20_000 }).toEqual([game.projectId]);
  const [one, other] = await Promise.all([watch(later), watch(later)]);
  await expect.poll(due, { timeout: 20_000 }).toEqual([]);
  return { promoted: one.promoted + other.promoted, missed: one.missed + other.missed };
}

test('what is staged goes live at its time, once over all nodes, in the name of who scheduled it', async () => {
  await stagedAndScheduled(mara);
  expect(codeOf(await scheduleBy(oleg))).toEqual([409, 'PROMOTION_PHASE']);
  expect(await shown()).toMatchObject({ phase: 'waiting', message: 'Summer prices', ticket: 'T-77', scheduled: { by: { label: 'mara' } } });
  expect(await watch(0)).toEqual({ promoted: 0, missed: 0 });
  expect(await watched()).toEqual({ promoted: 1, missed: 0 });
  // The job writes as another node does: this one reads its log on.
  await expect.poll(livePrice, { timeout: 20_000 }).toContain(`"price":${price}`);
  expect(await shown()).toMatchObject({ phase: 'used', ended: { why: 'used', by: { label: 'mara' } } });
  const newest = async () => Object((await ok(game.manage('GET', path('publishes?limit=1')))).body).publishes;
  const promoted = { action: 'promote', cause: 'promotion.run', message: 'Summer prices', ticket: 'T-77', actor: { label: 'mara' } };
  await expect.poll(newest, { timeout: 20_000 }).toMatchObject([promoted]);
  expect(await watch()).toEqual({ promoted: 0, missed: 0 });
});

test('times that cannot be are refused, and nothing is scheduled where nothing is staged', async () => {
  for (const bad of [{ at: at(-HOUR) }, { at: at(1_000) }, { at: '2030-01-01' }, { at: 'soon' }, {}])
    expect(codeOf(await scheduleBy(mara, bad))).toEqual([400, 'VALIDATION_FAILED']);
  expect(codeOf(await scheduleBy(mara))).toEqual([409, 'PROMOTION_PHASE']);
  expect(codeOf(await mara.change('DELETE', path(SCHEDULE)))).toEqual([409, 'PROMOTION_PHASE']);
});

test('it is taken back, voided by what is staged, and used up by a promotion by hand', async () => {
  await stagedAndScheduled(mara);
  const { id } = await shown();
  const meant = (schedule: string) => oleg.change('DELETE', path(`${SCHEDULE}?message=Not%20yet&ticket=T-78&schedule=${schedule}`));
  // Whoever looked at another one takes back nothing.
  const another = await meant('0123456789abcdef');
  expect([codeOf(another), another.text]).toEqual([[409, 'PROMOTION_PHASE'], expect.stringContaining(id)]);
  expect(await shown()).toMatchObject({ phase: 'waiting' });
  expect((await meant(id)).status).toBe(200);
  expect(await shown()).toMatchObject({ phase: 'withdrawn', ended: { by: { label: 'oleg' }, reason: 'Not yet', ticket: 'T-78' } });
  await stagedAndScheduled(mara);
  await stage();
  expect(await shown()).toMatchObject({ phase: 'void', ended: { why: 'staged' } });
  expect((await scheduleBy(mara)).status).toBe(200);
  await ok(game.manage('POST', path('promote'), { body: {} }));
  expect(await shown()).toMatchObject({ phase: 'used' });
  expect(await watch()).toEqual({ promoted: 0, missed: 0 });
});

test('stored data that does not fit what is staged is found again at its time', async () => {
  const saves = (type: string) => ({ body: [{ id: 'saves', name: 'saves', schema: { gold: type } }] });
  await ok(game.manage('PUT', path('collections'), saves('number')));
  await ok(game.manage('PUT', path('collections'), { headers: NEXT, ...saves('string') }));
  expect((await scheduleBy(mara)).status).toBe(200);
  await ok(game.manage('POST', game.storage('saves/ann'), { body: { gold: 5 } }));
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect(await shown()).toMatchObject({ phase: 'missed', ended: { code: 'PROMOTION_FINDINGS' } });
  await ok(game.manage('POST', path('discard'), { body: {} }));
});

test('that it looked at no personal field is told where it is told that it is live, and it makes none unique', async () => {
  const people = (email: object) => ({ body: [{ id: 'people', name: 'people', schema: { email: { _personal: true, ...email } } }] });
  await ok(game.manage('PUT', path('collections'), people({ type: 'string' })));
  await ok(game.manage('POST', game.storage('people/ann'), { body: { email: 'ann@personal.example' } }));
  await ok(game.manage('PUT', path('collections'), { headers: NEXT, ...people({ type: 'string', maxLength: 3 }) }));
  expect((await scheduleBy(mara)).status).toBe(200);
  expect(await watched()).toEqual({ promoted: 1, missed: 0 });
  expect(await shown()).toMatchObject({ phase: 'used', ended: { why: 'used', unseen: ['people'] } });
  const remote = { ...env, SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: secretKey };
  expect(await printed(['promote', '--scheduled'], { env: remote })).toContain(
    'Whether documents of people fit personal fields was not looked at',
  );
  await ok(game.manage('PUT', path('collections'), { headers: NEXT, ...people({ type: 'string', _unique: true }) }));
  expect((await scheduleBy(mara)).status).toBe(200);
  await ok(game.manage('POST', game.storage('people/bo'), { body: { email: 'abc' } }));
  await ok(game.manage('POST', game.storage('people/cy'), { body: { email: 'abc' } }));
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect(await shown()).toMatchObject({ phase: 'missed', ended: { code: 'REVEAL_NEEDED' } });
  await ok(game.manage('POST', path('discard'), { body: {} }));
});

test('the saved tests run again at its time, on what is staged, and one that fails is told', async () => {
  const refusing = { id: 'sells', name: 'The axe is sold', endpoint: 'sell', input: {}, expect: { outcome: 'pass', status: 418 } };
  await ok(game.manage('PUT', path('endpoints'), { body: [{ id: 'sell', slug: 'sell', steps: [] }] }));
  await stagedAndScheduled(mara);
  await ok(game.manage('PUT', path('tests'), { body: [refusing] }));
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect((await shown()).ended).toMatchObject({ code: 'PROMOTION_FINDINGS', reason: expect.stringContaining('"The axe is sold" of sell') });
  // What it found may be anybody's, and this is for all to read.
  expect((await shown()).ended.reason).not.toContain('HTTP');
  await ok(game.manage('PUT', path('tests'), { body: [{ ...refusing, expect: { outcome: 'pass' } }] }));
  expect((await scheduleBy(mara)).status).toBe(200);
  expect(await watched()).toEqual({ promoted: 1, missed: 0 });
});

test('whether stored values of a personal field fit is not told at its time either', async () => {
  const saves = (more: object) => {
    const schema = { gold: { type: 'number' }, email: { type: 'string', _personal: true, ...more } };
    return { body: [{ id: 'saves', name: 'saves', schema }] };
  };
  await ok(game.manage('PUT', path('collections'), saves({})));
  await ok(game.manage('POST', game.storage('saves/ann'), { body: { gold: 5, email: 'ann@personal.example' } }));
  await ok(game.manage('PUT', path('collections'), { headers: NEXT, ...saves({ enum: ['guess@personal.example'] }) }));
  expect((await scheduleBy(mara)).status).toBe(200);
  expect(await watched()).toEqual({ promoted: 1, missed: 0 });
});

test('where a second person is asked for, the approval is needed at its time', async () => {
  await ok(game.manage('PUT', path('settings'), { body: { approvals: 'required' } }));
  await stagedAndScheduled(mara);
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect(await shown()).toMatchObject({ phase: 'missed', ended: { code: 'APPROVAL_NEEDED' } });
  expect(lines.filter((line) => line.includes('did not go live') && line.includes('APPROVAL_NEEDED'))).toHaveLength(1);
  expect((await scheduleBy(mara)).status).toBe(200);
  const { approval } = JSON.parse((await mara.change('POST', path('approvals'), {})).text);
  expect((await oleg.change('POST', path(`approvals/${approval.id}/approve`), {})).status).toBe(200);
  expect(await watched()).toEqual({ promoted: 1, missed: 0 });
});

test('whoever lost the right meanwhile promotes nothing, and what is hours late is missed', async () => {
  await stagedAndScheduled(oleg);
  await printed(['user', 'role', 'oleg', 'viewer'], { env });
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect(await shown()).toMatchObject({ phase: 'missed', ended: { code: 'FORBIDDEN' } });
  expect((await scheduleBy(mara)).status).toBe(200);
  expect(await watched(AHEAD + 2 * HOUR)).toEqual({ promoted: 0, missed: 1 });
  expect((await shown()).ended.reason).toContain('within an hour');
  await expect
    .poll(() => checkSchedules(pool), { timeout: 20_000 })
    .toMatchObject({ state: 'warn', found: expect.stringContaining('within an hour') });
});

test('so does whoever lost it while the tests ran and stored data was looked at', async () => {
  await printed(['user', 'role', 'oleg', 'manager'], { env });
  await stage();
  // The node knows of a role within a second.
  await expect.poll(async () => (await scheduleBy(oleg)).status).toBe(200);
  const before = await livePrice();
  let isTaken = false;
  const late = logWith(log, {
    async read(stream, range) {
      const people = await log.read(stream, range);
      if (stream !== PEOPLE_STREAM || isTaken) return people;
      isTaken = true;
      await printed(['user', 'role', 'oleg', 'viewer'], { env });
      return people;
    },
  });
  const due = () => projectsWithDuePromotions(pool, Date.now() + AHEAD + 1_000, 10);
  await expect.poll(due, { timeout: 20_000 }).toEqual([game.projectId]);
  expect([await watch(AHEAD + 1_000, late), isTaken]).toEqual([{ promoted: 0, missed: 1 }, true]);
  expect(await shown()).toMatchObject({ phase: 'missed', ended: { code: 'FORBIDDEN' } });
  expect(await livePrice()).toEqual(before);
});

test('so does a key that was revoked', async () => {
  const key = JSON.parse(await printed(['key', 'create', game.projectId, '--type', 'secret', '--json'], { env }));
  const host = createClient(node.url, { projectId: game.projectId, publicKey: '', secretKey: key.key });
  await ok(host.manage('POST', path(SCHEDULE), { body: { at: at() } }));
  host.close();
  await printed(['key', 'revoke', game.projectId, key.keyId], { env });
  expect(await watched()).toEqual({ promoted: 0, missed: 1 });
  expect((await shown()).ended).toMatchObject({ code: 'FORBIDDEN', reason: expect.stringContaining('revoked') });
});

test('the command line schedules, shows and takes back', async () => {
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: secretKey };
  const run = (...args: string[]) => printed(['promote', ...args], { env: remote });
  expect(await run('--at', at(), '--yes', '-m', 'Winter')).toContain('What is staged goes live at');
  expect(await run('--scheduled')).toContain('Winter');
  await expect(run('--cancel', '0123456789abcdef')).rejects.toThrow(/Another promotion waits by now/);
  await expect(run('--cancel', '')).rejects.toThrow(/id behind --cancel is empty/);
  expect(await run('--cancel')).toContain('was taken back');
  await expect(run('--at', at(), '--yes', '--force')).rejects.toThrow(/Mend what is wrong and schedule it/);
});

test('what is stored of all this follows from the log', () => verified(env));
