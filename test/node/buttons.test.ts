import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Permissions } from '../../src/domain/events.ts';
import { createLogger } from '../../src/logger.ts';
import { startNode } from '../../src/main.ts';
import { askConsole, type ConsoleReply, codeOf, type SignedBrowser, signInByLink } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newApiKey, printed, verified } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Buttons of the game's own: endpoints that people run from the console, in their name. */

const ADA = '76561198000000001';
const BEA = '76561198000000077';
const SECRET = 'ada@personal.example';

let env: { readonly DATABASE_URL: string; readonly CONSOLE_LISTEN: string };
let node: Awaited<ReturnType<typeof startNode>>;
let owner: SignedBrowser;
let sue: SignedBrowser;
let game: Client;
let origin: string;

const GIFT = {
  id: 'gift',
  slug: 'gift',
  description: 'Gold, once more.',
  exposure: 'internal',
  console: { page: 'Player', label: ' Give gold ', confirm: 'It is real gold.' },
  input: { properties: { gold: { type: 'integer', min: 1, max: 50, default: 5 } } },
  rateLimits: { mode: 'per_player', perMinute: 3 },
  steps: [
    {
      id: 'known',
      type: 'read',
      collection: 'saves',
      key: '{{platformId}}',
      required: true,
      onMissing: { status: 404, errorCode: 'NO_SAVE', message: 'This player has no save.' },
    },
    { id: 'give', type: 'write', collection: 'saves', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: '{{input.gold}}' }] },
  ],
  response: { body: { ok: true, gold: '{{give.gold}}' } },
};
const HELLO = {
  id: 'hello',
  slug: 'hello',
  console: { page: 'home', label: 'Say hello' },
  steps: [],
  response: { body: { ok: true, by: '{{platformId}}' } },
};
const WHO = {
  id: 'who',
  slug: 'who',
  console: { page: 'player', label: 'Who is it' },
  steps: [
    { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' },
    { id: 'mark', type: 'write', collection: 'saves', key: '{{platformId}}', ops: [{ op: 'set', path: 'note', value: 'to {{me.email}}' }] },
  ],
  response: { body: { ok: true, said: 'to {{me.email}}' } },
};
/** It says no, in words of what it has read. */
const DENY = {
  id: 'deny',
  slug: 'deny',
  console: { page: 'player', label: 'Say no' },
  steps: [
    { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' },
    { id: 'no', type: 'assert', check: { field: 'me.gold', op: '<', value: 0 }, errorCode: 'NO', message: 'no: {{me.email}}' },
  ],
};
const PLAIN = { id: 'plain', slug: 'plain', steps: [], response: { body: { ok: true } } };

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), CONSOLE_LISTEN: '127.0.0.1:0' };
  const config = readConfig({ ROLES: 'api,projector', PORT: '0', ...env }, { dataDir: newFolder() });
  node = await startNode(config, { demo: false, logger: createLogger({ level: 'error', format: 'json' }), onLost: () => undefined });
  const link = JSON.parse(await printed(['console', 'link', '--json'], { env })).url;
  origin = new URL(link).origin;
  owner = await signInByLink(link);
  sue = await newPerson('sue', 'support');
  const made = await node.createProject?.('Shop');
  if (made === undefined) throw new Error('this node makes no projects');
  game = createClient(node.url, made);
  const fields = { gold: { type: 'number', _ledger: true }, email: { type: 'string', _personal: true }, note: { type: 'string' } };
  const saves = { id: 'saves', name: 'saves', accessMode: 'public', schema: fields };
  await ok(game.manage('PUT', game.definitions('sync'), { body: { collections: [saves], endpoints: [GIFT, HELLO, WHO, DENY, PLAIN] } }));
  await ok(game.manage('POST', game.storage(`saves/${ADA}`), { body: { gold: 10, email: SECRET } }));
});

afterAll(async () => {
  game?.close();
  await node?.close();
  removeFolders();
});

async function newPerson(name: string, role: string): Promise<SignedBrowser> {
  return signInByLink(JSON.parse(await printed(['user', 'add', name, '--role', role, '--json'], { env })).url);
}

