import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { BASES } from '../../src/contract/families.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { createLogger } from '../../src/logger.ts';
import { startNode } from '../../src/main.ts';
import { type ConsoleReply, type SignedBrowser, signInByLink } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey, printed, verified } from './support/command-line.ts';
import { prices } from './support/game.ts';
import { type Client, createClient, NEXT, ok } from './support/game-client.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A project that asks for a second person: nothing goes live that somebody else has not agreed to. */

let env: { readonly DATABASE_URL: string; readonly CONSOLE_LISTEN: string };
let node: Awaited<ReturnType<typeof startNode>>;
let ada: SignedBrowser;
let mara: SignedBrowser;
let oleg: SignedBrowser;
let game: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0' };
  const config = readConfig({ ROLES: 'api,projector', PORT: '0', ...env }, { dataDir: newFolder() });
  node = await startNode(config, { demo: false, logger: createLogger({ level: 'error', format: 'json' }), onLost: () => undefined });
  ada = await signInByLink(JSON.parse(await printed(['console', 'link', '--json'], { env })).url);
  [mara, oleg] = [await newManager('mara'), await newManager('oleg')];
  game = await newGame();
});

afterAll(async () => {
  game?.close();
  await node?.close();
  removeFolders();
});

async function newManager(name: string): Promise<SignedBrowser> {
  return signInByLink(JSON.parse(await printed(['user', 'add', name, '--role', 'manager', '--json'], { env })).url);
}

/** One of each kind, by the name of which routes remove it. */
const SHOP = {
  collections: [{ id: 'shop', name: 'shop', schema: { gold: 'number' } }],
  endpoints: [{ id: 'shop', slug: 'shop', steps: [] }],
  workflows: [{ id: 'shop', steps: [] }],
  libraries: [{ id: 'shop', blocks: {} }],
  queries: [{ id: 'shop', collection: 'shop' }],
  gameValues: prices(7),
  rateLimitRules: [],
};

async function newGame(approvals = 'required'): Promise<Client> {
  const made = await node.createProject?.('Market');
  if (made === undefined) throw new Error('this node makes no projects');
  const client = createClient(node.url, made);
  await ok(client.manage('PUT', client.definitions('sync'), { body: SHOP }));
  await ok(client.manage('PUT', client.definitions('settings'), { body: { approvals } }));
  return client;
}

const path = (rest: string, client: Client = game) => client.definitions(rest);
const answer = ({ status, text }: ConsoleReply) => ({ status, ...JSON.parse(text) });
const codeOf = (reply: ConsoleReply) => [reply.status, JSON.parse(reply.text).error?.code];

async function stage(by: SignedBrowser, axe: number): Promise<void> {
  const reply = await by.change('PUT', `${path('game-values')}?revisionTarget=next`, prices(axe));
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
}

async function ask(by: SignedBrowser, body: object = {}): Promise<string> {
  const { status, approval } = answer(await by.change('POST', path('approvals'), body));
  expect(status).toBe(200);
  return approval.id;
}

const approve = (by: SignedBrowser, id: string, body: object = {}) => by.change('POST', path(`approvals/${id}/approve`), body);
const promote = (by: SignedBrowser, body: object = {}, query = '') => by.change('POST', path(`promote${query}`), body);
async function axe(): Promise<unknown> {
  const { body } = await ok(game.manage('GET', path('game-values')));
  return Object(Object(body).data)[0]?.value ?? JSON.stringify(body);
}

test('one stages and asks, another approves, and exactly that goes live; the history says who', async () => {
  await stage(mara, 9);
  expect(codeOf(await promote(mara))).toEqual([409, 'APPROVAL_NEEDED']);
  const id = await ask(mara, { comment: 'Summer prices', ticket: 'T-77' });
  expect(codeOf(await promote(mara))).toEqual([409, 'APPROVAL_NEEDED']);
  expect(codeOf(await approve(mara, id))).toEqual([403, 'APPROVER_IS_AUTHOR']);
  const byKey = await game.manage('POST', path(`approvals/${id}/approve`), { body: {} });
  expect([byKey.status, Object(byKey.body).error.code]).toEqual([403, 'APPROVER_IS_KEY']);
  const { changes } = answer(await oleg.get(path('diff')));
  expect(changes).toMatchObject([{ kind: 'game-values', stagedBy: [{ by: { kind: 'person', label: 'mara' } }] }]);
  expect(answer(await approve(oleg, id, { comment: 'Fine' }))).toMatchObject({
    status: 200,
    approval: { phase: 'approved', asked: { by: { label: 'mara' } }, decided: { by: { label: 'oleg' } } },
  });
  expect((await promote(mara)).status).toBe(200);
  expect(JSON.stringify(await axe())).toContain('9');
  const { publishes } = Object((await ok(game.manage('GET', path('publishes?limit=1')))).body);
  expect(publishes).toMatchObject([{ action: 'promote', approval: { id, phase: 'used', decided: { by: { label: 'oleg' } } } }]);
  const { comments } = answer(await ada.get(path(`approvals/${id}`)));
  expect(comments).toMatchObject([
    { text: 'Summer prices', ticket: 'T-77', with: 'request', by: { label: 'mara' } },
    { text: 'Fine', with: 'approve', by: { label: 'oleg' } },
  ]);
});

