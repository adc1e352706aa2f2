import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey, newProject, verified } from './support/command-line.ts';
import { source } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The requests of the editor and of the command-line script, one by one, on a real node. */

let env: Record<string, string>;
let node: Node;
const clients: Client[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env, args: ['--no-demo'] });
});

afterAll(async () => {
  for (const client of clients) client.close();
  await node?.stop();
  removeFolders();
});

async function newStudio(): Promise<Client> {
  const project = await newProject(env, 'Editor');
  const studio = createClient(node.url, project);
  clients.push(studio);
  return studio;
}

/** Comments, a byte-order mark, unusual line ends and characters: all of it must come back as it was. */
const shop = (price: number) =>
  `\uFEFF# the shop\r\nsourceVersion: 1\nkind: endpoint\nid: shop\nmethod: POST\nsteps: []\nresponse:\n  body: { price: ${price}, ok: true }  # é ✓\n`;
const CAMP =
  'sourceVersion: 1\nkind: collection\nid: camp\nname: camp\ndefinition:\n  schema:\n    wood: { type: number, _ledger: true }\n';
const CHARGE = 'kind: workflow\nid: charge\nsteps: []\nreturns: {}\n';
const pushed = (price: number) => ({
  endpoints: [source('endpoint', 'shop', shop(price))],
  collections: [source('collection', 'camp', CAMP)],
  workflows: [source('workflow', 'charge', CHARGE)],
});

const LIVE_LISTING = '?revisionTarget=live&_syncToolTs=1760000000000';
const STAGED_LISTING = '?includeStaged=true&revisionTarget=next&_syncToolTs=1760000000000';

async function listing(studio: Client, route: string): Promise<Record<string, unknown>[]> {
  const reply = await ok(studio.manage('GET', studio.definitions(route), { headers: { 'cache-control': 'no-cache', pragma: 'no-cache' } }));
  return Object(reply.body).data;
}

