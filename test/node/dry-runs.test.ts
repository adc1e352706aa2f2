import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newApiKey, newProject, printed } from './support/command-line.ts';
import { publishGame, source } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, PLAYER, refused } from './support/game-client.ts';
import { ALL_ROLES, eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Tests of endpoints as the editor runs them: dry, on the real state. */

let env: Record<string, string>;
let node: Node;
let studio: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
  studio = createClient(node.url, await newProject(env, 'Tests'));
  await publishGame(studio);
  await ok(studio.play('POST', studio.storage(`players/${PLAYER}`), { body: { name: 'Ada', gold: 20 } }));
});

afterAll(async () => {
  studio?.close();
  await node?.stop();
  removeFolders();
});

const post = (route: string, body?: unknown, headers = {}) => studio.manage('POST', studio.definitions(route), { body, headers });
const gold = async () => Object((await ok(studio.play('GET', studio.storage(`players/${PLAYER}`)))).body).gold;
const head = async () => Number((await ok(studio.manage('GET', studio.definitions('validate')))).headers['x-ns-position']);

describe('test-endpoint', () => {
  test('answers what a call would, shows its steps and writes, and leaves nothing behind', async () => {
    const before = await head();
    const { body } = await ok(post('test-endpoint', { slug: 'buy', input: { item: 'axe' }, platformId: PLAYER, skipWebhooks: true }));
    expect(body).toMatchObject({
      ok: true,
      dryRun: true,
      name: 'buy test',
      endpoint: 'buy',
      method: 'POST',
      platformId: PLAYER,
      passed: true,
      reason: null,
      timing: { total: expect.any(Number) },
      result: { ok: true, status: 200, body: { ok: true, price: 7, left: 13 }, timing: { total: expect.any(Number) } },
      warnings: [],
      expectation: { outcome: 'pass', status: null, passed: true, reason: '' },
    });
    const { steps, pendingWrites } = Object(body);
    expect(steps.map((step: { id: string }) => step.id)).toEqual(['me', 'row', 'bill', 'pay', 'count']);
    expect(steps[0]).toMatchObject({ type: 'read', passed: true, result: { name: 'Ada', gold: 20 } });
    expect(pendingWrites).toMatchObject([
      { collection: 'players', key: PLAYER, op: 'write', data: { gold: 13, items: ['axe'] } },
      { collection: 'towns', key: 'market', op: 'write', data: { sold: 1 } },
    ]);
    expect(await gold()).toBe(20);
    expect(await head()).toBe(before);
    const ledger = await ok(studio.play('GET', studio.storage(`players/${PLAYER}/ledger`)));
    expect(ledger.text).not.toContain('"source":"shop"');
  });

  test('a rejection is a result with an error object; the step that failed is the last', async () => {
    const { body } = await ok(post('test-endpoint', { endpoint: 'buy', input: { item: 'moon' }, platformId: PLAYER }));
    expect(body).toMatchObject({
      ok: true,
      passed: false,
      reason: expect.stringContaining('Expected success'),
      result: { ok: false, status: 404, body: { ok: false, error: { code: 'NO_ITEM', message: 'There is no moon.' } } },
      pendingWrites: [],
    });
    expect(Object(body).steps.at(-1)).toMatchObject({ id: 'row', passed: false });
  });

  test('what is expected decides: a status, a rejection, anything', async () => {
    const verdict = async (expect: object) =>
      Object((await ok(post('test-endpoint', { slug: 'buy', input: { item: 'moon' }, platformId: PLAYER, expect }))).body).passed;
    expect(await verdict({ outcome: 'fail' })).toBe(true);
    expect(await verdict({ outcome: 'fail', status: 404 })).toBe(true);
    expect(await verdict({ outcome: 'fail', status: 409 })).toBe(false);
    expect(await verdict({ outcome: 'any' })).toBe(true);
    expect(await verdict({})).toBe(false);
    expect(await verdict({ status: 404 })).toBe(true);
    expect(await verdict({ status: 409 })).toBe(false);
    expect(await verdict({ status: 404, outcome: 'pass' })).toBe(false);
    expect(await verdict({ status: 404, body: { error: { code: 'NO_ITEM' } } })).toBe(true);
    expect(await verdict({ status: 404, body: { error: { code: 'ANOTHER' } } })).toBe(false);
  });

  test('starts from seeded documents where the test brings some, and takes the other spelling of the player', async () => {
    const seed = { collections: { players: { 77: { gold: 100 } } } };
    const { body } = await ok(post('test-endpoint', { slug: 'buy', input: { item: 'axe' }, steamId: 77, seed }));
    expect(body).toMatchObject({ passed: true, platformId: '77', result: { body: { left: 93 } } });
    expect((await studio.play('GET', studio.storage('players/77'), {}, '77')).status).toBe(404);
  });

  test('seeded game values stand in place of those of the project, so a changed price turns no test red', async () => {
    const run = async (values: unknown) => {
      const seed = { collections: { players: { 77: { gold: 100 } } }, values };
      return (await ok(post('test-endpoint', { slug: 'buy', input: { item: 'axe' }, platformId: '77', seed }))).body;
    };
    expect(await run({})).toMatchObject({ result: { body: { price: 7 } } });
    expect(await run({ prices: [{ item: 'axe', price: 60 }] })).toMatchObject({ result: { body: { price: 60, left: 40 } } });
    expect(await run({ prices: [{ item: 'saw', price: 1 }] })).toMatchObject({ result: { status: 404 } });
  });

  test('seeded entries of a group lie over those of the project, in every kind of step', async () => {
    const steps = [
      { id: 'drawn', type: 'random', mode: 'weighted', source: 'values', table: 'loot' },
      { id: 'sum', type: 'transform', expression: '{{values.bonus.find}} + {{values.bonus.extra|0}}' },
    ];
    const response = { status: 200, body: { drawn: '{{drawn.item}}', sum: '{{sum}}' } };
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: { id: 'luck', slug: 'luck', steps, response } }));
    const seed = { values: { bonus: { find: 2, extra: 3 }, loot: [{ item: 'gem' }] } };
    const { body } = await ok(post('test-endpoint', { slug: 'luck', seed }));
    expect(body).toMatchObject({ result: { body: { drawn: 'gem', sum: 5 } } });
    await ok(studio.manage('DELETE', studio.definitions('endpoints/luck')));
  });

  test('what a step looks through comes in the order of the keys, seeded and written documents among the stored', async () => {
    await ok(studio.play('POST', studio.storage(`players/${PLAYER}`), { body: { name: 'Ada', gold: 20 } }));
    const list = {
      id: 'list',
      slug: 'list',
      steps: [
        { id: 'new', type: 'write', collection: 'players', key: 'b', ops: [{ op: 'set', path: 'name', value: 'b' }] },
        { id: 'all', type: 'filter', collection: 'players', where: { field: 'name', op: '!=', value: '' } },
      ],
      response: { status: 200, body: { names: '{{all}}' } },
    };
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: list }));
    // The seed has two new documents and one that is also stored. Each is listed once, in the order of the keys.
    const seed = { collections: { players: { zz: { name: 'z' }, aa: { name: 'a' }, [PLAYER]: { name: 'Ada' } } } };
    const { body } = await ok(post('test-endpoint', { slug: 'list', seed }));
    const names = JSON.stringify(Object(body).result.body).match(/"name":"(\w+)"/g);
    expect(names).toEqual(['"name":"Ada"', '"name":"a"', '"name":"b"', '"name":"z"']);
    await ok(studio.manage('DELETE', studio.definitions('endpoints/list')));
  });

  test('runs what calls refuse, with warnings', async () => {
    const shut = { id: 'shut', slug: 'shut', enabled: false, deprecated: true, requiresSecretKey: true, exposure: 'internal', steps: [] };
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: { endpoint: shut } }));
    const { body } = await ok(post('test-endpoint', { slug: 'shut' }));
    expect(body).toMatchObject({
      passed: true,
      warnings: [expect.any(String), expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(await refused(studio.play('POST', studio.endpoint('shut'), { body: {} }))).toBe('403 ENDPOINT_DISABLED');
    await ok(studio.manage('DELETE', studio.definitions('endpoints/shut')));
  });

  test('limits count nothing in a dry run, and still refuse what a call could not do', async () => {
    const spend = {
      id: 'spend',
      slug: 'spend',
      input: { type: 'object', properties: { n: { type: 'number' } } },
      steps: [
        { id: 'w', type: 'write', collection: 'meters', key: '{{platformId}}', ops: [{ op: 'inc', path: 'n', value: '{{input.n}}' }] },
      ],
    };
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: spend }));
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await ok(post('test-endpoint', { slug: 'spend', input: { n: 9 } }))).body).toMatchObject({ passed: true });
    }
    expect((await ok(post('test-endpoint', { slug: 'spend', input: { n: 11 } }))).body).toMatchObject({
      passed: false,
      result: { status: 429, body: { error: { code: 'RATE_LIMIT' } } },
    });
  });

  test('beside live calls they take nothing from them: of twenty calls at once a limit of ten lets exactly ten through', async () => {
    const player = '76561198000000099';
    const calls = Array.from({ length: 20 }, () => studio.play('POST', studio.endpoint('spend'), { body: { n: 1 } }, player));
    const dry = Array.from({ length: 20 }, () => ok(post('test-endpoint', { slug: 'spend', input: { n: 1 }, platformId: player })));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    await Promise.all(dry);
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([10, 10]);
    expect((await ok(studio.play('GET', studio.storage(`meters/${player}`), {}, player))).body).toEqual({ n: 10 });
  });

  test.each([
    [{}, '400 VALIDATION_FAILED'],
    [undefined, '400 VALIDATION_FAILED'],
    [[], '400 VALIDATION_FAILED'],
    [{ testId: 'nobody' }, '404 TEST_NOT_FOUND'],
    [{ slug: 'nobody' }, '404 ENDPOINT_NOT_FOUND'],
  ])('%j is %s', async (body, expected) => {
    expect(await refused(post('test-endpoint', body))).toBe(expected);
  });

  test('members that the run does nothing with are warnings, and with strict=true refused', async () => {
    const asked = { slug: 'buy', inputs: { item: 'axe' }, input: { item: 'axe' }, platformId: PLAYER, expect: { state: 200 } };
    const { warnings } = Object((await ok(post('test-endpoint', asked))).body);
    expect(warnings).toEqual([expect.stringMatching(/does nothing with 'inputs'.*input/), expect.stringMatching(/compared with 'state'/)]);
    const strictly = { body: asked, headers: {} };
    expect(await refused(studio.manage('POST', `${studio.definitions('test-endpoint')}?strict=true`, strictly))).toBe(
      '400 STRICT_FINDINGS',
    );
  });

  test('an unusable player id, and a body that is not JSON, are told of', async () => {
    expect((await ok(post('test-endpoint', { slug: 'buy', input: { item: 'axe' }, platformId: 'a/b' }))).body).toMatchObject({
      passed: false,
      result: { status: 400, body: { error: { code: 'INVALID_PLATFORMID' } } },
    });
    const broken = await studio.manage('POST', studio.definitions('test-endpoint'), { raw: '{"slug":' });
    expect(broken.status).toBe(400);
  });
});

