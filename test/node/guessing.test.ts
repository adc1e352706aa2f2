import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Node } from '../../src/main.ts';
import { askConsole, type ConsoleHeaders, type ConsoleReply, codeOf, type SignedBrowser, signInByLink } from '../support/console.ts';
import { type Client, ok } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** People who would learn a personal value without saying why: by guesses, refusals, sums, by what was, and by what others run. */

const ADA = '76561198000000001';
const MAIL = 'ada@personal.example';
// What answers are searched for is nothing that an id, a hash or a time holds by chance, as a few digits are.
const NUMBER = 'ring-ada-at-home';
const PHONE = `+49 30 ${NUMBER}`;
const DEBT = 271_828_182_845;
const DEBT_A_DAY = 1_000_000_000_000;

let node: Node;
let game: Client;
let project: string;
const people = new Map<string, { readonly id: string; readonly browser: SignedBrowser }>();

const READ_ME = { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' };
const GUESSED = {
  ...{ id: 'same', type: 'assert', check: { field: 'me.email', op: '==', value: '{{input.mine}}' } },
  ...{ errorCode: 'WRONG', message: 'wrong' },
};
const ENDPOINTS = [
  {
    ...{ id: 'is-it', slug: 'is-it', method: 'POST', input: { mine: { type: 'string' } } },
    console: { page: 'player', label: 'Is it?' },
    steps: [READ_ME, GUESSED],
    response: { body: {} },
  },
  {
    ...{ id: 'put', slug: 'put', method: 'POST', input: { what: { type: 'object' } } },
    steps: [{ id: 'w', type: 'write', collection: 'saves', key: '{{platformId}}', data: '{{input.what}}' }],
    response: { body: {} },
  },
  {
    ...{ id: 'tell', slug: 'tell', method: 'POST', record: 'input', input: { address: { type: 'string' } } },
    steps: [
      {
        id: 'w',
        type: 'write',
        collection: 'saves',
        key: '{{platformId}}',
        ops: [{ op: 'set', path: 'email', value: '{{input.address}}' }],
      },
    ],
    response: { body: {} },
  },
  {
    ...{ id: 'find', slug: 'find', method: 'POST', input: { field: { type: 'string' }, value: { type: 'string' } } },
    steps: [{ id: 'rows', type: 'filter', collection: 'saves', where: { field: '{{input.field}}', op: '==', value: '{{input.value}}' } }],
    response: { body: { ok: true } },
  },
  {
    ...{ id: 'whole', slug: 'whole', method: 'POST', internal: true, input: {} },
    steps: [READ_ME],
    response: { body: { said: 'all: {{me}}' } },
  },
  {
    ...{ id: 'through', slug: 'through', method: 'POST', input: {} },
    steps: [{ id: 'told', type: 'call', target: 'whole' }],
    response: { body: { told: '{{told}}' } },
  },
];
const SCHEMA = {
  gold: { type: 'number', _ledger: true },
  email: { type: 'string', _personal: true, _unique: true },
  debt: { type: 'number', _personal: true, _ledger: true, _currency: 'credit', _maxPerDay: DEBT_A_DAY },
  contact: { type: 'object', _personal: true, additionalProperties: true },
};
const SAVES = { id: 'saves', name: 'saves', collectionType: 'per-platformid', accessMode: 'public' };
const FEED = { id: 'feed', name: 'feed', collectionType: 'global', accessMode: 'public' };

beforeAll(async () => {
  const started = await startNodeHere('Guessing');
  ({ node, project, manager: game } = started);
  const { owner } = started;
  people.set('owner', { id: '', browser: owner });
  for (const role of ['manager', 'designer', 'support', 'auditor']) {
    const { person, url } = JSON.parse((await owner.change('POST', '/api/people', { name: role, role, project })).text);
    people.set(role, { id: person.id ?? person, browser: await signInByLink(url) });
  }
  const push = (schema: object) =>
    ok(
      game.manage('PUT', game.definitions('collections'), {
        body: [
          { ...SAVES, schema },
          { ...FEED, schema: { text: { type: 'string' }, contact: { type: 'string', _personal: true, _unique: true } } },
        ],
      }),
    );
  const deepest = { id: 'deepest', name: 'deepest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'debt' } };
  await ok(game.manage('POST', game.definitions('queries'), { body: [deepest] }));
  // The phone is stored before it is marked.
  await push({ ...SCHEMA, phone: { type: 'string' } });
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: ENDPOINTS }));
  const contact = { 'landline of ada': PHONE };
  const save = (body: object) => ok(game.manage('POST', game.storage(`saves/${ADA}`), { body }));
  await save({ gold: 5, email: MAIL, debt: DEBT, phone: PHONE, contact });
  await save({ ops: [{ op: 'set', path: 'phone', value: `${PHONE}0` }] });
  await save({ ops: [{ op: 'set', path: 'contact.mobile of ada', value: PHONE }] });
  await ok(game.manage('POST', game.storage('feed/append'), { body: { text: 'hi', contact: PHONE }, headers: { 'x-platform-id': ADA } }));
  await push({ ...SCHEMA, phone: { type: 'string', _personal: true } });
  await vi.waitFor(async () => {
    const { text } = await owner.get(`/v3/manage/${project}/economy?currency=saves.gold`);
    if (JSON.parse(text).days.length === 0) throw new Error(text);
  }, 60_000);
});