test('whatever changes voids it, and it is told what did', async () => {
  await stage(mara, 11);
  const id = await ask(mara);
  expect((await approve(oleg, id)).status).toBe(200);
  await stage(mara, 12);
  const { open, approvals } = answer(await oleg.get(path('approvals?limit=1')));
  expect([open, approvals]).toMatchObject([[], [{ id, phase: 'void', ended: { why: 'staged', by: { label: 'mara' } } }]]);
  expect(answer(await promote(oleg)).message).toContain('void, since something was staged afterwards');
  expect(codeOf(await approve(oleg, id))).toEqual([409, 'APPROVAL_PHASE']);
  const withdrawn = await ask(mara, { ticket: 'T-78' });
  expect((await mara.change('DELETE', path(`approvals/${withdrawn}?message=Not%20yet`))).status).toBe(200);
  expect(answer(await ada.get(path(`approvals/${withdrawn}`))).comments).toMatchObject([
    { text: '', ticket: 'T-78', with: 'request' },
    { text: 'Not yet', with: 'withdraw' },
  ]);
  const declined = await ask(mara);
  await oleg.change('POST', path(`approvals/${declined}/decline`), { comment: 'Too dear' });
  expect(answer(await oleg.get(path('approvals?limit=1'))).approvals).toMatchObject([{ id: declined, phase: 'declined' }]);
});

test('an approval counts while who gave it may approve: of whoever may no more it waits for a second person again', async () => {
  await stage(mara, 61);
  const id = await ask(mara);
  expect((await approve(oleg, id)).status).toBe(200);
  const { person } = answer(await oleg.get('/api/session'));
  const hasRole = async (role: string) => expect((await ada.change('PUT', `/api/people/${person.id}/roles/*`, { role })).status).toBe(200);
  await hasRole('viewer');
  expect(codeOf(await promote(mara))).toEqual([409, 'APPROVAL_NEEDED']);
  expect(answer(await mara.get(path('approvals'))).open).toMatchObject([{ id, phase: 'asked', decided: null }]);
  expect((await approve(ada, id)).status).toBe(200);
  expect((await promote(mara)).status).toBe(200);
  await hasRole('manager');
});

test('whoever staged a part and was let in anew under the same name does not approve it either', async () => {
  const vera = await newManager('Vera');
  await stage(vera, 62);
  const id = await ask(mara);
  const { person } = answer(await vera.get('/api/session'));
  expect((await ada.change('DELETE', `/api/people/${person.id}`)).status).toBe(200);
  expect(codeOf(await approve(await newManager('vera'), id))).toEqual([403, 'APPROVER_IS_AUTHOR']);
  expect((await approve(oleg, id)).status).toBe(200);
  expect((await promote(mara)).status).toBe(200);
});

test('of an approval and a change of what it is about at once, only what the approver saw may go live', async () => {
  for (let round = 0; round < 4; round += 1) {
    await stage(mara, 100 + round);
    const id = await ask(mara);
    const [approved] = await Promise.all([approve(oleg, id), stage(mara, 200 + round)]);
    expect([200, 409]).toContain(approved.status);
    expect(codeOf(await promote(oleg))).toEqual([409, 'APPROVAL_NEEDED']);
  }
});

test('an owner goes past it with a reason, and history, log and approvals tell that nobody approved', async () => {
  await stage(mara, 13);
  expect(codeOf(await promote(mara, { breakGlass: true }, '?message=now'))).toEqual([403, 'FORBIDDEN']);
  expect(codeOf(await promote(ada, { breakGlass: true }))).toEqual([400, 'INVALID_REQUEST']);
  expect((await promote(ada, { breakGlass: true }, '?message=The%20shop%20gives%20gold%20away')).status).toBe(200);
  const { publishes } = Object((await ok(game.manage('GET', path('publishes?limit=1')))).body);
  expect(publishes).toMatchObject([
    { message: 'The shop gives gold away', actor: { label: 'owner' }, approval: { phase: 'bypassed', decided: null } },
  ]);
  const key = await newApiKey(env, game.projectId, { history: 'r' });
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: key };
  const activity = await printed(['activity', '--kind', 'definitions', '--limit', '1'], { env: remote });
  expect(activity).toContain('past the second person');
  expect(await printed(['explain', String(publishes[0].revision)], { env: remote })).toContain('past the second person');
});