describe('saved tests', () => {
  const YAML = 'kind: test\nid: yaml-test\nname: From a file\nendpoint: buy\nplatformId: "76561198000000001"\ninput: { item: axe }\n';
  const SAVED = [
    { id: 'buys', name: 'Buys', endpoint: 'buy', platformId: PLAYER, input: { item: 'axe' }, expect: { status: 200 } },
    { id: 'buys', endpoint: 'buy', input: { item: 'axe' }, expect: { outcome: 'fail' } },
    { name: 'nowhere', input: {} },
    { id: 'gone', endpoint: 'gone' },
    source('test', 'yaml-test', YAML),
  ];

  test('are replaced as a list, listed as they came, and get ids that stay', async () => {
    const put = () => ok(studio.manage('PUT', studio.definitions('tests'), { body: SAVED }));
    const first = await put();
    expect(first.body).toMatchObject({ ok: true, resourceKind: 'tests', action: 'replace', total: 5 });
    expect((await put()).headers['x-ns-position']).toBe(first.headers['x-ns-position']);
    const { data } = Object((await ok(studio.manage('GET', studio.definitions('tests')))).body);
    expect(data.map((each: { id: string }) => each.id)).toEqual([
      'buys',
      expect.stringMatching(/^test_[0-9a-f]{12}$/),
      expect.stringMatching(/^test_[0-9a-f]{12}$/),
      'gone',
      'yaml-test',
    ]);
    expect(data[0]).toEqual(SAVED[0]);
    expect(data[4]).toMatchObject({ endpoint: 'buy', sourceText: YAML });
  });

  test('run in order; one that cannot run counts as failed', async () => {
    const { body } = await ok(post('run-tests', {}));
    expect(body).toMatchObject({
      ok: true,
      dryRun: true,
      total: 5,
      passed: 3,
      failed: 2,
      summary: { total: 5, passed: 3, failed: 2 },
      results: [
        { id: 'buys', name: 'Buys', passed: true, input: { item: 'axe' }, expect: { status: 200 }, result: { ok: true, status: 200 } },
        { passed: true, result: { status: 404, body: { error: { code: 'NO_PLAYER' } } } },
        { name: 'nowhere', passed: false, reason: 'The test does not name an endpoint.', warnings: [] },
        { id: 'gone', passed: false, reason: "Endpoint 'gone' was not found." },
        { id: 'yaml-test', name: 'From a file', passed: true },
      ],
    });
    expect((await ok(post('test-endpoint', { testId: 'buys' }))).body).toMatchObject({ id: 'buys', passed: true });
  });

  test.each([
    ['an object', { tests: {} }],
    ['a text', 'x'],
    ['a list of texts', ['x']],
    ['too many', Array.from({ length: 501 }, () => ({}))],
    ['a source that does not compile', [source('test', 'x', 'a: [')]],
    ['a reserved name', JSON.parse('[{"input":{"__proto__":1}}]')],
  ])('%s is refused, and the list stays', async (_, body) => {
    expect(await refused(studio.manage('PUT', studio.definitions('tests'), { body }))).toMatch(
      /^400 (VALIDATION_FAILED|SOURCE_COMPILE_FAILED)$/,
    );
    expect(Object((await ok(studio.manage('GET', studio.definitions('tests')))).body).data).toHaveLength(5);
  });

  test('need every permission to be changed, and the right to run what they run', async () => {
    const runner = await newApiKey(env, studio.projectId, { endpoints: 'x', queries: 'x', collections: 'x' });
    const as = async (method: string, route: string) =>
      (await studio.send(method, studio.definitions(route), { headers: { 'x-api-key': runner }, body: method === 'GET' ? undefined : {} }))
        .status;
    expect([await as('POST', 'run-tests'), await as('POST', 'auto-test'), await as('PUT', 'tests'), await as('GET', 'tests')]).toEqual([
      200, 200, 403, 403,
    ]);
    expect(await as('POST', 'suggest-tests')).toBe(403);
  });
});