afterAll(async () => {
  game?.close();
  await node?.close();
  removeFolders();
});

function at() {
  const origin = node.console?.origin ?? '';
  return { origin, port: Number(new URL(origin).port) };
}

function browserOf(role: string): SignedBrowser {
  const found = people.get(role)?.browser;
  if (found === undefined) throw new Error(`nobody is ${role}`);
  return found;
}

interface Ask {
  readonly role?: string;
  readonly reason?: string;
  readonly headers?: ConsoleHeaders;
  readonly body?: unknown;
}

function ask(method: string, path: string, { role = 'owner', reason, headers = {}, body }: Ask = {}): Promise<ConsoleReply> {
  const { cookie, csrf } = browserOf(role);
  const reveal: ConsoleHeaders = reason === undefined ? {} : { 'x-ns-reveal': encodeURIComponent(reason) };
  const all = { Cookie: cookie, Origin: at().origin, 'X-Console-Csrf': csrf, 'X-Platform-Id': ADA, ...reveal, ...headers };
  return askConsole(at(), method, path, all, body);
}

const manage = (rest: string) => `/v3/manage/${project}/${rest}`;
const code = async (reply: Promise<ConsoleReply>) => codeOf(await reply);

async function revealed(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { text } = await browserOf('owner').get(manage('access?limit=200'));
  return JSON.parse(text).looks.filter(({ reason }: { reason?: string }) => reason !== undefined);
}

const NEEDED = [403, 'REVEAL_NEEDED'];

test('whether a unique personal value is taken is asked for a reason, by whatever is stored', async () => {
  const append = (reason?: string) =>
    code(ask('POST', `/v3/storage/${project}/feed/append`, { ...(reason === undefined ? {} : { reason }), body: { contact: PHONE } }));
  expect(await append()).toEqual(NEEDED);
  expect(await append('is the phone known')).toEqual([409, 'UNIQUE_VIOLATION']);
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'appendRecord', reason: 'is the phone known' }));
  const found = (field: string) =>
    ask('POST', `/v3/endpoints/${project}/find`, { role: 'designer', body: { input: { field, value: MAIL } } });
  expect([await code(found('email')), (await found('gold')).status]).toEqual([NEEDED, 200]);
  const put = { body: { input: { what: { email: MAIL } } }, headers: { 'X-Platform-Id': '76561198000000002' } };
  expect(await code(ask('POST', `/v3/endpoints/${project}/put`, put))).toEqual(NEEDED);
  expect(await code(ask('POST', `/v3/storage/${project}/saves/x`, { body: { email: MAIL } }))).toEqual(NEEDED);
});

test('a player or an endpoint that is called as a personal field is looked for without a reason', async () => {
  expect((await ask('GET', manage('players?name=email'))).status).toBe(200);
  expect((await ask('GET', manage('logs?slug=email'))).status).toBe(200);
});

