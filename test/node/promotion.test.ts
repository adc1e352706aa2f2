import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newProject } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { ALL_ROLES, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** Checks of stored data when staged definitions are promoted. */

let node: Node;
let studio: Client;
beforeAll(async () => {
  const env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--no-demo'] });
  studio = createClient(node.url, await newProject(env, 'Promotions'));
});
afterAll(async () => {
  studio?.close();
  await node?.stop();
  removeFolders();
});

const post = (route: string, body: unknown = {}) => studio.manage('POST', studio.definitions(route), { body });
const stage = (gold: object) =>
  ok(
    studio.manage('PATCH', studio.definitions('collections'), {
      headers: NEXT,
      body: { id: 'heroes', accessMode: 'public', schema: { gold } },
    }),
  );

test('documents that the staged schema refuses and ledgers that would vanish stop a promotion, until it is forced', async () => {
  const body = { id: 'heroes', accessMode: 'public', schema: { gold: { type: 'number', _ledger: true } } };
  await ok(studio.manage('PATCH', studio.definitions('collections'), { body }));
  // More than one page, and the last document is the one that does not fit.
  for (let index = 0; index < 12; index += 1) {
    await ok(
      studio.play('POST', studio.storage(`heroes/p${String(index).padStart(2, '0')}`), {
        body: { gold: index },
        apiKey: 'secret',
      } as object),
    );
  }
  await stage({ type: 'number', max: 10 });
  const dry = Object((await ok(post('promote', { dryRun: true }))).body);
  expect(dry).toMatchObject({
    dryRun: true,
    findings: [
      {
        code: 'DOCUMENTS_REFUSED',
        id: 'heroes',
        refused: 1,
        documents: 12,
        complete: true,
        samples: [{ key: 'p11', fault: 'gold: more than 10' }],
      },
      { code: 'LEDGER_FIELDS_VANISH', id: 'heroes', fields: ['gold'] },
    ],
  });
  expect(await refused(post('promote'))).toBe('409 PROMOTION_FINDINGS');
  expect((await post('promote')).body).toMatchObject({ findings: [{ code: 'DOCUMENTS_REFUSED' }, {}], changes: [{ id: 'heroes' }] });
  const live = () => studio.manage('GET', studio.definitions('collections'));
  expect((await ok(live())).text).not.toContain('"max":10');
  expect((await ok(post('promote', { force: true }))).body).toMatchObject({ promoted: { collections: 1 }, findings: [{}, {}] });
  expect((await ok(live())).text).toContain('"max":10');

  await stage({ type: 'number', max: 20 });
  expect((await ok(post('promote'))).body).toMatchObject({ promoted: { collections: 1 }, findings: [] });
});

test('a removal that is staged shows in next at once, in live when it is promoted, and not before somebody says that documents may go out of reach', async () => {
  await ok(studio.manage('DELETE', studio.definitions('collections/heroes'), { headers: NEXT }));
  expect(await refused(studio.play('GET', studio.storage('heroes/p01'), { headers: NEXT }))).toMatch(/^40[34] /);
  await ok(studio.play('GET', studio.storage('heroes/p01')));
  expect((await ok(studio.manage('GET', studio.definitions('diff')))).body).toMatchObject({
    changes: [{ kind: 'collection', id: 'heroes', action: 'delete' }],
  });
  expect((await post('promote')).body).toMatchObject({ findings: [{ code: 'COLLECTION_HOLDS_DOCUMENTS', documents: 12 }] });
  await ok(post('promote', { force: true }));
  expect((await studio.play('GET', studio.storage('heroes/p01'))).status).toBeGreaterThan(400);
  await ok(post('rollback'));
  expect((await ok(studio.play('GET', studio.storage('heroes/p01')))).body).toMatchObject({ gold: 1 });
});

test('values that are to be unique and are not are found before a promotion that they stop, forced or not', async () => {
  const publish = (tag: object, headers = {}) =>
    ok(studio.manage('PATCH', studio.definitions('collections'), { body: { id: 'tags', accessMode: 'public', schema: { tag } }, headers }));
  const save = (key: string, tag: string) => ok(studio.play('POST', studio.storage(`tags/${key}`), { body: { tag } }, key));
  await publish({ type: 'string' });
  await save('a', 'x');
  await save('b', 'y');
  await publish({ type: 'string', _unique: true }, NEXT);
  // Live does not have it yet.
  await save('b', 'x');
  const dry = (await ok(post('promote', { dryRun: true }))).body;
  expect(dry).toMatchObject({ findings: [{ code: 'VALUES_NOT_UNIQUE', id: 'tags', samples: [{ field: 'tag', keys: ['a', 'b'] }] }] });
  // Findings of the promotion itself come first.
  expect(await refused(post('promote'))).toBe('409 PROMOTION_FINDINGS');
  expect(await refused(post('promote', { force: true }))).toBe('409 UNIQUE_VIOLATION');
  await save('b', 'y');
  await ok(post('promote'));
});

test('what is nowhere is told of the target that was asked for', async () => {
  const told = async (method: string, route: string, headers = {}) =>
    Object((await studio.play(method, route, { headers })).body).error.message as string;
  for (const [method, route] of [
    ['GET', studio.storage('nowhere/p00')],
    ['GET', studio.storage('nowhere/p00/ledger')],
    ['GET', `/v3/queries/${studio.projectId}/nothing`],
    ['POST', `/v3/endpoints/${studio.projectId}/nobody`],
  ] as const) {
    expect(await told(method, route)).toMatch(/[Uu]ntil it is promoted/);
    expect(await told(method, route, NEXT)).toMatch(/in next, which shows live with what is staged/);
  }
});

test('a push says which stored documents it would show again, and which would not fit; a promotion stops for them', async () => {
  const definition = { id: 'relics', accessMode: 'public', schema: { name: 'string' } };
  const put = (body: object, headers = {}, query = '') =>
    studio.manage('PUT', `${studio.definitions('collections')}${query}`, { body: [body], headers });
  const found = async (...args: Parameters<typeof put>) => Object((await ok(put(...args))).body).results[0].diagnostics ?? [];
  expect(await found(definition)).toEqual([]);
  for (const key of ['a', 'b']) await ok(studio.play('POST', studio.storage(`relics/${key}`), { body: { name: key } }, key));

  const required = { ...definition, schema: { name: 'string', title: { type: 'string', required: true } } };
  const unfit = { code: 'DOCUMENTS_REFUSED', message: expect.stringMatching(/^At least 2 documents of 'relics' .*a: title: required/) };
  // Until the tables show what was written, it is not looked at.
  await expect.poll(() => found(required, NEXT)).toMatchObject([unfit]);
  expect(await refused(put(required, {}, '?strict=true'))).toBe('400 STRICT_FINDINGS');
  const whole = { body: { collections: [required] } };
  expect((await ok(studio.manage('POST', studio.definitions('sync/preflight'), whole))).text).toContain('DOCUMENTS_REFUSED');
  expect((await ok(studio.manage('PUT', studio.definitions('sync'), whole))).text).toContain('DOCUMENTS_REFUSED');

  expect((await ok(studio.manage('DELETE', studio.definitions('collections/relics')))).body).toMatchObject({
    diagnostics: [{ code: 'EARLIER_DOCUMENTS', message: expect.stringContaining("'relics' leaves 2 documents under its id") }],
  });
  expect(Object((await ok(studio.manage('DELETE', studio.definitions('collections/relics')))).body).diagnostics).toBeUndefined();
  const earlier = { code: 'EARLIER_DOCUMENTS', message: expect.stringContaining('there are 2 documents under this id') };
  expect(await found({ ...definition, id: 'new' })).toEqual([]);
  expect(await found(definition, NEXT)).toMatchObject([earlier]);
  expect((await post('promote')).body).toMatchObject({
    error: { code: 'PROMOTION_FINDINGS' },
    findings: [{ code: 'EARLIER_DOCUMENTS', documents: 2 }],
  });
  expect(await found(definition)).toMatchObject([earlier]);

  const purge = (body: object) => studio.manage('POST', studio.definitions('purge'), { body });
  const ledger = async () => Object((await ok(studio.play('GET', studio.storage('relics/a/ledger'), {}, 'a'))).body).summary;
  await ok(put({ ...definition, schema: { name: 'string', worth: { type: 'number', _ledger: true } } }));
  await ok(studio.play('POST', studio.storage('relics/a'), { body: { ops: [{ op: 'inc', path: 'worth', value: 5 }] } }, 'a'));
  expect((await ok(purge({ collection: 'relics', dryRun: true }))).body).toMatchObject({ documents: 2, deleted: 0, dryRun: true });
  expect(await refused(purge({ collection: 'relics', dry_run: true }))).toBe('400 VALIDATION_FAILED');
  await ok(studio.manage('DELETE', studio.definitions('collections/relics')));
  // Also where no definition is left: the ledger is taken back to 0 by what the document's own state says of it.
  expect((await ok(purge({ collection: 'relics' }))).body).toMatchObject({ deleted: 2, more: true });
  expect((await ok(purge({ collection: 'relics' }))).body).toMatchObject({ deleted: 0, more: false });
  expect(await found({ ...definition, schema: { worth: { type: 'number', _ledger: true } } })).toEqual([]);
  expect(await ledger()).toMatchObject({ netChange: 0, entryCount: 2, sources: { direct: {}, purge: { total: -5 } } });
  expect(await refused(studio.play('GET', studio.storage('relics/b'), {}, 'b'))).toBe('404 NOT_FOUND');
});

test('doc purge counts, asks, and deletes all that there is', async () => {
  const definition = { id: 'many', accessMode: 'public', schema: { n: 'number' } };
  await ok(studio.manage('PUT', studio.definitions('collections'), { body: [definition] }));
  await Promise.all(Array.from({ length: 120 }, (_, n) => ok(studio.play('POST', studio.storage(`many/k${n}`), { body: { n } }, `k${n}`))));
  const env = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: studio.projectId, SAVEPOINT_SECRET_KEY: studio.secretKey };
  const run = (...args: string[]) => here(['doc', 'purge', 'many', '--json', ...args], { env });
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('give --yes') });
  expect(JSON.parse((await run('--dry-run')).stdout)).toMatchObject({ documents: 120, deleted: 0 });
  expect(JSON.parse((await run('--yes')).stdout)).toMatchObject({ ok: true, documents: 120, deleted: 120 });
  expect(JSON.parse((await run('--yes')).stdout)).toMatchObject({ documents: 0, deleted: 0 });
});

