import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Opened, openNode, proofOf, settings } from '../app/security/support.ts';
import { ok, refused } from './support/game-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What players reach of a project through the target `next`, over HTTP. */

const ADA = '76561198000000001';
const NEXT = { 'x-ns-publish-target': 'next' };
const VAULT = { id: 'vault', name: 'vault', accessMode: 'private' };
const TOP = { id: 'vault_top', name: 'vault_top', sources: [{ collectionId: 'vault' }], config: { field: 'gold', columns: ['gold'] } };

let node: Opened;

beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  await ok(game.manage('PUT', game.definitions('collections'), { body: [VAULT] }));
  await ok(game.manage('POST', game.definitions('queries'), { body: [{ ...TOP, requiresSecretKey: true }] }));
  await ok(game.manage('POST', game.storage(`vault/${ADA}`), { body: { gold: 7 } }));
});
afterAll(() => node?.close());

const asked = (method: string, path: string, headers: Record<string, string> = {}, player: string | null = ADA) =>
  node.game.play(method, path, { headers: { ...NEXT, ...headers }, once: true }, player);

test('a closed collection and a closed query that are staged as public open at their promotion, and not before', async () => {
  const { game } = node;
  await ok(game.manage('PUT', game.definitions('collections'), { body: [{ ...VAULT, accessMode: 'public' }], headers: NEXT }));
  const pushed = await ok(
    game.manage('POST', game.definitions('queries'), { body: [{ ...TOP, requiresSecretKey: false }], headers: NEXT }),
  );
  expect(pushed.text).toContain('ACCESS_WIDENED');
  const query = `/v3/queries/${game.projectId}/vault_top`;
  expect(await refused(asked('GET', game.storage(`vault/${ADA}`)))).toBe('403 ENDPOINT_ONLY');
  expect(await refused(asked('GET', query))).toMatch(/SECRET_KEY_REQUIRED$/);
  await ok(game.manage('GET', game.storage(`vault/${ADA}`), { headers: NEXT }));
  expect((await ok(game.manage('GET', game.definitions('diff')))).body).toMatchObject({
    changes: expect.arrayContaining([expect.objectContaining({ id: 'vault', opens: expect.any(Array) })]),
  });
  const promoted = await ok(game.manage('POST', game.definitions('promote'), { body: {} }));
  expect(promoted.body).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ code: 'ACCESS_WIDENED', id: 'vault' })]),
  });
  await ok(asked('GET', game.storage(`vault/${ADA}`)));
  await ok(asked('GET', query));
});

test('nextAccess closes next on every route to public keys, or to whoever is no player', async () => {
  const { game } = node;
  const routes = [
    ...[game.storage(`vault/${ADA}`), game.storage(`vault/${ADA}/ledger`), game.storage('feed/list'), `/v3/values/${game.projectId}`],
    ...[`/v3/queries/${game.projectId}/vault_top`, `/v3/endpoints/${game.projectId}/nothing`],
  ];
  await settings(game, { nextAccess: 'keys' });
  for (const path of routes) expect([path, await refused(asked('GET', path))]).toEqual([path, '403 FORBIDDEN']);
  await settings(game, { nextAccess: 'players' });
  const values = `/v3/values/${game.projectId}`;
  expect(await refused(asked('GET', values, {}, null))).toBe('400 MISSING_PLATFORM_ID');
  await ok(asked('GET', values));
  await settings(game, { requirePlayerAuth: true });
  expect(await refused(asked('GET', values))).toBe('401 PLATFORM_AUTH_FAILED');
  await ok(asked('GET', values, proofOf(ADA)));
  await settings(game, { nextAccess: 'anyone', requirePlayerAuth: false });
  await ok(asked('GET', values, {}, null));
});
