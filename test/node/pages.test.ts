import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { here, printed } from './support/command-line.ts';
import { type Client, createClient, ok, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Pages, made beside a running node, and the paths that anybody may request. */

let data: string;
let node: Node;
let game: Client;
const page = (...words: readonly string[]) => printed(['page', ...words, '--data', data]);
const get = (path: string, headers = {}) => game.send('GET', path, { headers });

beforeAll(async () => {
  data = newFolder();
  node = await startNode(data);
  game = createClient(node.url, demoCredentials(data));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

test('a page is put, served to anybody, listed and removed', async () => {
  const text = join(newFolder(), 'news.md');
  writeFileSync(text, '# Patch 1.1 <é>\n\nAll *new*.\n');
  await page('put', game.projectId, 'news', '--file', text);
  const served = await eventually('the page is served', async () => {
    const reply = await get(`/pages/${game.projectId}/news`);
    return reply.status === 200 && reply;
  });
  expect(served.body).toEqual({
    ok: true,
    slug: 'news',
    title: 'Patch 1.1 <é>',
    type: 'markdown',
    statusLevel: null,
    updatedAt: expect.stringMatching(/Z$/),
    markdown: '# Patch 1.1 <é>\n\nAll *new*.\n',
    html: '',
  });
  expect(served.headers['content-type']).toBe('application/json; charset=utf-8');
  const alias = Object((await ok(get(`/api/pages/${game.projectId}/news?apiKey=wrong&format=jsonmd`))).body);
  expect([alias.slug, 'html' in alias]).toEqual(['news', false]);

  const values = join(newFolder(), 'status.json');
  writeFileSync(values, '{"eu":"up","since":76561198000000001}');
  await page('put', game.projectId, 'status', '--file', values, '--title', 'Status', '--status', 'ok');
  const status = await eventually('the second page', async () => {
    const reply = await get(`/pages/${game.projectId}/status`);
    return reply.status === 200 && reply;
  });
  expect(status.text).toContain('"data":{"eu":"up","since":76561198000000001}');
  expect(JSON.parse(await page('list', game.projectId, '--json'))).toMatchObject([
    { slug: 'news', title: 'Patch 1.1 <é>', type: 'markdown', statusLevel: null },
    { slug: 'status', title: 'Status', type: 'keyvalue', statusLevel: 'ok' },
  ]);
  await page('remove', game.projectId, 'status');
  await eventually('it is gone', async () => (await get(`/pages/${game.projectId}/status`)).status === 404);
  expect(JSON.parse(await page('list', game.projectId, '--json'))).toHaveLength(1);
});

test('a browser gets a document that can run nothing', async () => {
  const reply = await get(`/pages/${game.projectId}/news`, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
  expect(reply.text).toContain('<h1>Patch 1.1 &lt;é&gt;</h1>');
});

test('an unknown project and an unknown page are one answer, whatever the address holds', async () => {
  for (const path of [
    'demo-none/news',
    `${game.projectId}/none`,
    `${game.projectId}/..%2Fnews`,
    `${game.projectId}/%00`,
    '%00/news',
    'p%2F/x',
  ]) {
    expect([path, await refused(get(`/pages/${path}`))]).toEqual([path, '404 NOT_FOUND']);
  }
  expect(await refused(get(`/pages/${game.projectId}`))).toBe('404 NOT_FOUND');
  expect(await refused(game.send('POST', `/pages/${game.projectId}/news`, { body: {} }))).toBe('404 NOT_FOUND');
});

test('what is no page is refused by the command, and nothing is written', async () => {
  const file = join(newFolder(), 'x.md');
  writeFileSync(file, 'x');
  for (const words of [
    ['put', game.projectId, 'Bad Slug', '--file', file],
    ['put', game.projectId, 'x', '--file', `${file}.none`],
    ['put', game.projectId, 'x', '--file', '/dev/zero'],
    ['put', game.projectId, 'x', '--file', file, '--type', 'keyvalue'],
    ['put', 'nobody', 'x', '--file', file],
    ['remove', game.projectId, 'none'],
    ['list', 'nobody'],
  ]) {
    const { code, stderr } = await here(['page', ...words, '--data', data]);
    expect([words, code, stderr.includes('    at ')]).toEqual([words, 1, false]);
  }
  expect((await here(['page', 'put', game.projectId, 'x', '--file', file, '--type', 'pdf', '--data', data])).code).toBe(2);
});

test('the canary answers every method without a key, and no cache keeps it', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    for (const path of [
      '/v3/storage/deploy-canary',
      '/v3/storage/deploy-canary/a/b/c',
      '/v3/storage/Deploy-Canary/',
      '/v3/storage/deploy-canary/a//b',
    ]) {
      const reply = await game.send(method, path);
      expect([method, path, reply.status, reply.headers['cache-control']]).toEqual([method, path, 200, 'no-store']);
      expect(reply.body).toEqual({ ok: true, probe: 'deploy-canary', owner: expect.any(String) });
    }
  }
  expect((await game.send('HEAD', '/v3/storage/deploy-canary')).status).toBe(200);
});

test('the server says what it is', async () => {
  const info = Object((await ok(get('/v3/server-info'))).body);
  expect(info).toMatchObject({ kind: 'self-hosted', apiVersions: ['v3'], update: null });
  expect(info.capabilities).toEqual(
    expect.arrayContaining(['records', 'global-records', 'endpoints', 'workflows', 'queries', 'game-values', 'rate-limits']),
  );
  const health = Object((await ok(get('/health'))).body);
  expect(Object.keys(health).sort()).toEqual(['database', 'databaseLatencyMs', 'status', 'version']);
  expect(Number.isInteger(health.databaseLatencyMs)).toBe(true);
});

test('a probe tells a missing document from one that is there, and asks for the same rights as a read', async () => {
  const collection = (id: string, accessMode: string) => ({ id, name: id, collectionType: 'per-platformid', accessMode, schema: {} });
  await ok(game.manage('PUT', game.definitions('collections'), { body: [collection('open', 'public'), collection('shut', 'endpoint')] }));
  const probe = (path: string) => game.play('GET', game.storage(`${path}/probe`));
  expect((await ok(probe('open/1'))).body).toEqual({ ok: true, exists: false });
  await ok(game.play('POST', game.storage('open/1'), { body: { n: 1 } }));
  expect((await ok(probe('OPEN/1'))).body).toEqual({ ok: true, exists: true });
  expect(await refused(probe('shut/1'))).toBe('403 ENDPOINT_ONLY');
  expect(await refused(probe('none/1'))).toBe('404 NOT_FOUND');
  expect(await refused(probe('open/a.b'))).toBe('404 NOT_FOUND');
  expect(await refused(game.play('GET', `/api/storage/${game.projectId}/open/1/probe`))).toBe('404 NOT_FOUND');
  expect(await refused(game.play('GET', `/v1/storage/${game.projectId}/open/1/probe`))).toBe('404 NOT_FOUND');
});

test('the root of the storage routes is 404, and so is a method that a route does not have', async () => {
  for (const path of [
    '/v3/storage',
    '/api/storage',
    '/v1/storage',
    `/v1/storage/${game.projectId}/open/1`,
    '/v3/storage/',
    '/v3/nothing',
  ]) {
    expect([path, await refused(game.play('GET', path))]).toEqual([path, '404 NOT_FOUND']);
  }
  expect(await refused(game.play('PUT', game.storage('open/1'), { body: {} }))).toBe('404 NOT_FOUND');
  expect(await refused(game.play('PATCH', game.storage('open/1'), { body: {} }))).toBe('404 NOT_FOUND');
});