test('when a personal field of a player changed is told for a reason alone, and so is which member of one did', async () => {
  const changes = (field: string) => ask('GET', manage(`players/${ADA}/timeline?field=${field}`));
  for (const field of ['email', 'contact', 'contact.mail']) expect([field, await code(changes(field))]).toEqual([field, NEEDED]);
  expect((await changes('gold')).status).toBe(200);
});

test('a grant of a personal field says why before it is looked at, and its reason is recorded when it begins', async () => {
  const grant = { collection: 'saves', ops: [{ op: 'inc', path: 'debt', value: -DEBT }], players: [ADA], reason: 'debts are off' };
  expect(await code(ask('POST', manage('grants'), { body: { ...grant, dryRun: true } }))).toEqual(NEEDED);
  const looked = await ask('POST', manage('grants'), { body: { ...grant, dryRun: true }, reason: 'how much is it' });
  expect(looked.status).toBe(200);
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'beginGrant', player: ADA, reason: 'how much is it' }));
  const gold = { ...grant, ops: [{ op: 'inc', path: 'gold', value: 1 }] };
  const { players: _, ...toWhom } = { ...gold, query: 'deepest', dryRun: true };
  expect(await code(ask('POST', manage('grants'), { body: toWhom }))).toEqual(NEEDED);
  expect((await ask('POST', manage('grants'), { body: { ...gold, dryRun: true } })).status).toBe(200);
  expect((await ask('POST', manage('grants'), { body: { ...grant, ops: [{ op: 'set', path: 'email', value: 'new@x' }] } })).status).toBe(
    200,
  );
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'beginGrant', player: ADA, reason: 'debts are off' }));
});

test('logic of the game that handles personal values is given an input for a reason alone, however it is called', async () => {
  const input = { mine: MAIL };
  const calls = (role: string, reason?: string) => {
    const more = { role, ...(reason === undefined ? {} : { reason }) };
    const pressed = { player: ADA, reason: 'T-1', input };
    return [
      ask('POST', `/v3/endpoints/${project}/is-it`, { ...more, body: input }),
      ask('POST', `/v3/endpoints/${project}/is-it`, { ...more, body: { input } }),
      ask('GET', `/v3/endpoints/${project}/is-it?mine=${encodeURIComponent(MAIL)}`, more),
      ask('POST', `/v3/endpoints/${project}`, { ...more, body: { slug: 'is-it', input } }),
      ask('POST', `/v3/endpoints/${project}/is-it`, { ...more, body: { encrypted: true, ciphertext: 'x' } }),
      ask('POST', manage('test-endpoint'), { ...more, body: { slug: 'is-it', platformId: ADA, input } }),
      ask('POST', manage('test-endpoint'), { ...more, body: { endpoint: 'is-it', platformId: ADA, expect: { body: { x: 1 } } } }),
      ask('POST', manage('buttons/is-it'), { ...more, body: { ...pressed, dryRun: true } }),
    ].map(code);
  };
  for (const role of ['owner', 'manager'])
    for (const found of await Promise.all(calls(role))) expect([role, ...found]).toEqual([role, ...NEEDED]);
  const asked = { body: input };
  const [may, mayNot] = await Promise.all(
    ['owner', 'manager'].map((role) => ask('POST', `/v3/endpoints/${project}/is-it`, { ...asked, role })),
  );
  expect([may, mayNot].map((answer) => answer?.text.includes('Your role sees no personal values'))).toEqual([false, true]);
  for (const found of await Promise.all(calls('manager', 'curious'))) expect(found).toEqual([403, 'FORBIDDEN']);
  const press = (role: string) => ask('POST', manage('buttons/is-it'), { role, body: { player: ADA, reason: 'T-2', input } });
  expect(await code(press('manager'))).toEqual([403, 'FORBIDDEN']);
  expect((await press('support')).status).toBe(200);
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'pressButton', player: ADA, name: 'support', reason: 'T-2' }));
  // Without an input nothing is guessed.
  expect(
    (
      await ask('POST', manage('test-endpoint'), {
        role: 'manager',
        body: { slug: 'is-it', platformId: ADA, input: {}, expect: { outcome: 'any' } },
      })
    ).status,
  ).toBe(200);
});

