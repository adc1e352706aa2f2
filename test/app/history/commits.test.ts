import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { listOf, objectOf } from '../../../src/kernel/json-read.ts';
import { newApiKey, printed } from '../../node/support/command-line.ts';
import { bodyOf, ok, type Reply, refused } from '../../node/support/game-client.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What happened in a project, over HTTP: commits, and the ids that lead to them. */

let opened: Opened;
let database: pg.Client;
let historyKey: string;
/** Answers of what was done, in order. */
const done: Record<string, Reply> = {};

const as = (player: string, headers: Readonly<Record<string, string>> = {}) => ({ headers: { 'x-platform-id': player, ...headers } });
const revisionOf = (name: string) => Number(done[name]?.headers['x-ns-position']);
const manage = (path: string) =>
  opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/${path}`, { headers: { 'x-api-key': historyKey } });
const commits = async (query: string): Promise<readonly JsonObject[]> =>
  listOf(objectOf(await bodyOf(manage(`commits?${query}`)))['commits']).map((commit) => objectOf(commit));
const revisions = async (query: string) => (await commits(query)).map(({ revision }) => revision);

beforeAll(async () => {
  opened = await openNode({ LIMIT_DOCUMENT: '256KiB', GROUP_BYTES: '1MiB' });
  const { game } = opened;
  database = new pg.Client({ connectionString: opened.databaseUrl });
  await database.connect();
  historyKey = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId, { history: 'r', endpoints: 'r', players: 'r' });
  const schema = { gold: { type: 'number', _ledger: true } };
  await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'purses', accessMode: 'public', schema }] }));
  const pay = {
    slug: 'pay',
    method: 'POST',
    input: { to: { type: 'string', required: true } },
    steps: [
      {
        id: 'take',
        type: 'write',
        collection: 'purses',
        key: '{{platformId}}',
        ops: [{ op: 'inc', path: 'gold', value: -2, source: 'gift' }],
      },
      {
        id: 'give',
        type: 'write',
        collection: 'purses',
        key: '{{input.to}}',
        ops: [{ op: 'inc', path: 'gold', value: 2, source: 'gift' }],
      },
    ],
    response: { status: 200, body: { ok: true } },
  };
  done['publish'] = await ok(game.manage('POST', game.definitions('endpoints'), { body: [pay] }));
  for (const player of ['ada', 'bob'])
    done[player] = await ok(game.play('POST', game.storage(`purses/${player}`), { body: { gold: 10 }, ...as(player) }));
  done['paid'] = await ok(game.play('POST', game.endpoint('pay'), { body: { to: 'bob' }, ...as('ada') }));
  done['last'] = await ok(
    game.play('POST', game.storage('purses/bob'), { body: { gold: 20 }, ...as('bob', { 'x-correlation-id': 'crash 17' }) }),
  );
});

afterAll(async () => {
  await database?.end();
  await opened?.close();
});

async function listed(query: string, key: string): Promise<readonly JsonObject[]> {
  const asked = opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/commits?${query}`, { headers: { 'x-api-key': key } });
  return listOf(objectOf(await bodyOf(asked))['commits']).map((commit) => objectOf(commit));
}

const keeping = (path: string, value: string) => [{ op: 'set_if_null', path, value }];

async function storedAt(revision: number): Promise<{ readonly commandId: string; readonly request: string | null }> {
  const { rows } = await database.query(
    `SELECT metadata->>'commandId' AS "commandId", data->>'$request' AS request FROM savepoint.log_events
     WHERE stream = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 2`,
    [`project-${opened.game.projectId}`, revision],
  );
  return { commandId: rows[0].commandId, request: rows[0].request ?? rows[1].request };
}

test('the id in the answer is the command id; the caller’s own is stored beside one', async () => {
  expect(await storedAt(revisionOf('paid'))).toEqual({ commandId: done['paid']?.headers['x-correlation-id'], request: null });
  expect(done['last']?.headers['x-correlation-id']).toBe('crash 17');
  const { commandId, request } = await storedAt(revisionOf('last'));
  expect(request).toBe('crash 17');
  expect(commandId).not.toBe('crash 17');
});