describe('the windows of the editor', () => {
  let studio: Client;
  beforeAll(async () => {
    studio = await newStudio();
  });

  const push = async (price: number, headers = {}) => {
    const body = pushed(price);
    const checked = await ok(studio.manage('POST', studio.definitions('sync/preflight'), { body, headers }));
    expect(checked.body).toMatchObject({ ok: true, mode: 'preflight', summary: { total: 3, failed: 0 } });
    return ok(studio.manage('PUT', studio.definitions('sync'), { body, headers }));
  };

  test('setup: green, and no member called error', async () => {
    const { body } = await ok(studio.manage('GET', studio.definitions('validate')));
    expect(body).toMatchObject({
      ok: true,
      project: { id: studio.projectId, title: 'Editor' },
      checks: { projectId: { message: 'Found' }, secretKey: { ok: true, message: 'Valid' }, publicKey: { ok: true, message: 'Valid' } },
    });
    expect(body).not.toHaveProperty('error');
    const wrong = await ok(studio.manage('GET', studio.definitions('validate'), { headers: { 'x-public-key': 'nobody' } }));
    expect(wrong.body).toMatchObject({ ok: false, checks: { publicKey: { ok: false, message: 'Invalid' } } });
  });

  test('push all: what is listed right after it is the file, byte for byte', async () => {
    expect((await push(1)).body).toMatchObject({ ok: true, endpoints: { ok: true }, collections: { ok: true }, workflows: { ok: true } });
    const [endpoint] = await listing(studio, `endpoints${LIVE_LISTING}`);
    expect(endpoint).toMatchObject({
      id: 'shop',
      slug: 'shop',
      sourceText: shop(1),
      sourceFormat: 'yaml',
      sourcePath: 'endpoints/shop.endpoint.yml',
    });
    expect(endpoint).not.toHaveProperty('revisionTarget');
    expect(endpoint).not.toHaveProperty('canonicalDefinition');
    expect(endpoint).not.toHaveProperty('definition');
    expect((await listing(studio, `collections${LIVE_LISTING}`))[0]).toMatchObject({ id: 'camp', name: 'camp', sourceText: CAMP });
    expect((await listing(studio, 'workflows'))[0]).toMatchObject({ id: 'charge', sourceText: CHARGE });
    const settings = await ok(studio.manage('GET', studio.definitions('settings')));
    expect(settings.body).toMatchObject({ enableAuthSessions: false, enableEncryptedRequests: false });
  });

  test('push staged: live stays, next has both, and only the staged one is marked', async () => {
    expect((await push(2, NEXT)).body).toMatchObject({ ok: true, publishTarget: 'next' });
    const shown = await listing(studio, `endpoints${STAGED_LISTING}`);
    expect(shown.map((item) => [item['slug'], item['revisionTarget'], item['sourceText'] === shop(2)])).toEqual([
      ['shop', undefined, false],
      ['shop', 'next', true],
    ]);
    expect(await listing(studio, `endpoints${LIVE_LISTING}`)).toMatchObject([{ sourceText: shop(1) }]);
    expect(await listing(studio, 'endpoints?revisionTarget=next')).toHaveLength(1);
    const call = (headers = {}) => studio.play('POST', studio.endpoint('shop'), { body: {}, headers });
    expect((await ok(call())).body).toMatchObject({ price: 1 });
    expect((await ok(call(NEXT))).body).toMatchObject({ price: 2 });
  });

  test('push one: preflight, then PATCH of the wrapped item; again it is unchanged', async () => {
    const item = source('endpoint', 'shop', shop(3));
    await ok(studio.manage('POST', studio.definitions('sync/preflight'), { body: { endpoints: [item] } }));
    const patch = () => ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: { endpoint: item } }));
    expect((await patch()).body).toMatchObject({ ok: true, resourceId: 'shop', action: 'updated' });
    expect((await patch()).body).toMatchObject({ ok: true, action: 'unchanged', skipped: true });
    const plain = { slug: 'shop', notes: 'by hand' };
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: plain }));
    const [edited] = await listing(studio, 'endpoints');
    expect(edited).toMatchObject({ id: 'shop', notes: 'by hand', response: { body: { price: 3 } } });
    expect(edited).not.toHaveProperty('sourceText');
    await patch();
  });

  test('a test runs what is live, or what is staged, as it is asked', async () => {
    const run = async (target: string) =>
      (await ok(studio.manage('POST', studio.definitions('auto-test'), { body: {}, headers: { 'x-ns-publish-target': target } }))).body;
    expect(await run('live')).toMatchObject({ results: [{ endpoint: 'shop', passed: true, result: { body: { price: 3 } } }] });
    expect(await run('next')).toMatchObject({
      results: [{ passed: true, result: { body: { price: 2 } } }],
      summary: { total: 1, passed: 1 },
    });
  });

  test('publishing a revision makes the staged definitions live; the history tells of all of it, and goes back', async () => {
    await ok(studio.manage('POST', studio.definitions('promote'), { body: {} }));
    const price = async () => Object((await ok(studio.play('POST', studio.endpoint('shop'), { body: {} }))).body).price;
    expect(await price()).toBe(2);
    const history = async (query = '') => Object((await ok(studio.manage('GET', studio.definitions(`publishes${query}`)))).body);
    const { publishes, liveHash } = await history();
    expect(publishes.map(({ action, target }: { action: string; target: string }) => `${action} ${target}`)).toEqual([
      'promote live',
      'publish live',
      'publish live',
      'publish live',
      'publish next',
      'publish live',
    ]);
    expect(publishes[0]).toMatchObject({
      hash: liveHash,
      generation: 1,
      cause: 'definitions.promote',
      actor: { kind: 'secret', label: 'Secret key' },
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      changes: [{ kind: 'endpoint', id: 'shop' }],
    });
    const page = await history('?limit=2');
    expect(page.publishes).toHaveLength(2);
    expect((await history(`?limit=9&before=${page.before}`)).publishes).toHaveLength(4);

    const rollback = (body?: unknown) => studio.manage('POST', studio.definitions('rollback'), { body });
    expect((await ok(rollback({ dryRun: true }))).body).toMatchObject({ dryRun: true, changes: [{ id: 'shop', action: 'change' }] });
    expect(await price()).toBe(2);
    expect((await ok(rollback())).body).toMatchObject({ ok: true, generation: 2, changes: [{ kind: 'endpoint', id: 'shop' }] });
    expect(await price()).toBe(3);
    const [back, undone] = (await history()).publishes;
    expect(undone).toMatchObject({ action: 'promote', undoneBy: back.revision });
    expect(await listing(studio, 'endpoints')).toMatchObject([{ sourceText: shop(3) }]);
    for (let turn = 0; turn < 4; turn += 1) await ok(rollback());
    expect(await refused(studio.play('POST', studio.endpoint('shop'), { body: {} }))).toBe('404 ENDPOINT_NOT_FOUND');
    expect(await refused(rollback())).toBe('409 NOTHING_TO_ROLL_BACK');
    expect((await history()).publishes[0]).toMatchObject({ action: 'rollback', restored: -1 });
    const to = publishes[0].revision;
    const changes = ['endpoint shop', 'collection camp', 'workflow charge'];
    const gone = await bodyOf(rollback({ to }));
    expect(gone.changes.map(({ kind, id, action }: Record<string, string>) => `${action} ${kind} ${id}`).sort()).toEqual(
      changes.map((change) => `add ${change}`).sort(),
    );
    expect(gone.to).toBe(to);
    expect(await price()).toBe(2);
    const again = (await history()).publishes;
    const isUndone = (revision: number) => 'undoneBy' in again.find((each: { readonly revision: number }) => each.revision === revision);
    expect([back.revision, to].map(isUndone)).toEqual([true, false]);
    expect(await refused(rollback({ to: to + 1000 }))).toBe('404 PUBLISH_NOT_FOUND');
    expect(await refused(rollback({ dry_run: true }))).toBe('400 INVALID_BODY');
    expect(await refused(rollback({ dryRun: 'no' }))).toBe('400 INVALID_BODY');
  });
});