test('with what an endpoint was called that handles personal values is masked, by whatever name it came', async () => {
  const player = '76561198000000077';
  const told = 'eve@personal.example';
  await ok(game.play('POST', game.endpoint('tell'), { body: { address: told } }, player));
  const commits = manage(`commits?player=${player}`);
  const shown = async (role: string, reason?: string) =>
    (await ask('GET', commits, { role, ...(reason === undefined ? {} : { reason }) })).text;
  await expect.poll(() => shown('auditor'), { timeout: 60_000 }).toContain('"input"');
  const [{ revision }] = JSON.parse(await shown('auditor')).commits;
  for (const path of [commits, manage(`explain/${revision}`), manage(`players/${player}/timeline`)]) {
    const { status, text } = await ask('GET', path, { role: 'auditor' });
    expect([path, status, text.includes(told)]).toEqual([path, 200, false]);
  }
  expect(await shown('owner', 'T-9')).toContain(told);
});

test('what an endpoint prints is masked also where it calls another that prints it', async () => {
  const { status, text } = await ask('POST', `/v3/endpoints/${project}/through`, { role: 'designer', body: {} });
  expect([status, JSON.parse(text)]).toEqual([200, { masked: '[personal]' }]);
});

test('sums of a personal number are masked among others, and asked for a reason by themselves', async () => {
  for (const what of ['economy', 'economy/flows', 'economy/alarms']) {
    const { status, text } = await ask('GET', manage(what), { role: 'auditor' });
    expect([what, status, text.includes(String(DEBT))]).toEqual([what, 200, false]);
  }
  for (const what of ['economy', 'economy/flows', 'economy/supply', 'economy/players', 'economy/entries'])
    expect([what, ...(await code(ask('GET', manage(`${what}?currency=credit`), { role: 'auditor' })))]).toEqual([what, ...NEEDED]);
  expect((await ask('GET', manage('economy?currency=credit'), { reason: 'books' })).text).toContain(String(DEBT));
  const { text } = await ask('GET', `/v3/storage/${project}/saves/${ADA}/ledger`, { role: 'auditor' });
  expect([text.includes('"debt"'), text.includes(String(DEBT))]).toEqual([true, false]);
  // Nor are they in what a whole ledger comes to, from which the others could be taken.
  const { summary } = JSON.parse(text);
  expect(summary).toMatchObject({ netChange: '[personal]', entryCount: 2, sources: { direct: { count: 2, total: '[personal]' } } });
  const gold = await ask('GET', `/v3/storage/${project}/saves/${ADA}/ledger?field=gold`, { role: 'auditor' });
  expect(JSON.parse(gold.text).summary).toMatchObject({ netChange: 5 });
  const page = await ask('GET', manage(`players/${ADA}`), { role: 'auditor' });
  expect([page.status, page.text.includes(String(DEBT_A_DAY - DEBT))]).toEqual([200, false]);
  // Nor how much a write asked for that went over a rule.
  const rule = (field: string) => ({ name: `much ${field}`, field, window: 'perDay', limit: 1, action: 'flag' });
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: [rule('debt'), rule('gold')] }));
  await ok(game.manage('POST', game.storage(`saves/${ADA}`), { body: { ops: [{ op: 'inc', path: 'debt', value: 2_718 }] } }));
  await ok(game.manage('POST', game.storage(`saves/${ADA}`), { body: { ops: [{ op: 'inc', path: 'gold', value: 9 }] } }));
  const flags = async (asked: Ask) => JSON.parse((await ask('GET', manage('flags'), asked)).text).flags;
  await expect.poll(async () => (await flags({ reason: 'flags' })).length, { timeout: 60_000 }).toBe(2);
  expect((await flags({ role: 'auditor' })).map(({ amount }: { amount: unknown }) => amount)).toEqual([9, '[personal]']);
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: [] }));
});