const path = (rest: string) => game.definitions(rest);
const answer = ({ status, text }: ConsoleReply) => ({ status, ...JSON.parse(text) });
const WHY = { reason: 'lost by a crash', ticket: 'T-77' };
const AGREED = { ...WHY, player: ADA, confirm: 'It is real gold.' };
const press = (by: SignedBrowser, slug: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  askConsole(
    { origin, port: Number(new URL(origin).port) },
    'POST',
    path(`buttons/${slug}`),
    { Cookie: by.cookie, Origin: origin, 'X-Console-Csrf': by.csrf, ...headers },
    body,
  );
async function gold(): Promise<unknown> {
  return Object((await ok(game.manage('GET', game.storage(`saves/${ADA}`)))).body).gold;
}

test('buttons are listed by page, with what a form is made of; what is no button is not', async () => {
  const { buttons, more } = answer(await sue.get(path('buttons?page=player')));
  expect({ buttons, more }).toEqual({
    buttons: [
      {
        endpoint: 'gift',
        page: 'player',
        label: 'Give gold',
        confirm: 'It is real gold.',
        description: GIFT.description,
        input: GIFT.input,
      },
      { endpoint: 'deny', page: 'player', label: 'Say no', confirm: null, description: null, input: null },
      { endpoint: 'who', page: 'player', label: 'Who is it', confirm: null, description: null, input: null },
    ],
    more: 0,
  });
  const all = answer(await sue.get(path('buttons'))).buttons;
  expect(all.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['hello', 'gift', 'deny', 'who']);
});

test('support looks first, which stores nothing, and presses once however often it is sent; the log names who, why and the ticket', async () => {
  const look = answer(await press(sue, 'gift', { ...WHY, player: ADA, input: { gold: 7 }, dryRun: true }));
  expect(look).toMatchObject({
    ...{ status: 200, dryRun: true, revision: null, result: { ok: true, status: 200, body: { gold: 17 } } },
    documents: [{ collection: 'saves', key: ADA, changes: [{ path: 'gold', from: 10, to: 17 }] }],
    coins: [{ player: ADA, field: 'gold', before: 10, after: 17, delta: 7 }],
  });
  expect(await gold()).toBe(10);
  const once = () => press(sue, 'gift', { ...AGREED, input: { gold: 7 } }, { 'Idempotency-Key': 'a double click' });
  const both = (await Promise.all([once(), once()])).map(answer);
  expect(both.map(({ status, result }) => [status, result.body.gold])).toEqual([
    [200, 17],
    [200, 17],
  ]);
  const made = both.map(({ revision }) => revision).filter((revision) => revision !== null);
  expect(made).toHaveLength(1);
  expect(await gold()).toBe(17);
  const { commits } = answer(await sue.get(path(`commits?player=${ADA}&kind=button`)));
  expect(commits).toMatchObject([
    {
      revision: made[0],
      cause: 'button.press',
      actor: { kind: 'person', label: 'sue', player: ADA, endpoint: 'gift' },
      why: { ...WHY, button: 'Give gold' },
      money: [{ player: ADA, field: 'gold', delta: 7 }],
    },
  ]);
  const { entries } = Object((await ok(game.manage('GET', game.storage(`saves/${ADA}/ledger?field=gold`)))).body);
  expect(entries.find(({ source }: { source: string }) => source === 'gift')).toMatchObject({ delta: 7, reason: WHY.reason });
  const { requests } = answer(await sue.get(path('logs?slug=gift&limit=10')));
  expect(requests).toMatchObject([{ slug: 'gift', status: 200, platformId: ADA }, { slug: 'gift' }]);
  await verified(env);
});

test('what a button asks is agreed to in its present words, and it is pressed for whom its page is', async () => {
  const before = await gold();
  expect(codeOf(await press(sue, 'gift', { ...WHY, player: ADA }))).toEqual([409, 'CONFIRM_NEEDED']);
  const other = answer(await press(sue, 'gift', { ...AGREED, confirm: 'It was another text.' }));
  expect(other.error).toMatchObject({ code: 'CONFIRM_NEEDED', confirm: 'It is real gold.' });
  expect(codeOf(await press(sue, 'gift', { ...WHY, confirm: 'It is real gold.' }))).toEqual([400, 'VALIDATION_FAILED']);
  expect(codeOf(await press(sue, 'hello', { ...WHY, player: ADA }))).toEqual([400, 'VALIDATION_FAILED']);
  expect(codeOf(await press(sue, 'gift', { player: ADA, confirm: 'It is real gold.' }))).toEqual([400, 'VALIDATION_FAILED']);
  expect(codeOf(await press(sue, 'plain', { ...WHY, player: ADA }))).toEqual([404, 'NOT_FOUND']);
  expect(codeOf(await press(sue, 'none', WHY))).toEqual([404, 'ENDPOINT_NOT_FOUND']);
  expect(codeOf(await press(sue, 'gift', { ...AGREED, input: { gold: 99 } }))).toEqual([400, 'INVALID_INPUT']);
  expect(codeOf(await press(sue, 'gift', { ...AGREED, player: 'a/b' }))).toEqual([400, 'INVALID_PLATFORMID']);
  expect(await gold()).toBe(before);
  expect(answer(await press(sue, 'hello', WHY))).toMatchObject({ status: 200, player: null, result: { body: { by: 'anonymous' } } });
});

test('a refusal of the endpoint is told plainly, before and when it is pressed, and limits count as for everybody', async () => {
  const nobody = { ...AGREED, player: '76561198000000099' };
  const look = answer(await press(sue, 'gift', { ...nobody, dryRun: true }));
  expect(look).toMatchObject({
    status: 200,
    result: { ok: false, status: 404, body: { error: { code: 'NO_SAVE' } } },
    documents: [],
    coins: [],
  });
  expect(codeOf(await press(sue, 'gift', nobody))).toEqual([404, 'NO_SAVE']);
  const codes = [];
  for (let count = 0; count < 4; count += 1) codes.push(codeOf(await press(sue, 'gift', AGREED))[1]);
  expect(codes.at(-1)).toBe('RATE_LIMIT');
});

test('an endpoint that answers a refusal and stores something is shown so', async () => {
  const steps = [{ id: 'give', type: 'write', collection: 'saves', key: '{{platformId}}', ops: [{ op: 'inc', path: 'gold', value: 1 }] }];
  const response = { status: 409, body: { ok: false, error: { code: 'LATE', message: 'Late, and done' } } };
  const late = { id: 'late', slug: 'late', console: { page: 'player', label: 'Late' }, steps, response };
  await ok(game.manage('PATCH', path('endpoints'), { body: late }));
  const told = { status: 200, result: { ok: false, status: 409 } };
  expect(answer(await press(sue, 'late', { ...WHY, player: ADA, dryRun: true }))).toMatchObject({ ...told, coins: [{ delta: 1 }] });
  expect(answer(await press(sue, 'late', { ...WHY, player: ADA }))).toMatchObject({ ...told, revision: expect.any(Number) });
});

test('whoever presses buttons runs those endpoints and no others; a role without it presses none, nor does a key', async () => {
  const call = await askConsole(
    { origin, port: Number(new URL(origin).port) },
    'POST',
    `/v3/endpoints/${game.projectId}/plain`,
    { Cookie: sue.cookie, Origin: origin, 'X-Console-Csrf': sue.csrf },
    {},
  );
  expect(codeOf(call)).toEqual([403, 'FORBIDDEN']);
  const vic = await newPerson('vic', 'viewer');
  for (const by of [vic, await newPerson('ann', 'auditor')]) {
    expect(codeOf(await by.get(path('buttons')))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await press(by, 'hello', WHY))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await press(by, 'hello', { ...WHY, dryRun: true }))).toEqual([403, 'FORBIDDEN']);
  }
  for (const by of [owner, await newPerson('mia', 'manager'), await newPerson('dan', 'designer')])
    expect(answer(await press(by, 'hello', WHY))).toMatchObject({ status: 200 });
  const withKey = async (permissions: Permissions, slug: string) => {
    const secretKey = await newApiKey(env, game.projectId, permissions);
    const client = createClient(node.url, { projectId: game.projectId, publicKey: game.publicKey, secretKey });
    const { status } = await client.manage('POST', path(`buttons/${slug}`), { body: { ...WHY, dryRun: true } });
    const called = await client.manage('POST', `/v3/endpoints/${game.projectId}/plain`, { body: {} });
    client.close();
    return [status, called.status];
  };
  expect(await withKey({ buttons: 'x' }, 'hello')).toEqual([200, 403]);
  expect(await withKey({ collections: 'rwx', history: 'r' }, 'hello')).toEqual([403, 403]);
});