describe('the command-line script', () => {
  test('pushes arrays of source items, one kind after another, and replaces all endpoints', async () => {
    const studio = await newStudio();
    await ok(studio.manage('GET', studio.definitions('validate')));
    const old = [{ id: 'old', slug: 'old', steps: [] }];
    await ok(studio.manage('PUT', studio.definitions('endpoints'), { body: old }));
    const { collections, endpoints, workflows } = pushed(5);
    expect((await ok(studio.manage('PUT', studio.definitions('collections'), { body: collections }))).body).toMatchObject({
      ok: true,
      createdCount: 1,
      updatedCount: 0,
      results: [{ ok: true, resourceId: 'camp' }],
    });
    await ok(studio.manage('PUT', studio.definitions('endpoints?replaceAll=true&async=true'), { body: endpoints }));
    await ok(studio.manage('PUT', studio.definitions('workflows'), { body: workflows }));
    const tests = [source('test', 'sells', 'kind: test\nendpoint: shop\nexpect: { status: 200 }\n')];
    expect((await ok(studio.manage('PUT', studio.definitions('tests'), { body: tests }))).body).toMatchObject({ total: 1 });
    expect((await listing(studio, 'endpoints')).map((item) => item['slug'])).toEqual(['shop']);

    // The editor names no target when it reads workflows, not even for what it has just staged.
    const staged = `${CHARGE}# staged\n`;
    const body = { workflows: [source('workflow', 'charge', staged)] };
    await ok(studio.manage('PUT', studio.definitions('sync'), { body, headers: NEXT }));
    expect(await listing(studio, 'workflows?_syncToolTs=1')).toMatchObject([{ sourceText: staged, revisionTarget: 'next' }]);
    expect(await listing(studio, `workflows${LIVE_LISTING}`)).toMatchObject([{ sourceText: CHARGE }]);
    expect((await ok(studio.manage('POST', studio.definitions('run-tests'), { body: {} }))).body).toMatchObject({ passed: 1 });
    // An empty list is sent as no body.
    expect(await refused(studio.manage('PUT', studio.definitions('endpoints')))).toBe('400 VALIDATION_FAILED');
  });
});