test('a rollback takes an approval, too, and whoever gives it reads what it changes', async () => {
  expect(codeOf(await mara.change('POST', path('rollback'), {}))).toEqual([409, 'APPROVAL_NEEDED']);
  const id = await ask(mara, { action: 'rollback' });
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: game.secretKey };
  const { approval, changes } = JSON.parse(await printed(['approve', 'show', id, '--json'], { env: remote }));
  expect(changes).toMatchObject([{ kind: 'game-values', action: 'change' }]);
  // The same as the console shows, which compares live with what it would be.
  const [last] = answer(await oleg.get(path('publishes?limit=1'))).publishes;
  const compared = answer(await oleg.get(path(`definitions/compare?from=${last.revision}&to=${approval.to}`)));
  expect(compared.changes).toEqual(changes);
  expect(codeOf(await approve(mara, id))).toEqual([403, 'APPROVER_IS_AUTHOR']);
  expect((await approve(oleg, id)).status).toBe(200);
  expect((await mara.change('POST', path('rollback'), {})).status).toBe(200);
});

test('only an owner, as a person, or the operator switches it off', async () => {
  const off = { approvals: 'off' };
  expect(codeOf(await mara.change('PUT', path('settings'), off))).toEqual([403, 'FORBIDDEN']);
  expect((await game.manage('PUT', path('settings'), { body: off })).status).toBe(403);
  expect((await ada.change('PUT', path('settings'), off)).status).toBe(200);
  expect(codeOf(await mara.change('POST', path('approvals'), {}))).toEqual([409, 'APPROVALS_OFF']);
  expect((await ada.change('PUT', path('settings'), { approvals: 'required' })).status).toBe(200);
});

/** Bodies of requests that change something, where the example of the contract only looks, or needs what is not there. */
const CHANGING: Readonly<Record<string, unknown>> = {
  promote: {},
  rollback: {},
  discard: {},
  syncPackage: { currentRevisionId: 2 },
};

/** Whether each route that writes changes live, and how it answers. */
async function walk(
  approvals: string,
): Promise<ReadonlyMap<string, { readonly changes: boolean; readonly code: unknown; readonly body: unknown }>> {
  const client = await newGame(approvals);
  const told = new Map<string, { changes: boolean; code: unknown; body: unknown }>();
  const hash = async () => Object((await ok(client.manage('GET', path('diff', client)))).body).liveHash;
  await ok(client.manage('POST', path('package-sync', client), { body: { currentRevisionId: 1 } }));
  let n = 0;
  for (const route of routes.filter(({ family, writes, method }) => family === 'manage' && writes === true && method !== 'GET')) {
    await ok(client.manage('PUT', path('game-values', client), { headers: NEXT, body: prices(++n) }));
    const before = await hash();
    const { status, body } = await client.manage(route.method, addressOf(client, route), bodyOf(route, n));
    told.set(route.id, { changes: before !== (await hash()), code: Object(body).error?.code ?? status, body });
  }
  client.close();
  return told;
}

function addressOf(client: Client, { family, path: form, example }: Route): string {
  const params: Readonly<Record<string, string>> = { ...example?.params, project: client.projectId, collection: 'shop', id: 'shop' };
  return BASES[family] + form.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? 'x');
}

function bodyOf({ id, body, example }: Route, n: number): { readonly body?: unknown } {
  return body === undefined ? {} : { body: CHANGING[id] ?? renamed(example?.body ?? {}, n) };
}

/** The body with names of its own, so that it changes something wherever the route can. */
function renamed(value: unknown, n: number): unknown {
  return JSON.parse(JSON.stringify(value), (name, member) =>
    ['id', 'slug', 'name'].includes(name) && typeof member === 'string' ? `${member}${n}` : member,
  );
}

test('every route of the contract that changes live is refused, and the package is stored and says that it promoted nothing', async () => {
  const open = await walk('off');
  const gated = await walk('required');
  const changing = [...open].filter(([, { changes }]) => changes).map(([id]) => id);
  // Saved tests are for both targets, and no part of the game.
  expect([...gated].filter(([, { changes }]) => changes).map(([id]) => id)).toEqual(['putTests']);
  const refused = changing.filter((id) => gated.get(id)?.code === 'APPROVAL_NEEDED');
  expect(changing.filter((id) => !refused.includes(id))).toEqual(['putTests', 'syncPackage']);
  const said = routes.filter(({ errors, writes }) => writes === true && errors.includes('APPROVAL_NEEDED')).map(({ id }) => id);
  expect(refused).toEqual(said);
  expect(gated.get('syncPackage')?.body).toMatchObject({
    ok: true,
    gamePackage: { currentRevisionId: 2 },
    promotedRevisionOverrides: { promoted: false, waits: expect.stringContaining('second person') },
  });
});

test('a preflight of a push to live is refused as the push would be, and one to next is not', async () => {
  const body = { gameValues: prices(99) };
  const live = await game.manage('POST', path('sync/preflight'), { body });
  expect([live.status, Object(live.body).error.code]).toEqual([409, 'APPROVAL_NEEDED']);
  await ok(game.manage('POST', path('sync/preflight'), { headers: NEXT, body }));
  await ok(game.manage('PUT', path('sync'), { headers: NEXT, body }));
});

test('what is stored of all this follows from the log', () => verified(env));
