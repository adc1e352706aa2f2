import { requireKind } from './arguments.ts';
import { base64url, hmac, sha256, subtle, utf8 } from './crypto.ts';
import { SavepointError } from './errors.ts';
import { hex, randomBytes } from './ids.ts';
import { stableJson } from './stable-json.ts';

/**
 * Sealed requests: a body that is encrypted, signed and valid for one use. The key is derived from the public key, so whoever has the game
 * can read a request. But nobody can alter it on its way or replay it.
 */

const ALGORITHM = 'aes-256-gcm+hmac-sha256';
const LABEL = 'network-storage.encrypted-request.v1';

export interface Sealing {
  readonly publicKey: string;
  readonly projectId: string;
  /** The session's id if there is one, else the player's. */
  readonly identity: { readonly sessionId: string } | { readonly platformId: string };
  /** The body as JSON text. */
  readonly plain: string;
  /** Random when left out. */
  readonly nonce?: string;
  /** 12 bytes; random when left out. */
  readonly iv?: Uint8Array<ArrayBuffer>;
}

export type Envelope = Readonly<Record<string, string>>;

/** Encrypts and signs a body. Throws `CRYPTO_UNAVAILABLE`. */
export async function seal({ publicKey, projectId, identity, plain, nonce, iv }: Sealing): Promise<Envelope> {
  const outside = {
    version: '1',
    algorithm: ALGORITHM,
    projectId,
    nonce: nonce ?? base64url(utf8(hex(randomBytes(16)))),
    publicKeyFingerprint: await fingerprintOf(publicKey),
  };
  const named = 'sessionId' in identity ? [identity.sessionId, 'session'] : [identity.platformId, 'platform'];
  const context = { ...outside, identity: named[0], identityType: named[1] };
  const text = stableJson(context);
  const key = await subtle().importKey('raw', await sha256(`${LABEL}\0${publicKey}\0${text}`), 'AES-GCM', false, ['encrypt']);
  const vector = iv ?? randomBytes(12);
  const encrypted = await subtle().encrypt({ name: 'AES-GCM', iv: vector, additionalData: utf8(text) }, key, utf8(plain));
  const bytes = new Uint8Array(encrypted);
  const parts = {
    iv: base64url(vector),
    tag: base64url(bytes.subarray(-16)),
    encryptedPayload: base64url(bytes.subarray(0, -16)),
  };
  return { ...outside, ...identity, ...parts, signature: await hmac(publicKey, stableJson({ ...context, ...parts })) };
}

/** Identifies a public key without revealing it. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  return hex((await sha256(publicKey)).subarray(0, 16));
}

/** Binds a host's request to one project, one endpoint or collection, one player and that player's token. */
export function proxySignature(publicKey: string, projectId: string, purpose: string, player: string, token: string): Promise<string> {
  return hmac(publicKey, `${projectId}:${purpose}:${player}:${token}`);
}

/** An id for one sealed request. `now`: unix ms. */
export function requestId(now: number, random = hex(randomBytes(16))): string {
  return `${Math.floor(now / 1000)}_${random}`;
}

/** The shortest random part of a request id. */
const MIN_RANDOM = 6;

/**
 * An id for one sealed request: `{unixSeconds}_{random}`. `now`: unix ms. `random`: six characters or more; a server takes letters, digits,
 * `_` and `-`.
 *
 * @example
 * ```ts
 * const id = createEncryptedRequestId(1760000000_000);
 * parseEncryptedRequestId(id)?.unixSeconds; // → 1760000000
 * createEncryptedRequestId(1760000000_000, 'abc_def'); // → '1760000000_abc_def'
 * ```
 */
export function createEncryptedRequestId(now: number = Date.now(), random?: string): string {
  requireKind('now', now, 'number');
  if (random !== undefined) requireKind('random', random, 'string');
  if (random !== undefined && random.length < MIN_RANDOM)
    throw new SavepointError('INVALID_ARGUMENT', `\`random\` has ${random.length} characters; it needs ${MIN_RANDOM}`);
  return requestId(now, random);
}

/**
 * The parts of such an id; `null` if the text is not one. `random` may hold anything, `_` and `-` included.
 *
 * @example
 * ```ts
 * parseEncryptedRequestId('1760000000_abc_d-f'); // → { unixSeconds: 1760000000, random: 'abc_d-f' }
 * parseEncryptedRequestId('1760000000_abcde'); // → null
 * ```
 */
export function parseEncryptedRequestId(id: string): { readonly unixSeconds: number; readonly random: string } | null {
  requireKind('id', id, 'string');
  const [, seconds, random] = /^(\d{9,11})_(.{6,})$/s.exec(id.trim()) ?? [];
  return seconds === undefined || random === undefined ? null : { unixSeconds: Number(seconds), random };
}