describe('without a key (docs/tests.md)', () => {
  const command = (...args: readonly string[]) => here(['test', 'run', studio.projectId, ...args], { env });

  test('the command runs the saved tests, of either target, and ends with 1 when one fails', async () => {
    const { code, stdout } = await command();
    expect(code).toBe(1);
    expect(stdout).toContain('3 of 5 passed');
    expect(stdout).toMatch(/^FAILED +test_\w+ +nowhere +The test does not name an endpoint\.$/m);
    expect(stdout).toMatch(/^FAILED +gone +gone test +Endpoint 'gone' was not found\.$/m);
    const good = [{ id: 'staged', endpoint: 'staged' }];
    const tests = studio.definitions('tests');
    const before = Object((await ok(studio.manage('GET', tests))).body).data;
    await ok(studio.manage('PUT', tests, { body: good }));
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: { id: 'staged', steps: [] }, headers: NEXT }));
    const next = await command('--target', 'next', '--json');
    expect([next.code, JSON.parse(next.stdout)]).toMatchObject([0, { ok: true, target: 'next', total: 1, passed: 1, failed: 0 }]);
    expect((await command('--json')).code).toBe(1);
    await ok(studio.manage('PUT', tests, { body: before }));
    expect((await here(['test', 'run', 'nobody'], { env })).stderr).toContain('NOT_FOUND');
    expect((await command('--target', 'later')).code).toBe(2);
  });

  test('the job tells which failed', async () => {
    const add = (...args: readonly string[]) => here(['jobs', 'add', 'tests.run', ...args], { env });
    const { id } = JSON.parse((await add(studio.projectId, '--json')).stdout);
    const done = await eventually('the job is done', async () => {
      const jobs = JSON.parse(await printed(['jobs', 'list', '--json'], { env }));
      return jobs.find((job: { id: string; state: string }) => job.id === id && job.state === 'completed');
    });
    expect(done).toMatchObject({
      progress: 100,
      result: {
        total: 5,
        passed: 3,
        failed: 2,
        failures: [{ name: 'nowhere' }, { id: 'gone', name: 'gone test', reason: expect.any(String) }],
      },
    });
    expect((await add()).code).toBe(2);
    expect((await add(studio.projectId, 'later')).code).toBe(2);
  });
});