test('what was stored before its field was marked is masked by the mark of now, in every reading of what was', async () => {
  const { commits } = JSON.parse((await ask('GET', manage(`commits?player=${ADA}`), { role: 'auditor' })).text);
  const first = Math.min(...commits.map(({ revision }: { revision: number }) => revision));
  const saves = `/v3/storage/${project}/saves/${ADA}`;
  const telling: string[] = [];
  for (const path of [
    `/v3/storage/${project}/rate-limits?platformId=${ADA}`,
    ...[`${saves}?at=${first}`, `${saves}?at=${first}&view=stored`, `${saves}/history`, `${saves}/compare?from=${first}`],
    ...[
      'commits',
      `commits?player=${ADA}`,
      `players/${ADA}?at=${first}`,
      `players/${ADA}`,
      `players/${ADA}/timeline`,
      `explain/${first}`,
    ].map(manage),
    ...['documents/saves?columns=phone,contact', 'documents/saves/export?format=csv', 'documents/saves/export?format=ndjson'].map(manage),
  ]) {
    const { status, text } = await ask('GET', path, { role: 'auditor' });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    if ([NUMBER, ' of ada', String(DEBT)].some((told) => text.includes(told))) telling.push(path);
  }
  const restore = { to: first, reason: 'look', dryRun: true };
  const { text } = await ask('POST', manage(`players/${ADA}/restore`), { role: 'support', body: restore });
  expect([telling, JSON.parse(text).documents.length > 0, text.includes(NUMBER), text.includes(' of ada')]).toEqual([
    [],
    true,
    false,
    false,
  ]);
});

test('whether stored documents fit what is staged for a personal field is not told, but for a reason', async () => {
  const found = async (value: string, asked: Ask) => {
    const schema = { ...SCHEMA, phone: { type: 'string', _personal: true }, email: { ...SCHEMA.email, enum: [value] } };
    const staged = { collections: [{ ...SAVES, schema }] };
    const headers = { 'x-ns-publish-target': 'next' };
    const checked = await ask('POST', manage('sync/preflight'), { ...asked, headers, body: staged });
    expect((await ask('PUT', manage('sync'), { ...asked, headers, body: staged })).status).toBe(200);
    const dry = await ask('POST', manage('promote?dryRun=true'), { ...asked, body: {} });
    return [checked.text.includes('DOCUMENTS_REFUSED'), JSON.parse(dry.text).findings.map((each: { code: string }) => each.code)];
  };
  const masked = [await found('new@x', { role: 'manager' }), await found('other', { role: 'manager' })];
  expect(masked).toEqual([
    [false, ['PERSONAL_UNSEEN']],
    [false, ['PERSONAL_UNSEEN']],
  ]);
  expect(await found('other', { reason: 'does the new rule fit' })).toEqual([true, ['DOCUMENTS_REFUSED']]);
  for (const page of ['preflight', 'sync', 'promote'])
    expect(await revealed()).toContainEqual(expect.objectContaining({ page, reason: 'does the new rule fit' }));
  expect((await ask('POST', manage('discard'), { body: {} })).status).toBe(200);
});

test('whether values of a personal field are unique is not told, but for a reason', async () => {
  const making = (name: string) => ({
    ...SAVES,
    schema: { ...SCHEMA, phone: { type: 'string', [name]: true, _unique: true, default: PHONE } },
  });
  // One key, as of a dialog: a reason that is given then goes on with the same request.
  const headers = { 'x-ns-publish-target': 'next', 'Idempotency-Key': 'unique' };
  const push = (asked: Ask) => ask('PUT', manage('collections'), { headers, ...asked });
  // The mark that is left out holds in live.
  for (const name of ['_personal', 'required']) {
    const asked = { role: 'manager', body: [making(name)], headers: { 'x-ns-publish-target': 'next' } };
    expect(await code(push(asked))).toEqual(NEEDED);
  }
  expect(await code(push({ body: [making('_personal')] }))).toEqual(NEEDED);
  const { status } = await push({ reason: 'numbers must be unique', body: [making('_personal')] });
  expect([200, 409]).toContain(status);
  expect((await ask('POST', manage('discard'), { body: {} })).status).toBe(200);
});