test('an internal endpoint with a button is for people alone: neither games nor servers call it', async () => {
  expect((await game.play('POST', `/v3/endpoints/${game.projectId}/gift`, { body: {} }, ADA)).status).toBe(404);
  expect((await game.manage('POST', `/v3/endpoints/${game.projectId}/gift`, { body: {} })).status).toBe(404);
});

test('who reads no documents is not shown what would change', async () => {
  const dora = await newPerson('dora', 'designer');
  const look = answer(await press(dora, 'gift', { ...WHY, player: ADA, dryRun: true }));
  expect(look.result.ok).toBe(true);
  expect([look.documents, look.coins]).toEqual([undefined, undefined]);
});

test('personal values are masked in what a button answers and would change, and the look is recorded', async () => {
  for (const dryRun of [true, false]) {
    const { status, text } = await press(sue, 'who', { ...WHY, player: ADA, dryRun });
    expect([status, text.includes(SECRET)]).toEqual([200, false]);
  }
  const revealed = await press(sue, 'who', { ...WHY, player: ADA, dryRun: true }, { 'x-ns-reveal': 'ticket' });
  expect(revealed.text).toContain(SECRET);
  const { looks } = answer(await owner.get(path(`access?player=${ADA}&limit=200`)));
  const ofButtons = looks.filter(({ page }: { page: string }) => page === 'pressButton');
  expect(ofButtons.some(({ name, reason }: { name: string; reason?: string }) => name === 'sue' && reason === 'ticket')).toBe(true);
  const masked = await press(sue, 'gift', { ...AGREED, input: { note: '[personal]' } });
  expect(codeOf(masked)).toEqual([400, 'INVALID_BODY']);
});

