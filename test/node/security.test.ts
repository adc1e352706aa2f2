import { createHash, createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canonicalJson, isObject, parseJson } from '../../src/kernel/json.ts';
import { type Seal, seal } from '../domain/security/seal.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey, newProject, printed, verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { bodyOf, type Client, createClient, ok, PLAYER, type Reply, refused, wireText } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** The security of a project as its clients meet it, over two nodes on one database. */

let env: { readonly DATABASE_URL: string };
let nodes: readonly Node[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  nodes = await Promise.all([1, 2].map(() => startNode(newFolder(), { env, args: ['--no-demo'] })));
});

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

/** A new project with the small game, and a client of each node. */
async function newGame(): Promise<readonly [Client, Client]> {
  const project = await newProject(env, 'Secured');
  const [one, other] = nodes.map(({ url }) => createClient(url, project));
  if (!one || !other) throw new Error('two nodes were started');
  clients.push(one, other);
  await publishGame(one);
  return [one, other];
}

const change = (client: Client, settings: object) => ok(client.manage('PUT', client.definitions('settings'), { body: settings }));
const configOf = (client: Client, query = '') => ok(client.send('GET', `/v3/security-config/${client.projectId}${query}`));

/** The parts of a config reply, cut from its text as the client does it. */
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
      // A node looks at the end of the log at most five times a second, however many ask.
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(signedParts(await configOf(one)).settings).toMatchObject({ enableAuthSessions });
      expect(signedParts(await configOf(other, '?refresh=1')).settings).toMatchObject({ enableAuthSessions });
    }
  });

  test('is 404 for a project that is not there, or no more', async () => {
    const [client] = await newGame();
    for (const id of ['nobody', 'a'.repeat(200), '..%2f']) {
      const missing = client.send('GET', `/v3/security-config/${id}`);
      expect(await refused(missing)).toBe('404 SECURITY_CONFIG_NOT_FOUND');
      expect((await missing).headers['x-security-config-source']).toBe('missing');
    }
    await printed(['project', 'delete', client.projectId, '--yes'], { env });
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

describe('a sealed request', () => {
  let one: Client;
  let other: Client;
  let count = 0;

  beforeAll(async () => {
    [one, other] = await newGame();
    await change(one, { enableEncryptedRequests: true });
    await ok(one.play('POST', one.storage(`players/${PLAYER}`), { body: { gold: 500 } }));
  });

  const now = () => Math.floor(Date.now() / 1000);
  const newId = (seconds = now()) => {
    count += 1;
    return `${seconds}_${count.toString(16).padStart(32, '0')}`;
  };
  const block = { configVersion: '', clientMode: 'encrypted', authSessions: 'disabled', encryptedRequests: 'required', revisionId: 0 };

  /** The body that the client library sends for an input. */
  function sealedBody(slug: string, input: object, of: Partial<Seal> & { readonly id?: string } = {}) {
    const { id = newId(), ...changes } = of;
    const plain = wireText({ ...input, security: block, encryptedRequestId: id, _endpointSlug: slug });
    const { publicKey, projectId } = one;
    return { security: block, encrypted: true, envelope: seal({ publicKey, projectId, identity: PLAYER, plain, ...changes }) };
  }
  const call = (client: Client, slug: string, body: object, headers = {}) =>
    client.play('POST', client.endpoint(slug), { body, headers: { 'x-ns-security-mode': 'encrypted', ...headers } });
  const echo = (of: Parameters<typeof sealedBody>[2] = {}, headers = {}) =>
    call(one, 'echo', sealedBody('echo', { times: 2 }, of), headers);

  test.each([true, false])('runs with what is inside, and is answered in plain: published names %s', async (published) => {
    const word = 'Łukasz <b> & "日本"';
    const body = sealedBody('echo', { times: 3, word, token: 'never input' }, { published });
    expect((await ok(call(one, 'echo', body))).body).toEqual({ ok: true, twice: 6, word });
  });

  test('is done once: again, on another node, or at the same time on both', async () => {
    const body = sealedBody('buy', { item: 'axe' });
    await ok(call(one, 'buy', body));
    for (const client of [one, other]) expect(await refused(call(client, 'buy', body))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
    for (let round = 0; round < 5; round += 1) {
      const raced = sealedBody('buy', { item: 'axe' });
      const replies = await Promise.all([one, other, one, other].map((client) => call(client, 'buy', raced)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    }
    const { gold } = Object((await ok(one.play('GET', one.storage(`players/${PLAYER}`)))).body);
    expect(gold).toBe(500 - 6 * 7);
  });

  test('that fails is used up, too', async () => {
    const body = sealedBody('buy', { item: 'nothing' });
    expect(await refused(call(one, 'buy', body))).toBe('404 NO_ITEM');
    expect(await refused(call(other, 'buy', body))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
    const missing = sealedBody('missing', {});
    expect(await refused(call(one, 'missing', missing))).toBe('404 ENDPOINT_NOT_FOUND');
    expect(await refused(call(one, 'missing', missing))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
  });

  test('is refused with an id that is old, early, or none', async () => {
    for (const seconds of [now() - 200, now() + 200])
      expect(await refused(echo({ id: newId(seconds) }))).toBe('400 ENCRYPTED_REQUEST_STALE');
    for (const id of ['', 'x', '1_abcdef', `${now()}_abc`, `${now()}_abc.def`]) {
      expect(await refused(echo({ id }))).toBe('400 ENCRYPTED_REQUEST_INVALID_ID');
    }
  });

  test('is refused for another player, project, endpoint or key, and where a character is another', async () => {
    const wrong = '401 REQUEST_SIGNATURE_INVALID';
    expect(await refused(echo({ identity: '76561198000000009' }))).toBe(wrong);
    expect(await refused(echo({ projectId: 'other' }))).toBe(wrong);
    expect(await refused(echo({ publicKey: 'sp_ns_other' }))).toBe(wrong);
    expect(await refused(echo({ plain: '{"a":' }))).toBe(wrong);
    expect(await refused(call(one, 'echo', sealedBody('buy', { times: 2 })))).toBe(wrong);
    const { envelope, ...rest } = sealedBody('echo', { times: 2 });
    expect(await refused(call(one, 'echo', { ...rest, envelope: { ...envelope, nonce: 'another1' } }))).toBe(wrong);
    expect(await refused(call(one, 'echo', { encrypted: true }))).toBe(wrong);
    expect(await refused(echo({ sessionId: 'a'.repeat(32) }))).toBe('200 AUTH_SESSION_REQUIRED');
  });

  test('is good from a host for its player, and from a server in any name', async () => {
    const player = '76561198000000007';
    await ok(echo({ identity: player }, { 'x-on-behalf-of': player }));
    const body = sealedBody('echo', { times: 2 }, { identity: '0' });
    await ok(one.manage('POST', one.endpoint('echo'), { body }));
    expect(await refused(one.manage('POST', one.endpoint('echo'), { body }))).toBe('409 ENCRYPTED_REQUEST_REPLAY_DETECTED');
  });

  test('is opened also where the project does not ask for it', async () => {
    await change(one, { enableEncryptedRequests: false });
    await ok(echo());
    await change(one, { enableEncryptedRequests: true });
  });

  test('of any shape is refused with its envelope, never a fault', async () => {
    const anything = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    const names = [...Object.keys(sealedBody('echo', {}).envelope), 'sessionId', 'platformId', 'endpointSlug', 'ciphertext'];
    const property = fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...names), anything, { minKeys: 1 }),
      anything,
      async (changes, where) => {
        const { envelope } = sealedBody('echo', { times: 2 });
        const altered = JSON.parse(JSON.stringify({ ...envelope, ...changes }));
        for (const body of [
          { encrypted: true, envelope: altered },
          { encryptedRequest: altered },
          altered,
          { encrypted: true, envelope: where },
        ]) {
          const reply = await call(one, 'echo', body);
          expect(reply.status).toBeLessThan(500);
          if (reply.status !== 200) expect(reply.body).toMatchObject({ ok: false, error: { code: expect.any(String) } });
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});

const sync = (client: Client, body: object) => client.manage('POST', client.definitions('package-sync'), { body });

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
      packageIdent: 'org.game',
      packageTitle: 'The Game',
      currentRevisionId: 5,
      latestRevisionId: 6,
      rawPackage: { size: 1 },
      publishStatus: 'published',
      lastSyncedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastSyncedAtUnix: expect.any(Number),
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
      promotedRevisionOverrides: { endpointCount: 1, collectionCount: 0, promoted: true, nextDocuments: 0 },
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
    const headers = { 'x-api-key': await newApiKey(env, client.projectId, { settings: 'rw' }) };
    expect(await refused(client.send('POST', client.definitions('package-sync'), { body: {}, headers }))).toBe('403 FORBIDDEN');
    expect(await refused(client.send('POST', client.definitions('package-sync'), { headers }))).toBe('403 FORBIDDEN');
    const inQuery = `${client.definitions('package-sync')}?apiKey=${client.secretKey}`;
    expect(await refused(client.send('POST', inQuery, { body: { currentRevisionId: 1 } }))).toBe('401 UNAUTHORIZED');
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

  test('is told with its profile, too, unless the author says something there', async () => {
    await change(client, { revisionEnforcementEnabled: true, revisionEnforcementMode: 'allow_continue' });
    const profile = (body: object) => ({
      id: 'load-profile',
      slug: 'load-profile',
      enabled: true,
      steps: [],
      response: { status: 200, body },
    });
    const load = () => bodyOf(client.play('POST', client.endpoint('load-profile'), { body: {}, headers: old }));
    const push = (body: object) => ok(client.manage('PUT', client.definitions('endpoints'), { body: [profile(body)] }));
    await push({ gold: 1 });
    expect(await load()).toMatchObject({
      gold: 1,
      revision: { revisionOutdated: true, currentRevisionId: 4, latestRevisionId: 5, graceSeconds: 0, graceEndsAtUnixSeconds: null },
      _revisionStatus: { isOutdatedRevision: true },
    });
    await push({ revision: 'mine' });
    expect(await load()).toMatchObject({ revision: 'mine', _revisionStatus: { isOutdatedRevision: true } });
    expect(await bodyOf(echo())).not.toHaveProperty('revision');
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
  await verified(env);
});