test('a rollback to a publish in which a personal field was unique takes a reason, as a push of that does', async () => {
  const push = (phone: object) => {
    const body = [{ ...SAVES, schema: { ...SCHEMA, phone: { type: 'string', _personal: true, ...phone } } }];
    return ok(game.manage('PUT', game.definitions('collections'), { body }));
  };
  await push({ _unique: true });
  const to = JSON.parse((await ask('GET', manage('publishes?limit=1'))).text).publishes[0].revision;
  await push({});
  const back = (asked: Ask = {}, more: object = {}) => code(ask('POST', manage('rollback'), { ...asked, body: { to, ...more } }));
  expect(await back({ role: 'manager' })).toEqual(NEEDED);
  expect((await back({}, { dryRun: true }))[0]).toBe(200);
  expect(await back()).toEqual(NEEDED);
  expect((await back({ reason: 'the publish was wrong' }))[0]).toBe(200);
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'rollback', reason: 'the publish was wrong' }));
  // A collection that comes back has its documents.
  const { status } = await game.manage('DELETE', `${game.definitions('collections')}/saves`);
  expect([status, await back()]).toEqual([200, NEEDED]);
  await push({});
});

test('of an old personal value that does not fit the schema, a restore names neither parts nor bounds, but for a reason', async () => {
  const publish = (contact: object) =>
    ok(
      game.manage('PUT', game.definitions('collections'), {
        body: [{ ...SAVES, schema: { ...SCHEMA, phone: { type: 'string', _personal: true }, contact } }],
      }),
    );
  const save = (body: object) => ok(game.manage('POST', game.storage('saves/bo'), { body }));
  const { headers } = await save({ gold: 1, contact: { 'mobile of bo': PHONE } });
  await save({ gold: 2, contact: {} });
  await publish({ type: 'object', _personal: true, properties: {}, additionalProperties: false });
  const body = { to: Number(headers['x-ns-position']), reason: 'look', dryRun: true };
  const restore = (asked: Ask) => ask('POST', manage('players/bo/restore'), { role: 'support', body, ...asked });
  const masked = await restore({});
  expect([...codeOf(masked), masked.text.includes('mobile of bo')]).toEqual([409, 'CORRECTION_BLOCKED', false]);
  expect((await restore({ reason: 'T-4' })).text).toContain('mobile of bo');
  await publish(SCHEMA.contact);
});

test('whether an old unique value of a personal field can come back takes a reason, whether somebody holds it by now or not', async () => {
  const save = (key: string, body: object) => ok(game.manage('POST', game.storage(`saves/${key}`), { body }));
  const { headers } = await save('cy', { gold: 1, email: 'cy@old.example' });
  const to = Number(headers['x-ns-position']);
  const { headers: moved } = await save('cy', {
    ops: [
      { op: 'set', path: 'email', value: 'cy@new.example' },
      { op: 'inc', path: 'gold', value: 4 },
    ],
  });
  const restore = async (more: object = {}, asked: Ask = {}) => {
    const body = { to, reason: 'look', dryRun: true, ...more };
    return code(ask('POST', manage('players/cy/restore'), { role: 'support', ...asked, body }));
  };
  const undo = (asked: Ask = {}) => {
    const body = { revision: Number(moved['x-ns-position']), reason: 'look', dryRun: true };
    return code(ask('POST', manage('undo'), { role: 'support', ...asked, body }));
  };
  expect([await restore(), await undo()]).toEqual([NEEDED, NEEDED]);
  expect((await restore({}, { reason: 'T-3' }))[0]).toBe(200);
  await save('di', { email: 'cy@old.example' });
  expect([await restore(), await undo(), await restore({ dryRun: false })]).toEqual([NEEDED, NEEDED, NEEDED]);
  expect((await restore({ keep: ['email'] }))[0]).toBe(200);
  const blocked = [409, 'CORRECTION_BLOCKED'];
  expect([await restore({}, { reason: 'T-3' }), await undo({ reason: 'T-3' })]).toEqual([blocked, blocked]);
  expect(await revealed()).toContainEqual(expect.objectContaining({ page: 'restorePlayer', player: 'cy', reason: 'T-3' }));
});

test('a stream tells of personal values in no topic, and a topic of one takes a reason, however it is written', async () => {
  const of = (topic: string) => `/v3/live/${project}?topic=${encodeURIComponent(topic)}`;
  for (const topic of [`ledger/saves/${ADA}?field=debt`, `ledger/saves/${ADA}?field=%64ebt`])
    expect([topic, ...(await code(ask('GET', of(topic), { role: 'auditor' })))]).toEqual([topic, ...NEEDED]);
  for (const topic of [`documents/saves/${ADA}`, `ledger/saves/${ADA}`, 'query/deepest']) {
    const text = await firstOf(of(topic), 'auditor');
    const sums = [MAIL, String(DEBT), String(DEBT + 5)].map((value) => text.includes(value));
    expect([topic, text.includes('"value"'), ...sums]).toEqual([topic, true, false, false, false]);
  }
});