const explained = async (id: string) => objectOf(await bodyOf(manage(`explain/${encodeURIComponent(id)}`)));
const meanings = async (id: string) => listOf((await explained(id))['meanings']).map((meaning) => objectOf(meaning));

describe('explain', () => {
  test('leads from a coin to the publish of the endpoint that paid it', async () => {
    const ledger = objectOf(await bodyOf(opened.game.play('GET', opened.game.storage('purses/bob/ledger?source=gift'), as('bob'))));
    const gift = listOf(ledger['entries'])
      .map((entry) => objectOf(entry))
      .find((entry) => entry['source'] === 'gift');
    const [event] = await meanings(String(gift?.['eventId']));
    expect(event).toMatchObject({
      is: 'event',
      commits: [
        {
          revision: revisionOf('paid'),
          money: [
            { player: 'ada', delta: -2 },
            { player: 'bob', delta: 2 },
          ],
        },
      ],
      call: {
        endpoint: 'pay',
        definition: { slug: 'pay' },
        publish: { revision: revisionOf('publish'), action: 'publish', label: expect.any(String) },
      },
    });
    expect(objectOf(event?.['links'])['followed']).toContain(`from=${revisionOf('paid') + 1}`);
  });

  test('takes a request id, the caller’s own too, a player, a revision, a publish and a key', async () => {
    const is = async (id: string) => (await meanings(id)).map((meaning) => meaning['is']);
    expect(await is(String(done['paid']?.headers['x-correlation-id']))).toEqual(['request']);
    const [crash] = await meanings('crash 17');
    expect(crash).toMatchObject({ is: 'request', commits: [{ revision: revisionOf('last'), requestId: 'crash 17' }] });
    expect(await is('ada')).toEqual(['player']);
    expect(await is(String(revisionOf('ada')))).toEqual(['revision']);
    const [publish] = await meanings(String(revisionOf('publish')));
    expect(publish).toMatchObject({ is: 'publish', publish: { action: 'publish', target: 'live', changes: 1 } });
    const [commit] = await commits('endpoint=pay');
    expect(await is(String(objectOf(commit?.['actor'])['keyId']))).toEqual(['key']);
  });

  test('tells a refused call as long as the call log keeps it, and what nobody knows', async () => {
    const reply = await opened.game.play('POST', opened.game.endpoint('pay'), {
      body: {},
      ...as('ada', { 'x-correlation-id': 'no input' }),
    });
    expect(reply.status).toBe(400);
    await vi.waitFor(
      async () => {
        const { calls } = await explained('no input');
        expect(calls).toMatchObject([{ slug: 'pay', status: 400, code: 'ENDPOINT_ERROR.WRITE', requestId: 'no input' }]);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await refused(manage('explain/never-heard-of'))).toBe('404 NOT_FOUND');
  });

  test('is a command, too', async () => {
    const { url, projectId } = opened.game;
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: historyKey };
    const said = await printed(['explain', String(revisionOf('paid'))], { env });
    expect(said).toContain('endpoint.call pay  ada, key');
    expect(said).toContain('bob gold +2');
  });
});

