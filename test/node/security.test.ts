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

const sync = (client: Client, body: object) => client.manage('POST', client.definitions('package-sync'), { body });
const bodyOf = async (reply: Promise<Reply>): Promise<Record<string, unknown>> => Object((await ok(reply)).body);

describe('the game package', () => {
  const seen = async (client: Client) => Object((await bodyOf(client.manage('GET', client.definitions('game-package'))))['gamePackage']);

  test('is what its editor told last, on every node; a revision that the editor does not know is kept', async () => {
    const [one, other] = await newGame();
    expect(await bodyOf(one.manage('GET', one.definitions('game-package')))).toEqual({ ok: true, gamePackage: null });
    const first = await bodyOf(sync(one, { packageIdent: 'org.game', currentRevisionId: 5, latestRevisionId: 6, rawPackage: { size: 1 } }));
    expect(first).toMatchObject({
      ok: true,
      previousRevisionId: null,
      revisionChanged: false,
      promotedRevisionOverrides: { endpointCount: 0, collectionCount: 0, promoted: false },
    });
    const again = await ok(sync(other, { currentRevisionId: null, latestRevisionId: null, packageTitle: 'The Game' }));
    expect(again.body).toMatchObject({ previousRevisionId: 5, revisionChanged: false });
    const position = { 'x-ns-position': String(again.headers['x-ns-position']) };
    const shown = Object(await bodyOf(one.manage('GET', one.definitions('game-package'), { headers: position })))['gamePackage'];
    expect(shown).toMatchObject({
      ...{ packageIdent: 'org.game', packageTitle: 'The Game', currentRevisionId: 5, latestRevisionId: 6, rawPackage: { size: 1 } },
      ...{ publishStatus: 'published', lastSyncedAt: expect.stringMatching(/^\d{4}-.*Z$/), lastSyncedAtUnix: expect.any(Number) },
      revisionFirstSyncedAtUnix: expect.any(Number),
    });
  });

  test('takes what was staged live when the revision changes, not at the first sync, and both in one commit', async () => {
    const [client] = await newGame();
    const stage = (twice: string) => {
      const endpoint = { id: 'fixed', slug: 'fixed', name: 'F', method: 'GET', enabled: true, steps: [], response: { body: { twice } } };
      return ok(client.manage('PATCH', client.definitions('endpoints'), { body: endpoint, headers: { 'x-ns-publish-target': 'next' } }));
    };
    const live = () => refused(client.play('GET', client.endpoint('fixed')));
    await stage('a');
    await ok(sync(client, { currentRevisionId: 5 }));
    await ok(sync(client, { currentRevisionId: 5 }));
    expect(await live()).toBe('404 ENDPOINT_NOT_FOUND');
    expect(await bodyOf(sync(client, { currentRevisionId: 6 }))).toMatchObject({
      previousRevisionId: 5,
      revisionChanged: true,
      promotedRevisionOverrides: { endpointCount: 1, collectionCount: 0, promoted: true },
    });
    expect(await bodyOf(client.play('GET', client.endpoint('fixed')))).toMatchObject({ twice: 'a' });
    await stage('b');
    expect(await bodyOf(sync(client, { currentRevisionId: 4 }))).toMatchObject({
      revisionChanged: true,
      promotedRevisionOverrides: { endpointCount: 1, promoted: true },
    });
    expect(await bodyOf(sync(client, { currentRevisionId: 7 }))).toMatchObject({
      revisionChanged: true,
      promotedRevisionOverrides: { endpointCount: 0, promoted: false },
    });
    expect((await seen(client)).currentRevisionId).toBe(7);
  });

  test('is refused in clear words, and nothing of it is kept', async () => {
    const [client] = await newGame();
    const raw = (text: string) => refused(client.manage('POST', client.definitions('package-sync'), { raw: text }));
    expect(await refused(client.manage('POST', client.definitions('package-sync')))).toBe('400 INVALID_JSON');
    expect(await raw('{"a":')).toBe('400 INVALID_JSON');
    expect(await raw('[]')).toBe('400 INVALID_BODY');
    expect(await raw('{"currentRevisionId":1.5,"packageTitle":"T"}')).toBe('400 INVALID_BODY');
    expect(await raw(`{"rawBundle":"${'x'.repeat(300_000)}"}`)).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(client.play('POST', client.definitions('package-sync'), { body: {} }))).toBe('401 UNAUTHORIZED');
    const limited = ['key', 'create', client.projectId, '--permissions', '{"settings":"rw"}', '--json'];
    const { key } = JSON.parse(await succeed(limited, { env }));
    const headers = { 'x-api-key': key };
    expect(await refused(client.send('POST', client.definitions('package-sync'), { body: {}, headers }))).toBe('403 FORBIDDEN');
    expect(await refused(client.send('GET', client.definitions('game-package'), { headers }))).toBe('403 FORBIDDEN');
    expect(await bodyOf(client.manage('GET', client.definitions('game-package')))).toEqual({ ok: true, gamePackage: null });
  });

  test('is told of to a game that starts, with the public key, and unknown numbers left out', async () => {
    const [client] = await newGame();
    const init = (body: object | undefined, headers = {}) =>
      bodyOf(client.play('POST', client.definitions('revision-init'), { ...(body ? { body } : {}), headers }));
    expect(await init({ revisionId: 4 })).toEqual({ ok: true, playerRevision: 4, revisionOutdated: false, message: expect.any(String) });
    await ok(sync(client, { currentRevisionId: 5, latestRevisionId: 6 }));
    expect(await init({ revisionId: 4, clientType: 'game' })).toMatchObject({
      currentRevisionId: 5,
      latestRevisionId: 6,
      revisionOutdated: true,
    });
    expect(await init(undefined, { 'x-ns-revision-id': '5' })).toMatchObject({ playerRevision: 5, revisionOutdated: false });
    expect(await init([])).not.toHaveProperty('playerRevision');
    expect(await refused(client.play('POST', client.definitions('revision-init'), { raw: '{' }))).toBe('400 INVALID_JSON');
    expect(await refused(client.send('POST', client.definitions('revision-init'), { body: {} }))).toBe('401 UNAUTHORIZED');
  });
});

