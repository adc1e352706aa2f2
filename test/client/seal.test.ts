import { expect, test } from 'vitest';
import { sha256 } from '../../src/client/crypto.ts';
import { hex } from '../../src/client/ids.ts';
import { createEncryptedRequestId, fingerprintOf, parseEncryptedRequestId, proxySignature, seal } from '../../src/client/seal.ts';
import { faultOf, isSigned, versionOf } from '../../src/client/security-config.ts';
import { stableJson } from '../../src/client/stable-json.ts';
import { openEnvelope, fingerprintOf as serversFingerprint } from '../../src/domain/security/envelope.ts';

/** Test vectors of the wire format, opened by the server's own code. */

const PUBLIC_KEY = 'demo_ns_4f7Kq2ZxV9bLm1Tn8Rw3Yc6Hs5Jd0PgAeUiOrXtB7';
const PLAYER = '76561190000000042';
const PLAIN =
  '{"oreId":"iron","kg":5,"security":{"configVersion":"","clientMode":"encrypted","authSessions":"disabled","encryptedRequests":"required","revisionId":0,"revisionOutdated":false},"encryptedRequestId":"1760000000_0123456789abcdef0123456789abcdef1042","_endpointSlug":"mine-ore"}';
const SETTINGS = {
  analytics: {},
  authSessionTtlSeconds: 3600,
  enableAuthSessions: true,
  enableEncryptedRequests: false,
  encryptedRequestWindowSeconds: 120,
};
const iv = Uint8Array.from([0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b]);
const fixed = { publicKey: PUBLIC_KEY, projectId: 'proj_demo', plain: PLAIN, nonce: 'MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY', iv };

test('the fingerprint of a key is the first half of its hash', async () => {
  expect(await fingerprintOf(PUBLIC_KEY)).toBe('712e7e526686d6f05b4835c11ba89d25');
});

test('stable JSON is one text for one value', async () => {
  const text = stableJson({ b: 'q"\\/\n\u0001é+', a: [1, 2.5, null, true], A: { z: 1, y: '' } });
  expect(hex(await sha256(text))).toBe('4bdc5d95cab4eeb6d9d0fb8535cb1480aefe98d5a3860f00fbdce1b0822c9d50');
});

test('the version of a config is the hash of its settings', async () => {
  expect(await versionOf(SETTINGS)).toBe('78cfc3999806b1e0');
  expect(await versionOf({ ...SETTINGS, enableAuthSessions: false })).toBe('34fd4ab5f7953869');
});

test('the sealed request of a player matches the test vector', async () => {
  const envelope = await seal({ ...fixed, identity: { platformId: PLAYER } });
  expect(envelope).toEqual({
    version: '1',
    algorithm: 'aes-256-gcm+hmac-sha256',
    projectId: 'proj_demo',
    nonce: fixed.nonce,
    publicKeyFingerprint: '712e7e526686d6f05b4835c11ba89d25',
    platformId: PLAYER,
    iv: 'EBESExQVFhcYGRob',
    tag: 'XSuPeQqnszooZnyS03kXfw',
    encryptedPayload:
      '4kUdODG1yp9iby5Znt9_n9QAf3XVzJKmqOKvBpAHj1lQmNMzYKQNHsY9JE0Ww1e-mCgQs5gfUrfNuZ68lG4JN5-XgGpiFDo0l2DjTAb5Bo0LYd_UxEyB8ei_tVUSLLwVu3mDYO7ysnI0R8sKYJlxkfBpJoJ4IAafFgdUQOS5y6lrAJWdfg4gRJgGEJbYz5GcvCerV7Ck5RiJsur2dUwn4sREZc57Vdix1lnB-SdCa2NZHVbYlrig1zaa-hXLJqXvtByyElWlLxUxYjYCnOX0WKG8cW2KhYJne23x0J80mo4LzpnoeGfZd-cYmGpBwzxvdVDlYkPAGBz-AGJzMnYWAX5hfG5CGg9l6UrObFxPfL7cZGc',
    signature: 'af8e9c8d135a80527861719cf3ba58f2d5cb7944e7b0457a89c3459884403d55',
  });
});

test('the sealed request of a session matches the test vector', async () => {
  const envelope = await seal({ ...fixed, identity: { sessionId: '5d41402abc4b2a76b9719d911017c592' } });
  expect(Buffer.from(envelope['tag'] ?? '', 'base64url').toString('hex')).toBe('57a969a6b0a27dd7f1ffb78bce0ba427');
  expect(envelope['signature']).toBe('7a5f11944bf506b126937bfbaf857077476e7b794367ccb671533abeb45745ae');
});