describe('auto-test and suggest-tests', () => {
  test('one endpoint and all of them, live and next', async () => {
    expect((await ok(post('auto-test', { slug: 'echo' }))).body).toEqual({
      ok: true,
      name: 'Auto-test echo',
      endpoint: 'echo',
      method: 'GET',
      passed: true,
      deprecated: false,
      errors: [],
      warnings: [],
      result: { status: 200, body: { ok: true, twice: 2, word: 'test' }, timing: { total: expect.any(Number) } },
    });
    const all = Object((await ok(post('auto-test', {}, { 'x-ns-publish-target': 'live' }))).body);
    expect(all.summary).toEqual({ total: 3, passed: 2, failed: 1 });
    expect(all.results.find((each: { endpoint: string }) => each.endpoint === 'buy')).toMatchObject({
      passed: false,
      errors: ['Endpoint returned HTTP 404.', 'NO_PLAYER: Save a profile first.'],
    });
    await ok(studio.manage('PATCH', studio.definitions('endpoints'), { body: { id: 'staged', steps: [] }, headers: NEXT }));
    expect(await refused(post('auto-test', { slug: 'staged' }))).toBe('400 ENDPOINT_NOT_FOUND');
    expect((await ok(post('auto-test', { slug: 'staged' }, NEXT))).body).toMatchObject({ passed: true });
  });

  test('suggestions: one that passes, and one for each required member that is left out', async () => {
    expect((await ok(post('suggest-tests', { slug: 'echo' }))).body).toEqual({
      ok: true,
      suggestions: [
        { name: 'echo answers', endpoint: 'echo', input: { times: 1, word: 'test' }, expect: { outcome: 'pass' } },
        { name: 'echo needs times', endpoint: 'echo', input: { word: 'test' }, expect: { outcome: 'fail' } },
      ],
    });
    const suggested = Object((await ok(post('suggest-tests', { slug: 'echo' }))).body).suggestions;
    await ok(studio.manage('PUT', studio.definitions('tests'), { body: suggested }));
    expect((await ok(post('run-tests', {}))).body).toMatchObject({ total: 2, passed: 2 });
  });

  test('suggestions without a slug are those of every endpoint', async () => {
    const { data } = await bodyOf(studio.manage('GET', studio.definitions('endpoints')));
    const { suggestions } = await bodyOf(post('suggest-tests', {}));
    const slugs = (list: readonly { readonly slug?: string; readonly endpoint?: string }[]) => [
      ...new Set(list.map(({ slug, endpoint }) => slug ?? endpoint)),
    ];
    expect(slugs(suggestions)).toEqual(slugs(data));
    expect(await refused(post('suggest-tests', { slug: 'nowhere' }))).toBe('404 ENDPOINT_NOT_FOUND');
  });
});