describe('a game whose revision is outdated', () => {
  const forced = { revisionEnforcementEnabled: true, revisionEnforcementMode: 'force_upgrade' };
  const old = { 'x-ns-revision-id': '4' };
  let client: Client;
  const echo = (headers: object = old, query = 'times=2') =>
    client.play('GET', `${client.endpoint('echo')}?${query}`, { headers: { ...headers } });
  const buy = (headers: object, body: object = {}) =>
    client.play('POST', client.endpoint('buy'), { body: { item: 'axe', ...body }, headers: { ...headers } });
  const document = (method: string, headers: object = old) =>
    client.play(method, client.storage('players/76561198000000001'), {
      headers: { ...headers },
      ...(method === 'POST' ? { body: { gold: 50 } } : {}),
    });

  beforeAll(async () => {
    [client] = await newGame();
    await ok(document('POST'));
    await ok(sync(client, { currentRevisionId: 5 }));
  });

  test('hears nothing of it where nothing is enforced', async () => {
    await change(client, { revisionEnforcementEnabled: false });
    expect(await bodyOf(echo())).not.toHaveProperty('_revisionStatus');
  });

  test('is warned in every answer of an endpoint, refusals too, and in no document', async () => {
    await change(client, { revisionEnforcementEnabled: true, revisionEnforcementMode: 'allow_continue' });
    const status = { isOutdatedRevision: true, playerRevision: 4, currentRevision: 5, action: 'warn', graceExpired: false };
    expect(await bodyOf(echo())).toMatchObject({ ok: true, twice: 4, _revisionStatus: status });
    const failed = await echo(old, 'times=many');
    expect([failed.status, failed.body]).toMatchObject([400, { ok: false, error: { code: 'INVALID_INPUT' }, _revisionStatus: status }]);
    expect(await bodyOf(buy({}, { security: { revisionId: 4 } }))).toMatchObject({ ok: true, _revisionStatus: status });
    expect(await bodyOf(echo({ 'x-ns-revision-id': '5' }))).toMatchObject({ _revisionStatus: { isOutdatedRevision: false, action: null } });
    for (const headers of [{}, { 'x-ns-revision-id': 'new' }, { 'x-ns-revision-id': '0' }, { 'x-ns-revision-id': '-4' }]) {
      expect(await bodyOf(echo(headers))).not.toHaveProperty('_revisionStatus');
    }
    expect(await bodyOf(document('GET'))).not.toHaveProperty('_revisionStatus');
  });

  test('is let read alone after its grace, and is told why in an answer that it can read', async () => {
    await change(client, { ...forced, revisionPostGraceAction: 'block_writes' });
    const blocked = await buy(old);
    expect([blocked.status, blocked.body]).toMatchObject([
      200,
      { ok: false, status: 426, error: { code: 'REVISION_OUTDATED' }, _revisionStatus: { action: 'block_writes', graceExpired: true } },
    ]);
    expect(await bodyOf(echo())).toMatchObject({ ok: true, _revisionStatus: { action: 'block_writes' } });
    expect(await refused(document('POST'))).toBe('409 REVISION_OUTDATED');
    expect(await refused(document('DELETE'))).toBe('409 REVISION_OUTDATED');
    await ok(document('GET'));
    await ok(document('POST', {}));
    await ok(buy({ 'x-ns-revision-id': '5' }));
  });

  test('is let do nothing where the project says so, but ask what is current', async () => {
    await change(client, { ...forced, revisionPostGraceAction: 'block_all' });
    expect((await echo()).body).toMatchObject({ ok: false, error: { code: 'REVISION_OUTDATED' } });
    expect(await refused(document('GET'))).toBe('409 REVISION_OUTDATED');
    for (const path of [`/v3/queries/${client.projectId}/top`, `/v3/values/${client.projectId}`, client.storage('towns/list')]) {
      expect(await refused(client.play('GET', path, { headers: old }))).toBe('409 REVISION_OUTDATED');
    }
    await ok(client.play('POST', client.definitions('revision-init'), { body: {}, headers: old }));
    await ok(client.play('GET', client.storage('rate-limits'), { headers: old }));
    await configOf(client);
  });

  test('goes on where a newer package gives it grace again', async () => {
    await change(client, { ...forced, revisionGracePeriodMinutes: 10 });
    await ok(sync(client, { currentRevisionId: 6 }));
    expect(await bodyOf(echo())).toMatchObject({ _revisionStatus: { action: 'warn', graceRemainingMinutes: 10, currentRevision: 6 } });
  });
});

test('what was told of packages and revisions is in the log, and the tables say the same', async () => {
  expect(JSON.parse(await succeed(['verify', '--json'], { env }))).toMatchObject({ ok: true, problems: [] });
});
