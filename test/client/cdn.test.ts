import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClient, fileStorage } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/options.ts';

/** Which host is asked for what, and what it is told of the player. */

interface Asked {
  readonly host: string;
  readonly path: string;
  /** What names or proves the player, or is secret. */
  readonly told: readonly string[];
}

const TELLING = ['x-platform-id', 'x-platform-token', 'x-auth-session', 'x-secret-key', 'x-api-key'];
const missing = { ok: false, error: { code: 'NOT_FOUND', missing: 'document', message: 'No document under this key' } };
const refused = (code: string) => ({ ok: false, error: { code, message: code } });

/** A client with a CDN, whose answers are status and body. */
function withCdn(options: ClientOptions, cdn: readonly [status: number, body: unknown] = [200, {}]) {
  const asked: Asked[] = [];
  const fetch = async (url: string, { headers }: RequestInit) => {
    const { hostname: host, pathname: path } = new URL(url);
    asked.push({ host, path, told: TELLING.filter((name) => new Headers(headers).has(name)) });
    const [status, body] = host === 'cdn.example' ? cdn : [200, { gold: 1 }];
    return Response.json(body, { status });
  };
  const own = {
    url: 'https://game.example',
    cdnUrl: 'https://cdn.example',
    projectId: 'p',
    publicKey: 'sp_ns_x',
    player: 'ada',
    retries: 0,
  };
  return { asked, client: createClient({ ...own, ...options, fetch }) };
}

const hostsOf = (asked: readonly Asked[]) => asked.map(({ host, told }) => `${host} ${told.join()}`.trim());
const PROVEN = { player: { id: 'ada', token: 'a token' } };
const GUEST = { player: { id: 'guest-1', token: `ns_guest_${'a'.repeat(43)}` } };

it.each([
  ['a named player', {}],
  ['a proven player', PROVEN],
  ['the secret of a guest’s device', GUEST],
])('with %s the CDN is asked for a document with the public key alone, and for nothing else', async (_what, options) => {
  const { client, asked } = withCdn(options);
  await client.documents('players').get();
  await client.documents('players').tryLedger();
  await client.records('slots').tryList();
  await client.tryQuery('top', { own: true });
  await client.documents('players').trySave({});
  expect(hostsOf(asked.slice(0, 1))).toEqual(['cdn.example']);
  expect(new Set(asked.slice(1).map(({ host }) => host))).toEqual(new Set(['game.example']));
});

it.each([
  [401, refused('PLATFORM_AUTH_FAILED')],
  [403, refused('ENDPOINT_ONLY')],
  [400, refused('MISSING_PLATFORM_ID')],
  [404, { message: 'no such bucket' }],
])('a document that the CDN refuses with %i is asked for at the server, which is told who asks; the next one at once', async (...cdn) => {
  const { client, asked } = withCdn(PROVEN, cdn);
  expect(await client.documents('players').get()).toEqual({ gold: 1 });
  await client.documents('players').get({ key: 'bo' });
  await client.documents('towns').get({ key: 'market' });
  const own = 'game.example x-platform-id,x-platform-token';
  expect(hostsOf(asked)).toEqual(['cdn.example', own, own, 'cdn.example', own]);
});

it('a document that is not there is not asked for twice', async () => {
  const { client, asked } = withCdn({}, [404, missing]);
  expect(await client.documents('players').get()).toBeNull();
  expect(hostsOf(asked)).toEqual(['cdn.example']);
});

it('what is staged is asked for at the server', async () => {
  const { client, asked } = withCdn({ publishTarget: 'next' });
  await client.documents('players').get();
  expect(hostsOf(asked)).toEqual(['game.example x-platform-id']);
});

it('a dedicated server asks the server, with its key', async () => {
  const { client, asked } = withCdn({ clientType: 'dedicated', secretKey: 'sp_sk_x' });
  await client.documents('players').get();
  expect(new Set(asked.map(({ host }) => host))).toEqual(new Set(['game.example']));
});

it.each(['cdn.example', 'ftp://cdn.example', 'file:///documents'])('%s is no cdnUrl, and nothing is sent', async (cdnUrl) => {
  const { client, asked } = withCdn({ cdnUrl });
  expect(await client.documents('players').tryGet()).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('`cdnUrl`') },
  });
  expect(asked).toEqual([]);
});

it.each([
  ['a secret key', { secretKey: 'sp_sk_x' }],
  ['a secret key of a game that says so', { secretKey: 'sp_sk_x', clientType: 'game' } as const],
  ['a secret key that was given as the public one', { publicKey: 'sp_sk_x' }],
  ['one without a prefix', { publicKey: `sk_${'a'.repeat(48)}` }],
  ['one under a prefix without a line', { publicKey: `game1sk_${'a'.repeat(48)}` }],
])('a client that is no dedicated server is not made with %s', (_what, options) => {
  expect(() => withCdn(options)).toThrow("a dedicated server says so: `clientType: 'dedicated'`");
  const { client } = withCdn({});
  expect(() => client.configure(options)).toThrow('must not be in a game');
  expect(client.isConfigured).toBe(true);
});

it('a public key is none, whatever it begins with', () => {
  expect(withCdn({ publicKey: `risk_ns_${'a'.repeat(48)}` }).client.isConfigured).toBe(true);
});

it('a game does not take the secret key that lies beside it; one that its own code gives is refused', async () => {
  const credentials = () => ({ secretKey: 'sp_sk_x' });
  const { client, asked } = withCdn({ publicKey: '', credentials });
  expect(await client.tryValues()).toMatchObject({ ok: false, error: { code: 'SECRET_EXPOSED' } });
  expect(asked).toEqual([]);
});

it('what is kept in files, such as the secret of a guest’s device, only the user may read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  await fileStorage(folder).setItem('a', 'b');
  await fileStorage(folder).setItem('a', 'c');
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
  rmSync(folder, { recursive: true });
});