test('a button that says no is masked, and recorded as a look at the player for whom it was pressed', async () => {
  const looks = async () =>
    answer(await owner.get(path(`access?player=${BEA}&limit=200`))).looks.filter(({ page }: { page: string }) => page === 'pressButton');
  await ok(game.manage('POST', game.storage(`saves/${BEA}`), { body: { gold: 10, email: SECRET } }));
  expect(await looks()).toEqual([]);
  const refused = await press(sue, 'deny', { ...WHY, player: BEA });
  expect([refused.status, answer(refused).error]).toEqual([400, expect.objectContaining({ code: 'NO', message: '[personal]' })]);
  expect(await looks()).toEqual([expect.objectContaining({ name: 'sue' })]);
});

test('a staged button is on next alone, and what it does there reaches nobody in live', async () => {
  const staged = { ...HELLO, id: 'bye', slug: 'bye', console: { page: 'home', label: 'Say bye' } };
  await ok(game.manage('PATCH', `${path('endpoints')}?revisionTarget=next`, { body: staged }));
  const labels = async (target: string) =>
    answer(await sue.get(path(`buttons?page=home&revisionTarget=${target}`))).buttons.map(({ label }: { label: string }) => label);
  expect([await labels('live'), await labels('next')]).toEqual([['Say hello'], ['Say bye', 'Say hello']]);
  expect(codeOf(await press(sue, 'bye', WHY))).toEqual([404, 'ENDPOINT_NOT_FOUND']);
  expect((await press(sue, 'bye', WHY, { 'x-ns-publish-target': 'next' })).status).toBe(200);
});

test('with shared data a staged button changes what live has, so whoever only presses buttons waits until it is live', async () => {
  const next = { 'x-ns-publish-target': 'next' };
  await ok(game.manage('PUT', path('settings'), { body: { nextData: 'shared' } }));
  const refused = await press(sue, 'bye', WHY, next);
  expect([refused.status, answer(refused).error.message]).toEqual([403, expect.stringContaining('is staged, and `nextData: shared`')]);
  expect((await press(sue, 'bye', { ...WHY, dryRun: true }, next)).status).toBe(200);
  expect((await press(sue, 'hello', WHY, next)).status).toBe(200);
  await ok(game.manage('PUT', path('settings'), { body: { nextData: 'isolated' } }));
});

test('a button that does not fit is a finding, and refused where the push is strict', async () => {
  const wrong = { ...HELLO, id: 'wrong', slug: 'wrong', console: { page: 'players', label: '' } };
  const strict = await game.manage('PATCH', `${path('endpoints')}?strict=true`, { body: wrong });
  expect([strict.status, strict.text]).toEqual([400, expect.stringContaining("There is no page 'players' for buttons")]);
  const pushed = await ok(game.manage('PATCH', path('endpoints'), { body: wrong }));
  expect(pushed.text).toContain('INVALID_CONSOLE_PAGE');
  expect(codeOf(await press(sue, 'wrong', WHY))).toEqual([404, 'NOT_FOUND']);
});

test('on the command line buttons are listed, looked at and pressed, with a key as by a person', async () => {
  const secretKey = await newApiKey(env, game.projectId, { buttons: 'x', collections: 'x' });
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: secretKey };
  expect(await printed(['press', '--page', 'player'], { env: remote })).toMatch(/gift +player +Give gold +Gold, once more\./);
  const bo = '76561198000000002';
  await ok(game.manage('POST', game.storage(`saves/${bo}`), { body: { gold: 1 } }));
  const words = ['press', 'gift', 'gold=6', '--player', bo, '--reason', 'a crash'];
  const look = await printed([...words, '--dry-run'], { env: remote });
  expect(look).toContain(`saves/${bo} gold: 1 → 7`);
  expect(look).toContain('Nothing was changed: this was a look.');
  const asked = await here(words, { env: remote });
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('--yes')]);
  expect(await printed([...words, '--yes'], { env: remote })).toMatch(/The commit at revision \d+ did it: `savepoint undo/);
  const refused = await here(['press', 'gift', '--player', '76561198000000099', '--reason', 'a crash', '--yes'], { env: remote });
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('NO_SAVE')]);
  const why = await here(['press', 'gift', '--player', bo], { env: remote });
  expect([why.code === 0, why.stderr]).toEqual([false, expect.stringContaining('--reason')]);
});
