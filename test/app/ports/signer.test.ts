import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner, signingOf } from '../../../src/app/ports/signer.ts';
import { canonicalJson, isObject, parseJson } from '../../../src/kernel/json.ts';

/** A test vector of the wire format, and a key of our own. */

const N =
  'x-nDy0pCXsCBbBSOjUXHqdhF0DISoltUepPpi8lThuywC7JWYkg0_ROJqiXZwRwpe8NLWRmXk7ixWvAidj5XGNw3E1jUd9R-U3F2mWCF4RGCkd2dd1eBwif2De26ePWm4iTLY3Huf8xcMPtuENSay-WoBH__brH-q_Qn9MUwIqs';
const PEM =
  '-----BEGIN PUBLIC KEY-----\\nMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDH6cPLSkJewIFsFI6NRcep2EXQ\\nMhKiW1R6k+mLyVOG7LALslZiSDT9E4mqJdnBHCl7w0tZGZeTuLFa8CJ2PlcY3DcT\\nWNR31H5TcXaZYIXhEYKR3Z13V4HCJ/YN7bp49abiJMtjce5/zFww+24Q1JrL5agE\\nf/9usf6r9Cf0xTAiqwIDAQAB\\n-----END PUBLIC KEY-----';
const SIGNED = `{"configVersion":"78cfc3999806b1e0","generatedAt":"2026-01-02T03:04:05.000Z","modes":{"analytics":"enabled","authSessions":"enabled","encryptedRequests":"disabled"},"projectId":"proj_demo","schemaVersion":1,"settings":{"analytics":{},"authSessionTtlSeconds":3600,"enableAuthSessions":true,"enableEncryptedRequests":false,"encryptedRequestWindowSeconds":120},"signing":{"algorithm":"rsa-sha256","keyId":"419a66e49c2183e3","publicKeyJwk":{"e":"AQAB","kty":"RSA","n":"${N}"},"publicKeyPem":"${PEM}"},"ttlSeconds":60}`;
const SIGNATURE =
  'FIiJkOssLoIJ518ndBWw5tIwBc9AKlsXmV4-2budtjmok7hl5x2Cqf6o_YBFTMPS3Dmwl6NMof1OQkfOQUa4qvficN1XsQiKBdra8mn9_kBdI9qYpoqOv9mREFPJqDbAEHxuvE8azEvJyDSorJKmY-MP54on43N25hmxWb7pUvY';

const key = createPublicKey({ key: { kty: 'RSA', n: N, e: 'AQAB' }, format: 'jwk' });

test('a key is named and shown as in the vector', () => {
  const config = parseJson(SIGNED);
  if (!isObject(config)) throw new Error('the vector is an object');
  expect(signingOf(key)).toEqual(config['signing']);
});

test('the canonical text is signed, which the vector verifies', () => {
  expect(canonicalJson(parseJson(SIGNED))).toBe(SIGNED);
  expect(createHash('sha256').update(SIGNED).digest('hex')).toBe('d5e14e531977e06a0aa3861bd664d3fe37a1466927bfbb77a90e694d9a993505');
  expect(verify('sha256', Buffer.from(SIGNED), key, Buffer.from(SIGNATURE, 'base64url'))).toBe(true);
});

test('a signature of ours verifies with the key that it shows, and not if anything is altered', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const signer = createSigner(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const signature = Buffer.from(signer.sign('{"é":1}'), 'base64url');
  const shown = createPublicKey(String(signer.signing['publicKeyPem']));
  expect(verify('sha256', Buffer.from('{"é":1}'), shown, signature)).toBe(true);
  expect(verify('sha256', Buffer.from('{"é":2}'), shown, signature)).toBe(false);
  expect(signer.hmac('a')).toMatch(/^[\w-]{43}$/);
  expect(signer.hmac('a')).not.toBe(signer.hmac('b'));
});
