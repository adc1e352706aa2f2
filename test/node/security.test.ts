import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseCredentials } from '../../infra/harness/project.ts';
import { canonicalJson, isObject, parseJson } from '../../src/kernel/json.ts';
import { testDatabase } from '../support/postgres.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, ok, type Reply, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** The security of a project as its clients meet it, over two nodes on one database. */

let env: { readonly DATABASE_URL: string };
let nodes: readonly Node[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await testDatabase() };
  await succeed(['migrate'], { env });
  nodes = await Promise.all([1, 2].map(() => startNode(newFolder(), { env, args: ['--no-demo'] })));
});

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

/** A new project with the small game, and a client of each node. */
async function newGame(): Promise<readonly [Client, Client]> {
  const project = parseCredentials(JSON.parse(await succeed(['project', 'create', 'Secured', '--json'], { env })));
  const [one, other] = nodes.map(({ url }) => createClient(url, project));
  if (!one || !other) throw new Error('two nodes were started');
  clients.push(one, other);
  await publishGame(one);
  return [one, other];
}

const change = (client: Client, settings: object) => ok(client.manage('PUT', client.definitions('settings'), { body: settings }));
const configOf = (client: Client, query = '') => ok(client.send('GET', `/v3/security-config/${client.projectId}${query}`));

/** The parts of a config reply, taken from its text as the client takes them. */
function signedParts(reply: Reply) {
  const body = parseJson(reply.text);
  const config = isObject(body) ? body['config'] : null;
  if (!isObject(config)) throw new Error(`no config in ${reply.text}`);
  const { signature = '', signing = null, ...rest } = config;
  if (!isObject(signing)) throw new Error('a config names its key');
  return {
    config: { ...rest, signing },
    signing,
    signature: String(signature),
    settings: rest['settings'] ?? null,
    version: rest['configVersion'],
  };
}

describe('the security configuration', () => {
  test('is signed with the key that it shows, in 2048 bits, and its version is the hash of its settings', async () => {
    const [client] = await newGame();
    await change(client, { enableAuthSessions: true, analytics: { captureErrors: false, allowedEventTypes: ['böss <1>'] } });
    const { config, signing, signature, settings } = signedParts(await configOf(client));
    const jwk = signing['publicKeyJwk'];
    const key = createPublicKey({ key: JSON.parse(JSON.stringify(jwk)), format: 'jwk' });
    expect(verify('sha256', Buffer.from(canonicalJson(config)), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(signature).not.toContain('=');
    expect(config).toMatchObject({
      projectId: client.projectId,
      configVersion: createHash('sha256').update(canonicalJson(settings)).digest('hex').slice(0, 16),
      settings: { analytics: { captureErrors: false, allowedEventTypes: ['böss <1>'] } },
    });
  });

  test('has one key on every node', async () => {
    const [one, other] = await newGame();
    expect(signedParts(await configOf(one)).signing).toEqual(signedParts(await configOf(other)).signing);
  });

  test('shows a changed setting at once on the node that changed it, and, asked for anew, on every other', async () => {
    const [one, other] = await newGame();
    for (const enableAuthSessions of [true, false, true]) {
      await configOf(other);
      await change(one, { enableAuthSessions });
      // A node looks at the end of the log five times a second at most, whoever asks.
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(signedParts(await configOf(one)).settings).toMatchObject({ enableAuthSessions });
      expect(signedParts(await configOf(other, '?refresh=1')).settings).toMatchObject({ enableAuthSessions });
    }
  });

  test('is 404 for a project that is not there, or no more', async () => {
    const [client] = await newGame();
    for (const id of ['nobody', 'a'.repeat(200), '..%2f']) {
      expect(await refused(client.send('GET', `/v3/security-config/${id}`))).toBe('404 SECURITY_CONFIG_NOT_FOUND');
    }
    await succeed(['project', 'delete', client.projectId, '--yes'], { env });
    expect(await refused(client.send('GET', `/v3/security-config/${client.projectId}?refresh=1`))).toBe('404 SECURITY_CONFIG_NOT_FOUND');
  });
});

describe('a project that wants sealed requests', () => {
  const block = { configVersion: '', clientMode: 'legacy', authSessions: 'disabled', encryptedRequests: 'disabled', revisionId: 0 };
  const mode = { 'x-ns-security-mode': 'legacy' };
  let client: Client;
  const call = (body: object, headers = {}) => client.play('POST', client.endpoint('echo'), { body, headers });

  beforeAll(async () => {
    [client] = await newGame();
    await change(client, { enableEncryptedRequests: true });
  });

  test.each([
    ['a security block', { times: 2, security: block }, {}],
    ['a security mode', { times: 2 }, mode],
  ])('tells a library that sent %s what it expects, in an answer that a game can read', async (_, body, headers) => {
    const reply = await call(body, headers);
    const { version } = signedParts(await configOf(client, '?refresh=1'));
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ok: false,
        status: 409,
        message: expect.any(String),
        error: {
          code: 'SECURITY_ENCRYPTION_REQUIRED',
          message: expect.any(String),
          requestId: expect.any(String),
          security: { configVersion: version, expected: { authSessions: 'disabled', encryptedRequests: 'required' } },
        },
      },
    ]);
  });

  test('takes plain what never is sealed: no library, GET, a server, a host for its player', async () => {
    await ok(call({ times: 2 }));
    await ok(client.play('GET', `${client.endpoint('echo')}?times=2`, { headers: mode }));
    await ok(client.manage('POST', client.endpoint('echo'), { body: { times: 2, security: block }, headers: mode }));
    await ok(call({ times: 2 }, { 'x-on-behalf-of': '76561198000000002' }));
  });

  test('has security blocks of any shape', async () => {
    for (const security of [null, true, 7, 'editor', [], [{}]]) await ok(call({ times: 2, security }));
    await change(client, { enableEncryptedRequests: false });
    for (const security of [{ clientMode: { editor: true } }, { revisionId: 'x' }, {}]) await ok(call({ times: 2, security }, mode));
    await change(client, { enableEncryptedRequests: true });
  });
});
