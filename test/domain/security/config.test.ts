import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { projectSettings } from '../../../src/domain/project/settings.ts';
import { configVersion, expectedModes, securityConfig, versionOf } from '../../../src/domain/security/config.ts';
import { canonicalJson } from '../../../src/kernel/json.ts';

/** Test vectors of the wire format: clients compute the same texts and hashes. */

test('canonical JSON sorts names by code unit, and escapes as little as possible', () => {
  const text = canonicalJson({ b: 'q"\\/\n\u0001é+', a: [1, 2.5, null, true], A: { z: 1, y: '' } });
  expect(Buffer.from(text, 'utf8').toString('hex')).toBe(
    '7b2241223a7b2279223a22222c227a223a317d2c2261223a5b312c322e352c6e756c6c2c747275655d2c2262223a22715c225c5c2f5c6e5c7530303031c3a92b227d',
  );
  expect(createHash('sha256').update(text, 'utf8').digest('hex')).toBe('4bdc5d95cab4eeb6d9d0fb8535cb1480aefe98d5a3860f00fbdce1b0822c9d50');
});

describe('the version of a config', () => {
  const settings = (enableAuthSessions: boolean) => ({
    analytics: {},
    authSessionTtlSeconds: 3600,
    enableAuthSessions,
    enableEncryptedRequests: false,
    encryptedRequestWindowSeconds: 120,
  });

  it.each([
    [true, '78cfc3999806b1e0'],
    [false, '34fd4ab5f7953869'],
  ])('with sessions %s is %s', (enableAuthSessions, version) => {
    expect(versionOf(settings(enableAuthSessions))).toBe(version);
    expect(configVersion(projectSettings({ enableAuthSessions }))).toBe(version);
  });

  it('does not change with a setting that clients do not act on', () => {
    expect(configVersion(projectSettings({ revisionNotifyMessage: 'Update!' }))).toBe('34fd4ab5f7953869');
  });
});

describe('the config', () => {
  const config = (settings: Parameters<typeof projectSettings>[0]) =>
    securityConfig('proj_demo', projectSettings(settings), { algorithm: 'rsa-sha256' }, Date.UTC(2026, 0, 2, 3, 4, 5));

  it('says what the project requires of its clients', () => {
    expect(config({ enableAuthSessions: true, analytics: { captureErrors: false } })).toEqual({
      schemaVersion: 1,
      projectId: 'proj_demo',
      configVersion: expect.stringMatching(/^[0-9a-f]{16}$/),
      generatedAt: '2026-01-02T03:04:05.000Z',
      ttlSeconds: 60,
      modes: { authSessions: 'enabled', encryptedRequests: 'disabled', analytics: 'enabled' },
      clientMode: 'session',
      settings: {
        enableAuthSessions: true,
        authSessionTtlSeconds: 3600,
        enableEncryptedRequests: false,
        encryptedRequestWindowSeconds: 120,
        analytics: { captureErrors: false },
      },
      signing: { algorithm: 'rsa-sha256' },
    });
  });

  it.each([
    [false, false, 'legacy'],
    [true, false, 'session'],
    [false, true, 'encrypted'],
    [true, true, 'session+encrypted'],
  ])('names the mode: sessions %s, encryption %s is %s', (enableAuthSessions, enableEncryptedRequests, mode) => {
    expect(config({ enableAuthSessions, enableEncryptedRequests })).toMatchObject({ clientMode: mode });
  });

  it('says that analytics are off where the project says so', () => {
    expect(config({ analytics: { enabled: false } })).toMatchObject({ modes: { analytics: 'disabled' } });
    expect(expectedModes(projectSettings({ enableEncryptedRequests: true }))).toEqual({
      authSessions: 'disabled',
      encryptedRequests: 'required',
    });
  });
});