describe('what goes wrong', () => {
  let studio: Client;
  beforeAll(async () => {
    studio = await newStudio();
  });

  const BAD = source('endpoint', 'bad', 'steps: [\n');
  const WORDS = ['404', '405', 'not found', 'does not exist', 'not available', 'method not allowed', 'sync endpoint'];

  test.each([
    ['POST', 'sync/preflight', { endpoints: [BAD] }],
    ['PUT', 'sync', { endpoints: [BAD] }],
    ['PUT', 'endpoints', [BAD]],
    ['PATCH', 'endpoints', { endpoint: BAD }],
    ['PUT', 'sync', { endpoints: 'x' }],
    ['PUT', 'sync', []],
    ['POST', 'sync/preflight', undefined],
  ])('%s %s of what cannot be is 400 with a text, in words that keep the editor on its way', async (method, route, body) => {
    const reply = await studio.manage(method, studio.definitions(route), { body });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ ok: false, error: { code: expect.any(String) }, message: expect.any(String) });
    for (const word of WORDS) expect(reply.text.toLowerCase()).not.toContain(word);
  });

  test('a body that is not JSON: sync says VALIDATION_FAILED, preflight INVALID_JSON', async () => {
    const send = (method: string, route: string) => studio.manage(method, studio.definitions(route), { raw: '{"endpoints":' });
    expect(await refused(send('PUT', 'sync'))).toBe('400 VALIDATION_FAILED');
    const { body } = await send('POST', 'sync/preflight');
    expect(body).toMatchObject({ ok: false, mode: 'preflight', error: { code: 'INVALID_JSON' }, message: 'Body must be valid JSON.' });
  });

  test('a key needs the permission of every section before anything is written, and of its route before its body is read', async () => {
    const key = await newApiKey(env, studio.projectId, { endpoints: 'rw', collections: 'r' });
    const shown = await ok(studio.send('GET', studio.definitions('validate'), { headers: { 'x-api-key': key } }));
    expect(Object(shown.body).permissions).toEqual({
      endpoints: 'rw',
      collections: 'r',
      queries: 'none',
      workflows: 'none',
      game_values: 'none',
      rate_limits: 'none',
      settings: 'none',
    });
    const send = (method: string, route: string, sent: object) =>
      refused(studio.send(method, studio.definitions(route), { headers: { 'x-api-key': key }, ...sent }));
    const item = { id: 'a', slug: 'a', steps: [] };
    expect(await send('PUT', 'sync', { body: { endpoints: [item], collections: null } })).toBe('403 FORBIDDEN');
    expect(await send('POST', 'sync/preflight', { body: { endpoints: [item], gamePackage: 1 } })).toBe('403 FORBIDDEN');
    expect(await listing(studio, 'endpoints')).toEqual([]);
    expect(await send('PUT', 'sync', { body: { endpoints: [item] } })).toBe('200 undefined');
    expect(await send('PUT', 'sync', { raw: 'x' })).toBe('400 VALIDATION_FAILED');
    expect(await send('PUT', 'collections', { raw: 'x' })).toBe('403 FORBIDDEN');
    expect(await send('POST', 'rollback', { body: {} })).toBe('403 FORBIDDEN');
    expect(await send('GET', 'publishes', {})).toBe('403 FORBIDDEN');
    for (const [method, route] of [
      ['POST', 'source-upgrade'],
      ['POST', 'package-sync'],
      ['PUT', 'tests'],
      ['POST', 'suggest-tests'],
      ['POST', 'test-endpoint'],
      ['POST', 'run-tests'],
      ['POST', 'auto-test'],
      ['POST', 'promote'],
      ['POST', 'rollback'],
    ] as const) {
      expect(await send(method, route, { raw: 'x' }), route).toBe('403 FORBIDDEN');
    }
  });

  test('unknown paths and methods are 404; a POST also without a key', async () => {
    expect(await refused(studio.send('POST', studio.definitions('nowhere'), { body: {} }))).toBe('404 NOT_FOUND');
    for (const [method, route] of [
      ['PUT', 'queries'],
      ['DELETE', 'collections'],
      ['PATCH', 'tests'],
      ['GET', 'sync-jobs/7'],
      ['PUT', 'sync/preflight'],
    ] as const) {
      expect(await refused(studio.manage(method, studio.definitions(route), { body: method === 'GET' ? undefined : {} }))).toBe(
        '404 NOT_FOUND',
      );
    }
    expect(await refused(studio.send('PUT', studio.definitions('sync'), { body: {} }))).toBe('401 UNAUTHORIZED');
  });

  test('deleting what is not there is 200, and so is deleting all game values, whatever the body says', async () => {
    expect((await ok(studio.manage('DELETE', studio.definitions('collections/nobody')))).body).toMatchObject({
      ok: true,
      action: 'delete',
    });
    await ok(studio.manage('PUT', studio.definitions('game-values'), { body: { items: [{ id: 'a', type: 'group', entries: {} }] } }));
    await ok(studio.manage('DELETE', studio.definitions('game-values'), { body: { items: [] } }));
    expect(await listing(studio, 'game-values')).toEqual([]);
  });
});

