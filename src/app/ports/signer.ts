import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '../../kernel/json.ts';

/** The installation's key that signs security configs. Clients do not remember the key: they check each config against itself. */
export interface Signer {
  /** Names the key, and is part of what is signed. */
  readonly signing: JsonObject;
  /** RSASSA-PKCS1-v1_5 with SHA-256 over the UTF-8 of a text; base64url. */
  sign(text: string): string;
  /** HMAC-SHA256 over the UTF-8 of a text, with a key derived from the signing key; base64url. It is for this installation's own nodes. */
  hmac(text: string): string;
}

/** `pem`: an RSA private key of at least 1024 bits, since clients refuse smaller ones. */
export function createSigner(pem: string): Signer {
  const key = createPrivateKey(pem);
  const hmacKey = createHash('sha256').update(`savepoint mark\0${pem}`).digest();
  return {
    signing: signingOf(createPublicKey(key)),
    sign: (text) => sign('sha256', Buffer.from(text, 'utf8'), key).toString('base64url'),
    hmac: (text) => createHmac('sha256', hmacKey).update(text).digest('base64url'),
  };
}

/** What clients are told of a public key: the key in both spellings, with an id made from its text. */
export function signingOf(key: KeyObject): JsonObject {
  const publicKeyPem = key.export({ type: 'spki', format: 'pem' }).toString().trimEnd();
  const { kty = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const keyId = createHash('sha256').update(publicKeyPem).digest('hex').slice(0, 16);
  return { algorithm: 'rsa-sha256', keyId, publicKeyPem, publicKeyJwk: { kty, n, e } };
}
