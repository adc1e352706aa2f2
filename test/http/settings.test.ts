import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wireNames } from '../../src/domain/wire-names.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, type Sent, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const manage = (method: string, path: string, body?: unknown, at = server) => {
  const sent: Sent = { headers: { 'x-api-key': SECRET_KEY }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return at.send(method, `/v3/manage/demo${path}`, sent);
};
const lastCall = () => server.app.calls.at(-1);
const lastNeed = () => server.app.presented.at(-1)?.needs;

describe('project settings', () => {
  it('have the same body under both paths, with both flags of the editor at the top level', async () => {
    const settings = await manage('GET', '/settings');
    expect(settings.json).toMatchObject({ ok: true, projectId: 'demo', enableAuthSessions: false, enableEncryptedRequests: false });
    expect(settings.json.config).toEqual(settings.json.settings);
    expect(settings.headers['cache-control']).toBe('no-store');
    expect(lastNeed()).toEqual({ scopes: ['settings'], level: 'r' });
    expect((await manage('GET', '/config')).text).toBe(settings.text);
  });

  it('are changed by PUT', async () => {
    const changed = await manage('PUT', '/settings', { settings: { enabled: false } });
    expect([changed.status, changed.headers['x-ns-position']]).toEqual([200, '8']);
    expect(lastCall()).toMatchObject({ name: 'settings.change', arguments: [{ settings: { enabled: false } }, false] });
    expect(lastNeed()).toEqual({ scopes: ['settings'], level: 'rw' });
    // An editor's script sends `{}` for no body.
    expect((await manage('PUT', '/settings')).status).toBe(200);
    expect(lastCall()).toMatchObject({ name: 'settings.change', arguments: [{}, false] });
    expect((await manage('PUT', '/config', {})).status).toBe(404);
  });

  it('have the published names if the installation is configured so', async () => {
    const published = await startServer({ wireNames: 'published' });
    const { json } = await manage('GET', '/settings', undefined, published);
    await published.stop();
    expect(json.settings).toMatchObject({ [wireNames('published').member('requirePlayerAuth')]: false });
    expect(json.settings).not.toHaveProperty('requirePlayerAuth');
    expect(json.config).toEqual(json.settings);
  });
});

describe('revoking a public key', () => {
  it('takes the key from the body or the query; no body names no key', async () => {
    for (const [path, body] of [
      ['/keys', { publicKey: PUBLIC_KEY }],
      [`/keys?publicKey=${PUBLIC_KEY}`, undefined],
    ] as const) {
      expect((await manage('DELETE', path, body)).status).toBe(200);
      expect(lastCall()).toMatchObject({ name: 'settings.revokePublicKey', arguments: [PUBLIC_KEY] });
      expect(lastNeed()).toEqual({ scopes: ['settings'], level: 'rw' });
    }
    expect((await manage('DELETE', '/keys')).status).toBe(200);
    expect(lastCall()).toMatchObject({ arguments: [null] });
  });

  it('refuses a key that is not a text, instead of leaving it valid', async () => {
    for (const body of [{ publicKey: 5 }, [PUBLIC_KEY], { publickey: PUBLIC_KEY }, { publicKey: PUBLIC_KEY, kye: 1 }]) {
      const refused = await manage('DELETE', '/keys', body);
      expect([refused.status, refused.json.resourceKind]).toEqual([400, 'api-keys']);
    }
    for (const query of ['publickey', 'key']) {
      expect((await manage('DELETE', `/keys?${query}=${PUBLIC_KEY}`)).json.message).toBe(
        `\`${query}\` names no key to revoke; \`publicKey\` does`,
      );
    }
  });
});