describe('whatever is sent', () => {
  const ROUTES = [
    ['PUT', 'sync'],
    ['POST', 'sync/preflight'],
    ['POST', 'source-upgrade'],
    ['PUT', 'endpoints'],
    ['PATCH', 'collections'],
    ['PATCH', 'workflows'],
    ['POST', 'queries'],
    ['PUT', 'game-values'],
    ['PUT', 'rate-limit-rules'],
    ['PUT', 'tests'],
    ['POST', 'test-endpoint'],
    ['POST', 'auto-test'],
    ['POST', 'suggest-tests'],
    ['POST', 'run-tests'],
    ['POST', 'rollback'],
    ['GET', 'publishes'],
  ] as const;

  const name = fc.constantFrom(
    'id',
    'slug',
    'name',
    'kind',
    'steps',
    'schema',
    'type',
    'input',
    'endpoint',
    'expect',
    'seed',
    'sourceText',
  );
  const yaml = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          'a: ',
          '- ',
          '\n',
          '  ',
          '{',
          '}',
          '[',
          ']',
          '&x',
          '*x',
          '<<: ',
          '!t',
          '"',
          "'",
          '#',
          'kind: endpoint',
          '404',
          '\t',
          '|',
          '\0',
        ),
      )
      .map((parts) => parts.join('')),
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('__proto__', 'shop', '../x', '', 'a\u0000b', 1e300, -0, null, true),
  );
  const item = fc.oneof(
    fc.dictionary(name, value, { maxKeys: 5 }),
    fc.record({ kind: fc.constantFrom('endpoint', 'collection', 'workflow', 'test'), id: fc.constantFrom('a', 'b'), sourceText: yaml }),
    value,
  );
  const body = fc.oneof(
    item,
    fc.array(item, { maxLength: 3 }),
    fc.record(
      { endpoints: fc.array(item, { maxLength: 2 }), collections: fc.array(item, { maxLength: 2 }), workflows: value },
      { requiredKeys: [] },
    ),
    fc.record({ slug: fc.constant('shop'), input: value, platformId: value, expect: value, seed: value }),
    fc.record({ tests: fc.array(item, { maxLength: 3 }) }),
  );

  test('the answer is 200 or says in the envelope why not, never a fault, and the log stays whole', async () => {
    const studio = await newStudio();
    await ok(studio.manage('PUT', studio.definitions('sync'), { body: pushed(1) }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTES), body, fc.boolean(), async ([method, route], sent, staged) => {
        const reply = await studio.manage(method, studio.definitions(route), {
          ...(method === 'GET' ? {} : { body: sent }),
          headers: staged ? NEXT : {},
        });
        expect(reply.status, `${method} ${route} ${JSON.stringify(sent)}: ${reply.text}`).toBeLessThan(500);
        if (reply.status !== 200)
          expect(reply.body).toMatchObject({ ok: false, error: { code: expect.any(String), message: expect.any(String) } });
      }),
      { numRuns: 400 },
    );
    for (const raw of ['', '{', '[1,', '"', '{"a":1,"a":2}', `${'['.repeat(2000)}`, '\u0000', '{"endpoints":[{"id":"\\ud800"}]}']) {
      for (const [method, route] of ROUTES) {
        if (method === 'GET') continue;
        const { status } = await studio.manage(method, studio.definitions(route), { raw });
        expect(status, `${method} ${route} ${raw.slice(0, 20)}`).toBeLessThan(500);
      }
    }
    await ok(studio.manage('GET', studio.definitions('validate')));
    await verified(env);
  });
});