test('the server opens a sealed request, and no two are alike', async () => {
  const envelopes = await Promise.all(
    [1, 2].map(() => seal({ publicKey: PUBLIC_KEY, projectId: 'p', plain: '{"a":"é"}', identity: { platformId: PLAYER } })),
  );
  for (const envelope of envelopes) {
    const publicKey = (fingerprint: string) => (fingerprint === serversFingerprint(PUBLIC_KEY) ? PUBLIC_KEY : undefined);
    const opened = openEnvelope({ envelope, projectId: 'p', slug: 'any', publicKey, player: PLAYER, sessionId: null });
    expect(opened).toEqual({ payload: { a: 'é' }, type: 'platform', identity: PLAYER });
  }
  expect(envelopes[0]?.['nonce']).not.toBe(envelopes[1]?.['nonce']);
});

test('the signature of a host binds project, scope, player and token', async () => {
  const sign = (scope: string) => proxySignature(PUBLIC_KEY, 'proj_demo', scope, PLAYER, 'tok+/=abc');
  expect(await sign('mine-ore')).toBe('0104bcb307aa3e050690ad674a27198f7fe128f395201815ae0635d18f4563a7');
  expect(await sign('storage-players')).toBe('7c988f4033dafb56f5f01878a331f652a4429834e7f9641f05e3f51937bb7b80');
});

const CONFIG = {
  configVersion: '78cfc3999806b1e0',
  generatedAt: '2026-01-02T03:04:05.000Z',
  projectId: 'proj_demo',
  schemaVersion: 1,
  ttlSeconds: 60,
  modes: { analytics: 'enabled', authSessions: 'enabled', encryptedRequests: 'disabled' },
  settings: SETTINGS,
  signing: {
    algorithm: 'rsa-sha256',
    keyId: '419a66e49c2183e3',
    publicKeyJwk: {
      e: 'AQAB',
      kty: 'RSA',
      n: 'x-nDy0pCXsCBbBSOjUXHqdhF0DISoltUepPpi8lThuywC7JWYkg0_ROJqiXZwRwpe8NLWRmXk7ixWvAidj5XGNw3E1jUd9R-U3F2mWCF4RGCkd2dd1eBwif2De26ePWm4iTLY3Huf8xcMPtuENSay-WoBH__brH-q_Qn9MUwIqs',
    },
    publicKeyPem:
      '-----BEGIN PUBLIC KEY-----\nMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDH6cPLSkJewIFsFI6NRcep2EXQ\nMhKiW1R6k+mLyVOG7LALslZiSDT9E4mqJdnBHCl7w0tZGZeTuLFa8CJ2PlcY3DcT\nWNR31H5TcXaZYIXhEYKR3Z13V4HCJ/YN7bp49abiJMtjce5/zFww+24Q1JrL5agE\nf/9usf6r9Cf0xTAiqwIDAQAB\n-----END PUBLIC KEY-----',
  },
  signature:
    'FIiJkOssLoIJ518ndBWw5tIwBc9AKlsXmV4-2budtjmok7hl5x2Cqf6o_YBFTMPS3Dmwl6NMof1OQkfOQUa4qvficN1XsQiKBdra8mn9_kBdI9qYpoqOv9mREFPJqDbAEHxuvE8azEvJyDSorJKmY-MP54on43N25hmxWb7pUvY',
};

test('a config is signed by the key that it contains', async () => {
  expect(await isSigned(CONFIG)).toBe(true);
  expect(await isSigned({ ...CONFIG, ttlSeconds: 61 })).toBe(false);
  expect(await isSigned({ ...CONFIG, signing: { ...CONFIG.signing, algorithm: 'none' } })).toBe(false);
});

test('a config is accepted if its signature or its version fits, and never if it belongs to another project', async () => {
  expect(await faultOf(CONFIG, 'proj_demo')).toBeNull();
  expect(await faultOf({ ...CONFIG, signature: 'AAAA' }, 'proj_demo')).toBeNull();
  expect(await faultOf({ ...CONFIG, settings: { ...SETTINGS, enableAuthSessions: false } }, 'proj_demo')).toContain('signature');
  expect(await faultOf(CONFIG, 'other')).toContain('another project');
  expect(await faultOf({}, 'proj_demo')).toContain('not a config');
});

test.each(['abcdef', 'abc_def-1', '______', 'abc.def', 'éééééé', 'a b c d'])('a request id may have the random part %j', (random) => {
  const id = createEncryptedRequestId(1760000000_999, random);
  expect(id).toBe(`1760000000_${random}`);
  expect(parseEncryptedRequestId(` ${id} `)).toEqual({ unixSeconds: 1760000000, random });
});

test('a request id whose random part has fewer than six characters is neither made nor read', () => {
  expect(() => createEncryptedRequestId(0, 'abcde')).toThrow('`random` has 5 characters; it needs 6');
  for (const id of ['1760000000_abcde', '1760000000_', '12345_abcdef', '_abcdef', '']) expect(parseEncryptedRequestId(id)).toBeNull();
});