test('discard shows what is staged, asks, and takes that back: one definition, or all; live stays', async () => {
  await ok(post('discard'));
  const named = (id: string) => ({ id, accessMode: 'public', schema: { n: 'number' } });
  await ok(studio.manage('PATCH', studio.definitions('collections'), { headers: NEXT, body: named('first') }));
  await ok(studio.manage('PATCH', studio.definitions('collections'), { headers: NEXT, body: named('second') }));
  const env = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: studio.projectId, SAVEPOINT_SECRET_KEY: studio.secretKey };
  const run = (...args: string[]) => here(['discard', ...args], { env });
  const staged = async () =>
    Object((await ok(studio.manage('GET', studio.definitions('diff')))).body).changes.map(({ id }: { id: string }) => id);
  expect(await run('collection', 'first')).toMatchObject({ code: 1, stderr: expect.stringContaining('give --yes') });
  expect((await run('--dry-run')).stdout).toContain('Next would lose this: 2 changes.');
  expect(await staged()).toEqual(['first', 'second']);
  expect((await run('collection', 'first', '--yes')).stdout).toContain('Taken back: 1 change staged no more');
  expect(await staged()).toEqual(['second']);
  expect(JSON.parse((await run('--yes', '--json', '-m', 'not this week')).stdout)).toMatchObject({ discarded: true });
  expect(await staged()).toEqual([]);
  expect((await run('--yes')).stdout).toContain('Nothing is staged.');
  expect(await refused(studio.play('GET', studio.storage('second/a'), {}, 'a'))).toContain('404');
});
