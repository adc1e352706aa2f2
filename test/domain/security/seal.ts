import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../../src/kernel/json.ts';

/** Seals requests as the client library does: the other half of `openEnvelope`, written independently of it. */
export interface Seal {
  readonly publicKey: string;
  readonly projectId: string;
  readonly identity: string;
  readonly sessionId?: string;
  readonly published?: boolean;
  readonly nonce?: string;
  readonly iv?: Buffer;
  /** Members merged into the context before keys are derived from it. */
  readonly context?: JsonObject;
  /** Other forms that are accepted: everything in hex, or the tag at the end of the ciphertext. */
  readonly form?: 'hex' | 'tagged';
  /** The text to seal. */
  readonly plain: string;
}

export function seal(of: Seal): JsonObject & { readonly signature: string } {
  const { publicKey, projectId, published = true, sessionId } = of;
  const [label, type, name] = published
    ? ['sboxcool.network-storage.encrypted-request.v1', 'steam', 'steamId']
    : ['network-storage.encrypted-request.v1', 'platform', 'platformId'];
  const iv = of.iv ?? Buffer.from('101112131415161718191a1b', 'hex');
  const context = {
    algorithm: 'aes-256-gcm+hmac-sha256',
    identity: sessionId ?? of.identity,
    identityType: sessionId === undefined ? type : 'session',
    nonce: of.nonce ?? 'MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY',
    projectId,
    publicKeyFingerprint: createHash('sha256').update(publicKey).digest('hex').slice(0, 32),
    version: '1',
    ...of.context,
  };
  const aad = canonicalJson(context);
  const key = createHash('sha256').update(`${label}\0${publicKey}\0${aad}`).digest();
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(aad));
  const ciphertext = Buffer.concat([cipher.update(of.plain, 'utf8'), cipher.final()]);
  const tag = cipher.getAuthTag();
  const encoding = of.form === 'hex' ? 'hex' : 'base64url';
  const tagged = of.form === 'tagged';
  const parts = {
    iv: iv.toString(encoding),
    tag: tagged ? '' : tag.toString(encoding),
    encryptedPayload: (tagged ? Buffer.concat([ciphertext, tag]) : ciphertext).toString(encoding),
  };
  const signature = createHmac('sha256', publicKey)
    .update(canonicalJson({ ...context, ...parts }))
    .digest('hex');
  const { identity, identityType, ...rest } = context;
  return { ...rest, [sessionId === undefined ? name : 'sessionId']: identity, ...parts, signature };
}
