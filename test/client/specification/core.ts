import { expect, vi } from 'vitest';
import * as library from '../../../src/client/index.ts';
import type { Game } from '../support.ts';
import { network } from '../support.ts';
import type { Tries } from './support.ts';

/** Configuration, calls, documents, records, queries, proxying, and what secures requests. */

const { createClient, createEncryptedRequestId, parseEncryptedRequestId, answerGuest, configurationOf, guestRelay, saveState } = library;

async function rich(game: Game, options: library.ClientOptions = {}): Promise<library.Client> {
  return createClient({ ...game.options, player: await game.newRich(), ...options });
}

export const CORE: Tries = {
  BaseUrl: ({ options }) => {
    expect(configurationOf(createClient({ ...options, url: 'https://play.example.com/' })).baseUrl).toBe('https://play.example.com');
  },
  ApiVersion: ({ options }) => {
    expect(configurationOf(createClient(options)).apiVersion).toBe('v3');
    expect(() => createClient({ ...options, apiVersion: 'v1' })).toThrow('`apiVersion` must be one of v3');
  },
  ProjectId: ({ options }) => {
    expect(configurationOf(createClient(options)).projectId).toBe(options.projectId);
  },
  ApiKey: ({ options }) => {
    expect(configurationOf(createClient(options)).publicKey).toBe(options.publicKey);
  },
  EnableAuthSessions: async (game) => {
    const client = await rich(game, { sessions: true });
    expect(configurationOf(client).authSessions).toEqual({ option: true, server: null });
    await client.security.load();
    expect(configurationOf(client).authSessions).toEqual({ option: true, server: false });
  },
  EnableEncryptedRequests: async (game) => {
    const client = await rich(game);
    expect(configurationOf(client).encryptedRequests).toEqual({ option: false, server: null });
    await client.security.load();
    expect(configurationOf(client).encryptedRequests).toEqual({ option: false, server: false });
  },
  ProxyEnabled: async (game) => {
    const [host, guest] = [await rich(game), await rich(game)];
    guest.relay = guestRelay(guest, (request) => answerGuest(host, request, guest.player?.id ?? ''));
    expect([configurationOf(host).proxyEnabled, configurationOf(guest).proxyEnabled]).toEqual([false, true]);
  },
  IsHost: async (game) => {
    const [host, guest] = [await rich(game), await rich(game)];
    guest.relay = guestRelay(guest, (request) => answerGuest(host, request, guest.player?.id ?? ''));
    expect([configurationOf(host).isHost, configurationOf(guest).isHost]).toEqual([true, false]);
  },
  'Save state: Idle, Saving, Saved, Error': async (game) => {
    const client = await rich(game);
    const saves = saveState(client);
    const seen = [saves.status];
    saves.onChange(({ status }) => seen.push(status));
    await client.documents('players').save({ gold: 1 });
    await client.tryCall('buy', { item: 'castle' });
    expect(seen).toEqual(['idle', 'saving', 'saved', 'saving', 'error']);
  },
  IsBusy: async (game) => {
    const client = await rich(game);
    const saves = saveState(client);
    const saving = client.call('buy', { item: 'axe' });
    expect(saves.isBusy).toBe(true);
    await saving;
    expect(saves.isBusy).toBe(false);
  },
  LastError: async (game) => {
    const client = await rich(game);
    const saves = saveState(client);
    await client.tryCall('buy', { item: 'castle' });
    expect(saves.lastError).toMatchObject({ code: 'NO_ITEM', message: 'There is no castle.' });
    await client.call('buy', { item: 'axe' });
    expect(saves.lastError).toBeNull();
  },
  ApiRoot: ({ options }) => {
    expect(createClient({ ...options, url: 'https://play.example.com/' }).apiRoot).toBe('https://play.example.com/v3');
  },
  PublishTarget: async (game) => {
    const { fetch, sent } = network();
    const client = await rich(game, { fetch });
    expect(client.publishTarget).toBe('live');
    client.publishTarget = 'next';
    await client.values();
    await client.documents('players').get();
    await client.call('buy', { item: 'axe' });
    const told = sent.filter(({ path }) => !path.includes('security-config')).map(({ headers }) => headers['x-ns-publish-target']);
    expect(told).toEqual(['next', 'next', 'next']);
  },
  IsConfigured: ({ options }) => {
    expect([createClient({ url: options.url }).isConfigured, createClient(options).isConfigured]).toEqual([false, true]);
  },
  'Secret key: only on dedicated servers': async ({ options, manager }) => {
    const { secretKey } = manager;
    const { fetch, sent } = network();
    for (const clientType of ['game', undefined] as const)
      expect(() => createClient({ ...options, secretKey, ...(clientType && { clientType }) })).toThrow('must not be in a game');
    const server = createClient({ ...options, fetch, clientType: 'dedicated', secretKey });
    await server.documents('vault').save({ n: 1 }, { key: 'ada' });
    await server.query('top');
    await server.as('ada').tryCall('buy', { item: 'axe' });
    expect(sent.filter(({ headers }) => headers['x-secret-key'] !== secretKey)).toEqual([]);
  },
  '+network_storage_secret_key': () => {
    const { argv } = process;
    process.argv = [...argv, '+network_storage_secret_key', 'sp_sk_flag'];
    try {
      expect(library.credentials().secretKey).toBe('sp_sk_flag');
    } finally {
      process.argv = argv;
    }
  },
  'Validation of the key uses the management API': async ({ options }) => {
    const { fetch, sent } = network();
    const client = createClient({ ...options, fetch, clientType: 'dedicated', secretKey: 'sp_sk_wrong' });
    await expect(client.values()).rejects.toMatchObject({ code: 'SECRET_KEY_INVALID' });
    expect(sent.map(({ path }) => path)).toEqual([`/v3/manage/${options.projectId}/validate`]);
  },
  CdnUrl: async (game) => {
    const { fetch, sent } = network();
    const client = createClient({ ...game.options, fetch, cdnUrl: `${game.options.url}/`, player: await game.newRich() });
    expect(configurationOf(client).cdnUrl).toBe(`${game.options.url}/`);
    expect(await client.documents('players').get()).toMatchObject({ gold: 10 });
    expect(sent[0]?.headers['x-platform-id']).toBeUndefined();
    expect(sent[0]?.headers['x-public-key']).toBe(game.options.publicKey);
  },
  'LibraryVersion, PackageVersion': async ({ options }) => {
    const { fetch, sent } = network();
    expect(library.LIBRARY_VERSION).toMatch(/^\d+\.\d+\.\d+$/);
    await library.analyticsOf(createClient({ ...options, fetch })).track('level_done');
    expect(JSON.parse(sent.at(-1)?.body ?? '')).toMatchObject({ libraryVersion: library.LIBRARY_VERSION });
  },
  MinServerVersion: async ({ options }) => {
    const { version } = await createClient(options).serverInfo();
    expect(version.localeCompare(library.MIN_SERVER_VERSION, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  },
  'capability checks': async ({ options }) => {
    const client = createClient(options);
    expect([await client.supports('live'), await client.supports('teleport')]).toEqual([true, false]);
    expect((await client.serverInfo()).capabilities).toContain('live');
  },
  'x-ns-library-version, x-ns-client-type': async ({ options }) => {
    const { fetch, sent } = network();
    await createClient({ ...options, fetch, clientType: 'editor' }).values();
    expect(sent[0]?.headers).toMatchObject({ 'x-ns-library-version': library.LIBRARY_VERSION, 'x-ns-client-type': 'editor' });
  },
  'CallEndpoint(slug, input)': async (game) => {
    const client = await rich(game);
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ price: 7 });
    const address = `https://dashboard.example.com/v3/endpoints/${game.options.projectId}/buy` as const;
    expect(await client.tryCall(address, { item: 'axe' })).toMatchObject({ ok: false, error: { code: 'TOO_POOR' } });
  },
  'TryGetLastEndpointError(slug)': async (game) => {
    const client = await rich(game);
    await client.tryCall('buy', { item: 'castle' });
    expect(client.lastError('buy')).toMatchObject({ code: 'NO_ITEM', message: 'There is no castle.' });
  },
  'get game values': async (game) => {
    expect((await createClient(game.options).values()).constants).toEqual({ shop: { axe: 7 } });
  },
  'get a document': async (game) => {
    expect(await (await rich(game)).documents('players').get()).toMatchObject({ gold: 10 });
  },
  'save a document (set)': async (game) => {
    const players = (await rich(game)).documents('players');
    await players.save({ gold: 3 });
    expect(await players.get()).toMatchObject({ gold: 3 });
  },
  'update a document (patch)': async (game) => {
    const players = (await rich(game)).documents('players');
    await players.update([library.inc('gold', 5)]);
    expect(await players.get()).toMatchObject({ gold: 15 });
  },
  DeleteDocument: async (game) => {
    const client = await rich(game);
    await client.documents('players').delete();
    expect(await client.documents('players').get()).toBeNull();
    expect(await client.documents('meters').tryDelete()).toMatchObject({ ok: false, error: { code: 'RECORD_DELETE_DISABLED' } });
  },
  'list save records': async (game) => {
    expect((await (await rich(game)).records('slots').list()).records).toEqual([]);
  },
  'create a save record': async (game) => {
    expect(await (await rich(game)).records('slots').create('Camp')).toMatchObject({ recordName: 'Camp' });
  },
  'rename a save record': async (game) => {
    const slots = (await rich(game)).records('slots');
    const { recordId } = await slots.create('Camp');
    expect(await slots.rename(recordId, 'Old camp')).toMatchObject({ recordId, recordName: 'Old camp' });
  },
  'delete a save record': async (game) => {
    const slots = (await rich(game)).records('slots');
    await slots.delete((await slots.create('Camp')).recordId);
    expect((await slots.list()).records).toEqual([]);
  },
  'run a query (get)': async (game) => {
    const client = createClient(game.options);
    expect(await client.query('top')).toMatchObject({ type: 'leaderboard' });
    expect(await client.leaderboard('top')).toMatchObject({ entries: expect.any(Array) });
  },
  'NetworkStorageOperation.Set': () => {
    expect(library.set('name', 'Ada', { source: 'form', reason: 'renamed' })).toMatchObject({ op: 'set', path: 'name', reason: 'renamed' });
  },
  'NetworkStorageOperation.Increment': () => {
    expect(library.inc('gold', 5, { reason: 'found' })).toMatchObject({ op: 'inc', path: 'gold', value: 5, reason: 'found' });
  },
  'NetworkStorageOperation.Push': () => {
    expect(library.push('items', 'axe')).toMatchObject({ op: 'push', path: 'items', value: 'axe' });
  },
  'NetworkStorageOperation.Pull': () => {
    expect(library.pull('items', { id: 1 })).toMatchObject({ op: 'pull', path: 'items', match: { id: 1 } });
  },
  'NetworkStorageOperation.Remove': () => {
    expect(library.remove('items', 'axe')).toMatchObject({ op: 'remove', path: 'items', value: 'axe' });
  },
  'CreateEncryptedRequestId()': () => {
    const id = createEncryptedRequestId();
    expect(id).toMatch(/^\d{10}_.{6,}$/);
    expect(parseEncryptedRequestId(id)?.unixSeconds).toBeGreaterThan(1_700_000_000);
    expect(parseEncryptedRequestId('1760000000_ab_d-f')).toEqual({ unixSeconds: 1_760_000_000, random: 'ab_d-f' });
  },
  Proxying: async (game) => {
    const { fetch, sent } = network();
    const host = await rich(game, { fetch });
    const guest = await rich(game);
    const id = guest.player?.id ?? '';
    guest.relay = guestRelay(guest, (request) => answerGuest(host, request, id));
    expect(await guest.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
    expect(await guest.documents('players').get()).toMatchObject({ gold: 3 });
    const signed = sent.map(({ headers }) => headers['x-proxy-signature']);
    expect([signed.length, new Set(signed).size]).toEqual([2, 2]);
  },
  IsSecurityConfigMismatchCode: async (game) => {
    const client = await rich(game);
    const recovered = vi.spyOn(client.security, 'recover');
    await game.change({ enableEncryptedRequests: false });
    await client.security.load();
    await game.change({ enableEncryptedRequests: true });
    try {
      expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: 3 });
      expect(recovered).toHaveBeenCalled();
    } finally {
      await game.change({ enableEncryptedRequests: false });
    }
  },
};