describe('commits', () => {
  test('say who did what by which call under which publish, what it touched and who was paid', async () => {
    const [paid] = (await commits(`player=ada&limit=1`)).filter(({ revision }) => revision === revisionOf('paid'));
    expect(paid).toMatchObject({
      first: revisionOf('paid') - 2,
      cause: 'endpoint.call',
      actor: { kind: 'public', player: 'ada', endpoint: 'pay' },
      requestId: done['paid']?.headers['x-correlation-id'],
      publish: revisionOf('publish'),
      events: ['document.written', 'ledger.posted'],
      players: ['ada', 'bob'],
      documents: [
        { space: 'live', collection: 'purses', key: 'ada', change: 'written' },
        { space: 'live', collection: 'purses', key: 'bob', change: 'written' },
      ],
      money: [
        { player: 'ada', field: 'gold', delta: -2 },
        { player: 'bob', field: 'gold', delta: 2 },
      ],
    });
    expect(objectOf(paid?.['actor'])['label']).toEqual(expect.any(String));
  });

  test('of a player are those that name him, newest first, page by page', async () => {
    expect(await revisions('player=bob')).toEqual(['last', 'paid', 'bob'].map(revisionOf));
    const page = objectOf(await bodyOf(manage('commits?player=bob&limit=2')));
    expect(await revisions(`player=bob&before=${page['before']}`)).toEqual([revisionOf('bob')]);
    expect(await revisions('player=nobody')).toEqual([]);
  });

  test('are found by endpoint, key and kind, in a range of revisions or times', async () => {
    expect(await revisions('endpoint=pay')).toEqual([revisionOf('paid')]);
    expect(await revisions('kind=endpoint&player=bob')).toEqual([revisionOf('paid')]);
    expect(await revisions(`kind=document&from=${revisionOf('bob')}&to=${revisionOf('paid')}`)).toEqual([revisionOf('bob')]);
    const [paid] = await commits('endpoint=pay');
    expect(await revisions(`player=bob&to=${String(paid?.['at'])}`)).toContain(revisionOf('paid'));
    expect(await revisions(`player=bob&from=2999-01-01`)).toEqual([]);
    const keyId = String(objectOf(paid?.['actor'])['keyId']);
    expect(await revisions(`key=${keyId}&kind=document`)).toEqual(['last', 'bob', 'ada'].map(revisionOf));
  });

  test('tell what fields of documents were and became, to a key that may read those; a correction says why', async () => {
    const ops = [
      { op: 'set', path: 'axe', value: 5, reason: 'levelled' },
      { op: 'set', path: 'note', value: 'x'.repeat(200) },
    ];
    await ok(opened.game.play('POST', opened.game.storage('purses/dora'), { body: { axe: 4, note: '' }, ...as('dora') }));
    await ok(opened.game.play('POST', opened.game.storage('purses/dora'), { body: { ops }, ...as('dora') }));
    const reader = await newApiKey({ DATABASE_URL: opened.databaseUrl }, opened.game.projectId, { history: 'r', collections: 'r' });
    const asked = (query: string, key: string) =>
      opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/commits?${query}`, { headers: { 'x-api-key': key } });
    const newest = async (query: string, key: string) =>
      objectOf(listOf(objectOf(await bodyOf(asked(query, key)))['commits'])[0])['documents'];
    const document = { space: 'live', collection: 'purses', key: 'dora', change: 'written' };
    const levelled = {
      ...document,
      fields: [
        { path: 'axe', before: 4, value: 5 },
        { path: 'note', before: '' },
      ],
    };
    expect(await newest('player=dora', reader)).toEqual([levelled]);
    expect(await newest('player=dora&limit=1', reader)).toEqual([levelled]);
    expect(await newest('player=dora', historyKey)).toEqual([document]);
    expect(await newest('kind=document&limit=1', reader)).toEqual([levelled]);
    expect(await newest('kind=document&limit=1', historyKey)).toEqual([document]);
    expect((await commits('player=dora'))[0]).not.toHaveProperty('why');
    const corrected = [{ op: 'inc', path: 'gold', value: 1, source: 'correction', reason: 'event reset' }];
    await ok(opened.game.manage('POST', opened.game.storage('purses/dora'), { body: { ops: corrected } }));
    expect((await commits('player=dora'))[0]).toMatchObject({ cause: 'document.correct', why: { reason: 'event reset' } });
  });

  test('say why a studio wrote, also where no ledger tells it', async () => {
    const ops = [{ op: 'set', path: 'axe', value: 1, reason: 'inventory sync' }];
    await ok(opened.game.manage('POST', opened.game.storage('purses/dora'), { body: { ops } }));
    expect((await commits('player=dora'))[0]).toMatchObject({ cause: 'document.write', why: { reason: 'inventory sync' } });
  });

  test('say where they changed something: a publish and a call on next, and not live', async () => {
    const { game } = opened;
    const next = { 'x-ns-publish-target': 'next' };
    const notes = [{ name: 'notes', accessMode: 'public' }];
    const staged = await ok(game.manage('POST', game.definitions('collections'), { body: notes, headers: next }));
    const tried = await ok(game.play('POST', game.storage('purses/eve'), { body: { gold: 1 }, ...as('eve', next) }));
    const at = (reply: Reply) => String(reply.headers['x-ns-position']);
    const [publish] = await commits(`to=${at(staged)}&limit=1`);
    expect(publish).toMatchObject({ revision: Number(at(staged)), target: 'next' });
    expect((await commits(`to=${at(tried)}&limit=1`))[0]).toMatchObject({ target: 'next', documents: [{ key: 'eve' }] });
    expect((await commits(`to=${revisionOf('publish')}&limit=1`))[0]).toMatchObject({ target: 'live' });
    const { url, projectId } = game;
    const secretKey = await newApiKey({ DATABASE_URL: opened.databaseUrl }, projectId, { history: 'r', collections: 'r' });
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: secretKey };
    expect(await printed(['explain', at(staged)], { env })).toMatch(/\(next\) {2}.*\n.*publish \d+ \(next\)/);
  });

  test('name no player by the key of a shared document', async () => {
    const { game } = opened;
    await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'town', collectionType: 'global' }] }));
    const sold = await ok(game.manage('POST', game.storage('town/market'), { body: { sold: 1 } }));
    const [commit] = await commits(`to=${String(sold.headers['x-ns-position'])}&limit=1`);
    expect(commit).toMatchObject({ players: [], documents: [{ collection: 'town', key: 'market' }] });
  });

  test('of one player tell of a restore, an undo and a delete what each changed, and nothing that an operation left as it was', async () => {
    const all = await newApiKey({ DATABASE_URL: opened.databaseUrl }, opened.game.projectId, {
      ...{ history: 'r', collections: 'rwx', restore: 'rw' },
    });
    const post = (path: string, body: object) =>
      opened.game.manage('POST', `/v3/manage/${opened.game.projectId}/${path}`, { body, headers: { 'x-api-key': all } });
    const write = (body: object) => ok(opened.game.play('POST', opened.game.storage('purses/emil'), { body, ...as('emil') }));
    const first = await write({ axe: 6, name: 'Emil' });
    await write({ ops: [{ op: 'set', path: 'axe', value: 1 }, ...keeping('name', 'Settler 3')] });
    await write({ ops: [...keeping('name', 'Settler 3'), { op: 'inc', path: 'wood', value: 2 }] });
    const then = Number(first.headers['x-ns-position']);
    const { revision } = objectOf(await bodyOf(post('players/emil/restore', { to: then, keep: ['wood'], reason: 'lost' })));
    await ok(post('undo', { revision, reason: 'another player wrote' }));
    await ok(opened.game.manage('DELETE', opened.game.storage('purses/emil')));
    const told = async (query: string) =>
      (await listed(`player=emil&${query}`, all)).map(({ documents }) => objectOf(listOf(documents)[0])['fields']);
    const created = [
      { path: 'axe', before: null, value: 6 },
      { path: 'name', before: null, value: 'Emil' },
    ];
    expect(await told('')).toEqual([
      [
        { path: 'axe', before: 1, value: null },
        { path: 'name', before: 'Emil', value: null },
        { path: 'wood', before: 2, value: null },
      ],
      [{ path: 'axe', before: 6, value: 1 }],
      [{ path: 'axe', before: 1, value: 6 }],
      [{ path: 'wood', before: null, value: 2 }],
      [{ path: 'axe', before: 6, value: 1 }],
      created,
    ]);
    expect(await told('kind=player.restore')).toEqual([[{ path: 'axe', before: 1, value: 6 }]]);
    expect(await told(`to=${then}`)).toEqual([created]);
  });

  test('of large documents a few are compared with what was before: others tell what fields became', async () => {
    const { game } = opened;
    const write = (body: JsonObject) => ok(game.play('POST', game.storage('purses/gus'), { body, ...as('gus') }));
    await write({ axe: 0, note: 'x'.repeat(140 * 1024) });
    for (let axe = 1; axe <= 6; axe += 1) await write({ ops: [{ op: 'set', path: 'axe', value: axe }] });
    const env = { DATABASE_URL: opened.databaseUrl };
    const key = await newApiKey(env, game.projectId, { history: 'r', players: 'r', collections: 'r' });
    const found = await bodyOf(game.manage('GET', `/v3/manage/${game.projectId}/commits?player=gus`, { headers: { 'x-api-key': key } }));
    const fields = listOf(objectOf(found)['commits']).map((commit) => objectOf(listOf(objectOf(commit)['documents'])[0])['fields']);
    const told = fields.slice(0, 6).map((each) => objectOf(listOf(each)[0]));
    expect(told.map(({ path, value }) => [path, value])).toEqual([6, 5, 4, 3, 2, 1].map((axe) => ['axe', axe]));
    const compared = told.filter((each) => Object.hasOwn(each, 'before')).length;
    expect([compared > 0, compared < 6]).toEqual([true, true]);
    // What is saved whole names no fields by itself.
    expect(fields[6]).toBeUndefined();
  });

  test('of everybody tell the fields of shared documents, too, and so does the explanation of one', async () => {
    const { game } = opened;
    const reader = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId, { history: 'r', collections: 'r' });
    await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'town', collectionType: 'global' }] }));
    const write = (body: object) => ok(game.manage('POST', game.storage('town/mill'), { body }));
    await write({ flour: 3, open: true });
    const { headers } = await write({ flour: 5, open: true });
    const revision = String(headers['x-ns-position']);
    const fields = [{ path: 'flour', before: 3, value: 5 }];
    const [commit] = await listed(`to=${revision}&limit=1`, reader);
    expect(commit).toMatchObject({ documents: [{ key: 'mill', fields }] });
    const asked = (key: string) =>
      game.manage('GET', `/v3/manage/${game.projectId}/explain/${revision}`, { headers: { 'x-api-key': key } });
    const explainedBy = async (key: string) => objectOf(listOf(objectOf(await bodyOf(asked(key)))['meanings'])[0])['commits'];
    expect(await explainedBy(reader)).toMatchObject([{ documents: [{ key: 'mill', fields }] }]);
    expect(JSON.stringify(await explainedBy(historyKey))).not.toContain('flour');
  });

  test('say by which commit and whom they are undone, until that is undone in its turn', async () => {
    const { game } = opened;
    const all = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId, { history: 'r', collections: 'rwx', restore: 'rw' });
    const undo = async (revision: unknown, of: object = {}) => {
      const body = { revision, reason: 'by mistake', ...of };
      const answer = await bodyOf(game.manage('POST', `/v3/manage/${game.projectId}/undo`, { body, headers: { 'x-api-key': all } }));
      return Number(objectOf(answer)['revision']);
    };
    const written = await ok(game.play('POST', game.storage('purses/finn'), { body: { axe: 6 }, ...as('finn') }));
    const first = Number(written.headers['x-ns-position']);
    const second = await undo(first);
    const marks = async () => (await commits('player=finn')).map(({ revision, undone }) => [revision, objectOf(undone ?? {})['revision']]);
    expect(await marks()).toEqual([
      [second, undefined],
      [first, second],
    ]);
    const by = { revision: second, at: expect.any(String), actor: { kind: 'secret', label: expect.any(String) } };
    expect((await commits(`to=${first}&limit=1`))[0]).toMatchObject({ undone: by });
    expect((await meanings(String(first)))[0]).toMatchObject({ commits: [{ undone: by }] });
    const env = { SAVEPOINT_URL: game.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: historyKey };
    expect(await printed(['explain', String(first)], { env })).toContain(`undone by ${second}`);
    const third = await undo(second, { ticket: 'desk/T-812' });
    expect(await marks()).toEqual([
      [third, undefined],
      [second, third],
      [first, undefined],
    ]);
    // A ticket leads to what was done for it, however long ago; a publish is told to whoever may read it.
    const push = `${game.definitions('collections')}?ticket=desk/T-812`;
    const pushed = await ok(game.manage('POST', push, { body: [{ name: 'tents', schema: { size: { type: 'number' } } }] }));
    expect(await revisions('ticket=desk/T-812')).toEqual([third]);
    expect(await revisions('ticket=desk/T-812&player=finn&kind=commit.undo')).toEqual([third]);
    expect(await revisions('ticket=desk/T-812&player=ada')).toEqual([]);
    const asAll = { headers: { 'x-api-key': all } };
    const own = await bodyOf(game.manage('GET', `/v3/manage/${game.projectId}/commits?ticket=desk/T-812`, asAll));
    expect(listOf(objectOf(own)['commits']).map((commit) => objectOf(commit)['revision'])).toEqual(
      [pushed.headers['x-ns-position'], third].map(Number),
    );
    const [ticket, another] = await meanings('desk/T-812');
    expect(ticket).toMatchObject({ is: 'ticket', commits: [{ revision: third }] });
    expect([another, objectOf(ticket?.['links'])['commits']]).toEqual([
      undefined,
      `/v3/manage/${game.projectId}/commits?ticket=desk%2FT-812`,
    ]);
    expect(await printed(['activity', '--ticket', 'desk/T-812'], { env })).toContain('by mistake · desk/T-812');
  });

  test('tell what settings, keys and pages were and became, to a key that may read settings', async () => {
    const { game } = opened;
    const env = { DATABASE_URL: opened.databaseUrl };
    const may = await newApiKey(env, game.projectId, { history: 'r', settings: 'r' });
    const said = async (key: string, kind: string) => {
      const reply = game.manage('GET', `/v3/manage/${game.projectId}/commits?kind=${kind}&limit=1`, { headers: { 'x-api-key': key } });
      return objectOf(listOf(objectOf(await bodyOf(reply))['commits'])[0])['managed'];
    };
    const alarm = { name: 'gold-a-day', currency: 'gold', overMedian: 5 };
    await ok(game.manage('PUT', game.definitions('settings'), { body: { economyAlarms: [alarm], fillDefaults: false } }));
    const settings = {
      what: 'settings',
      change: 'changed',
      fields: [
        { path: 'fillDefaults', before: true, value: false },
        { path: 'economyAlarms', before: [], value: [alarm] },
      ],
    };
    expect(await said(may, 'settings')).toEqual([settings]);
    expect(await said(historyKey, 'settings')).toBeUndefined();
    await printed(['project', 'quotas', game.projectId, '--set', 'documents=7'], { env });
    expect(await said(may, 'quotas')).toEqual([
      { what: 'settings', change: 'changed', fields: [{ path: 'quotas.documents', before: null, value: 7 }] },
    ]);
    const { keyId: id } = objectOf(
      JSON.parse(
        await printed(['key', 'create', game.projectId, '--label', 'desk', '--permissions', '{"history":"r"}', '--json'], { env }),
      ),
    );
    const key = { what: 'key', id, called: 'desk' };
    expect(await said(may, 'key')).toEqual([
      { ...key, change: 'made', fields: [{ path: 'permissions.history', before: null, value: 'r' }] },
    ]);
    await printed(['key', 'permissions', game.projectId, String(id), '{"history":"r","economy":"r"}'], { env });
    expect(await said(may, 'key')).toEqual([
      { ...key, change: 'changed', fields: [{ path: 'permissions.economy', before: null, value: 'r' }] },
    ]);
    await printed(['key', 'revoke', game.projectId, String(id)], { env });
    expect(await said(may, 'key')).toEqual([{ ...key, change: 'removed' }]);
    const as = { env: { ...env, SAVEPOINT_URL: game.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: may } };
    expect(await printed(['activity', '--kind', 'settings'], as)).toContain('fillDefaults true → false');
    const [{ revision } = {}] = await commits('kind=settings&limit=1');
    expect(await printed(['explain', String(revision)], as)).toContain('fillDefaults true → false');
  });

  test('need a key with the permission history', async () => {
    expect(await refused(opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/commits`))).toBe('403 FORBIDDEN');
  });

  test('a page says down to where it looked, and a bound that is none is told', async () => {
    const page = objectOf(await bodyOf(manage('commits?endpoint=other')));
    expect(page).toMatchObject({ commits: [], searched: 0, before: null });
    expect(await refused(manage('commits?from=yesterday'))).toBe('400 INVALID_REQUEST');
    expect(await refused(manage('commits?before=x'))).toBe('400 INVALID_REQUEST');
  });
});