/** What a stream says first. */
function firstOf(path: string, role: string): Promise<string> {
  const headers = { Cookie: browserOf(role).cookie, Host: new URL(at().origin).host };
  return new Promise((resolve, reject) => {
    const opened = request({ host: '127.0.0.1', port: at().port, path, headers }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => {
        text += String(chunk);
        if (!text.includes('"value"') && !text.includes('"error"')) return;
        resolve(text);
        reply.destroy();
      });
    });
    opened.once('error', reject).end();
  });
}

test('streams that show personal values end once the person may not see them any more, though another role may follow them', async () => {
  const { id = '' } = people.get('support') ?? {};
  const { cookie } = browserOf('support');
  const headers = { Cookie: cookie, 'x-ns-reveal': 'T-9', Host: new URL(at().origin).host };
  const opened = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: '127.0.0.1', port: at().port, path, headers }, resolve).once('error', reject).end();
    });
  const live = await opened(`/v3/live/${project}?topic=${encodeURIComponent(`documents/saves/${ADA}`)}`);
  const logs = await opened(manage('logs?follow=true'));
  expect([live.statusCode, logs.statusCode]).toEqual([200, 200]);
  const ended = Promise.all([live, logs].map((reply) => new Promise((resolve) => reply.resume().once('close', resolve))));
  expect((await browserOf('owner').change('PUT', `/api/people/${id}/roles/${project}`, { role: 'auditor' })).status).toBe(200);
  await ended;
  expect((await browserOf('owner').change('PUT', `/api/people/${id}/roles/${project}`, { role: 'none' })).status).toBe(200);
  expect(await code(ask('GET', `/v3/storage/${project}/saves/${ADA}`, { role: 'support' }))).toEqual([403, 'FORBIDDEN']);
  // Whoever has no role is not told what is personal.
  expect(await code(ask('GET', manage('documents/saves?by=email'), { role: 'support' }))).toEqual([403, 'FORBIDDEN']);
});

test('where members of any name are personal, a reason is asked for by what is ordered or read by one, and by nothing else', async () => {
  const book = { type: 'object', properties: {}, additionalProperties: { type: 'number', _personal: true } };
  const push = (body: unknown) => ok(game.manage('POST', game.definitions('collections'), { body }));
  await push([{ id: 'book', name: 'book', collectionType: 'per-platformid', accessMode: 'public', schema: book }]);
  const calls = { id: 'calls', name: 'calls', type: 'leaderboard', sources: [{ collectionId: 'book' }], config: { field: 'any' } };
  await ok(game.manage('POST', game.definitions('queries'), { body: [calls] }));
  await ok(game.manage('POST', game.storage(`book/${ADA}`), { body: { any: 161_803 } }));
  const stored = `/v3/storage/${project}/book/${ADA}`;
  const asked = (path: string) => ask('GET', path, { role: 'auditor' });
  const telling = [
    ...[manage('documents/book?by=any'), manage('documents/book/export?by=any'), `/v3/queries/${project}/calls`],
    ...[`${stored}/ledger?field=any`, `/v3/live/${project}?topic=${encodeURIComponent(`ledger/book/${ADA}?field=any`)}`],
  ];
  expect(await Promise.all(telling.map((path) => code(asked(path))))).toEqual(telling.map(() => NEEDED));
  const open = [
    ...[manage('commits?limit=5'), manage(`players/${ADA}/timeline?limit=5`), manage('documents/book'), manage('documents/saves?by=_key')],
    ...[manage('documents/book?by=_key&limit=5'), stored, `${stored}/history?limit=5`, `${stored}/ledger?field=all`],
  ];
  const replies = await Promise.all(open.map(asked));
  expect(replies.map(({ status, text }) => [status, text.includes('161803')])).toEqual(open.map(() => [200, false]));
});
