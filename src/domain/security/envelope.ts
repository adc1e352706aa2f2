import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CallBody, envelope, type SealedPayload, sealedText } from '../../contract/resources/call.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { canonicalJson, isObject, type Json, JsonError, type JsonObject, parseJsonBytes } from '../../kernel/json.ts';
import { ENVELOPE_IDENTITIES, WIRE_TEXTS } from '../wire-names.ts';

/**
 * Opens sealed requests. The key is derived from the public key, which every copy of the game has: a seal protects a request from changes
 * and replay, and hides nothing from a player. No input makes this code throw.
 */

const ALGORITHM = 'aes-256-gcm+hmac-sha256';
const VERSION = '1';
const MIN_NONCE = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The identity is part of the subject that says that the request's id was used. */
const STORABLE = /^[^/\0]{1,256}$/;
const LABELS: readonly string[] = [WIRE_TEXTS.envelopeLabel.published, WIRE_TEXTS.envelopeLabel.neutral];

export interface OpenRequest {
  /** The envelope as sent; see {@link sealedIn}. */
  readonly envelope: JsonObject;
  readonly projectId: string;
  readonly slug: string;
  /** The project's enabled public key with this fingerprint. */
  publicKey(fingerprint: string): string | undefined;
  /** The player of the call; `null`: a server's call, which may be sealed in the name of any player. */
  readonly player: string | null;
  /** Id of the valid session that came with the request. */
  readonly sessionId: string | null;
}

/** What was sealed, and in whose name. */
export interface OpenedEnvelope {
  readonly payload: SealedPayload;
  readonly type: 'session' | 'platform';
  readonly identity: string;
}

/** The envelope in a body; `null` for a plain body. */
export function sealedIn(body: CallBody): JsonObject | null {
  const { encrypted, envelope, encryptedRequest } = body;
  for (const each of [envelope, encryptedRequest]) if (isObject(each) && (encrypted === true || holdsPayload(each))) return each;
  return encrypted === true || holdsPayload(body) ? body : null;
}

function holdsPayload(object: JsonObject): boolean {
  return Object.hasOwn(object, 'encryptedPayload') || Object.hasOwn(object, 'ciphertext');
}

/** First 32 hex digits of the SHA-256 of a public key. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(publicKey, 'utf8').digest('hex').slice(0, 32);
}

/** Opens an envelope. Every check has its own refusal, and they run in this order. */
export function openEnvelope(request: OpenRequest): OpenedEnvelope | Refusal {
  const { nonce, publicKeyFingerprint, signature, ...fields } = envelope.parse(request.envelope);
  const { projectId, endpointSlug } = fields;
  if (projectId !== request.projectId) return invalid('The envelope is for another project');
  if (endpointSlug !== '' && endpointSlug !== request.slug) return invalid('The envelope is for another endpoint');
  const version = fields.version || VERSION;
  const algorithm = fields.algorithm || ALGORITHM;
  if (version !== VERSION || algorithm !== ALGORITHM) return invalid('The envelope has a version or an algorithm that is not known here');
  if (nonce.length < MIN_NONCE) return invalid('The nonce of the envelope is too short');
  const publicKey = request.publicKey(publicKeyFingerprint);
  if (publicKey === undefined) return invalid('The envelope was made with a public key that this project does not have');
  const sealed = { iv: fields.iv, encryptedPayload: fields.encryptedPayload || fields.ciphertext, tag: fields.tag };
  if (sealed.iv === '' || sealed.encryptedPayload === '' || signature === '') return invalid('The envelope is not complete');
  const named = identityOf(fields.sessionId, request.envelope);
  if (named === null) return invalid('The envelope names neither a player nor a session');
  if (!STORABLE.test(named.identity)) return invalid('The envelope names an impossible player');
  const mismatch = wrongIdentity(request, named);
  if (mismatch) return mismatch;

  const { identity, identityType } = named;
  const base = { algorithm, identity, identityType, nonce, projectId, publicKeyFingerprint, version };
  const context = endpointSlug === '' ? base : { ...base, endpointSlug };
  if (!isSigned(publicKey, canonicalJson({ ...context, ...sealed }), signature)) return invalid(BROKEN);
  const plain = decrypted(publicKey, canonicalJson(context), sealed);
  return plain === null ? invalid(BROKEN) : readPayload(plain, request.slug, named);
}

const BROKEN = 'The envelope does not open: it was altered, or sealed with another key';

function invalid(message: string): Refusal {
  return refusal('REQUEST_SIGNATURE_INVALID', message);
}

interface EnvelopeIdentity {
  readonly type: OpenedEnvelope['type'];
  readonly identity: string;
  /** The type that the client derived its key with. It depends on how the member is spelled. */
  readonly identityType: string;
}

function identityOf(sessionId: string, sent: JsonObject): EnvelopeIdentity | null {
  if (sessionId !== '') return { type: 'session', identity: sessionId, identityType: 'session' };
  for (const { name, identityType } of ENVELOPE_IDENTITIES) {
    const identity = sealedText.parse(sent[name]);
    if (identity !== '') return { type: 'platform', identity, identityType };
  }
  return null;
}

function wrongIdentity({ player, sessionId }: OpenRequest, { type, identity }: EnvelopeIdentity): Refusal | null {
  if (type === 'session') {
    if (sessionId === null) return refusal('AUTH_SESSION_REQUIRED');
    return identity === sessionId ? null : refusal('AUTH_SESSION_PLATFORMID_MISMATCH');
  }
  return player === null || identity === player ? null : invalid('The envelope was sealed for another player');
}

function isSigned(publicKey: string, message: string, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/i.test(signature)) return false;
  const expected = createHmac('sha256', publicKey).update(message, 'utf8').digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

interface SealedEnvelope {
  readonly iv: string;
  readonly encryptedPayload: string;
  readonly tag: string;
}

/** The decrypted bytes; `null` if the key does not fit. It does not say which label the key was derived with: each is tried. */
function decrypted(publicKey: string, context: string, sealed: SealedEnvelope): Buffer | null {
  const parts = partsOf(sealed);
  if (parts === null) return null;
  for (const label of LABELS) {
    const key = createHash('sha256').update(`${label}\0${publicKey}\0${context}`, 'utf8').digest();
    const decipher = createDecipheriv('aes-256-gcm', key, parts.iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context, 'utf8')).setAuthTag(parts.tag);
    const plain = decipher.update(parts.ciphertext);
    try {
      return Buffer.concat([plain, decipher.final()]);
    } catch {
      // The client used another label, or the envelope was altered.
    }
  }
  return null;
}

/**
 * Bytes of iv, tag and ciphertext. A text of hex digits may also be base64url, so the length of the iv decides. Without a member `tag` the
 * tag is the end of the ciphertext.
 */
function partsOf({
  iv,
  encryptedPayload,
  tag,
}: SealedEnvelope): { readonly iv: Buffer; readonly ciphertext: Buffer; readonly tag: Buffer } | null {
  const isHex = iv.length === 2 * IV_BYTES;
  const ivBytes = isHex ? fromHex(iv) : fromBase64(iv);
  const body = isHex ? fromHex(encryptedPayload) : fromBase64(encryptedPayload);
  if (ivBytes?.length !== IV_BYTES || body === null) return null;
  const end = tag === '' ? body.length - TAG_BYTES : body.length;
  const tagBytes = tag === '' ? body.subarray(Math.max(end, 0)) : tag.length === 2 * TAG_BYTES ? fromHex(tag) : fromBase64(tag);
  if (end <= 0 || tagBytes?.length !== TAG_BYTES) return null;
  return { iv: ivBytes, ciphertext: body.subarray(0, end), tag: tagBytes };
}

function fromHex(text: string): Buffer | null {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null;
}

/** Either alphabet, with or without padding. */
function fromBase64(text: string): Buffer | null {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}

function readPayload(plain: Buffer, slug: string, { type, identity }: EnvelopeIdentity): OpenedEnvelope | Refusal {
  let payload: Json;
  try {
    payload = parseJsonBytes(plain, { finite: true });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return error.kind === 'syntax'
      ? invalid('What the envelope holds is not JSON')
      : refusal('INVALID_JSON', `Invalid JSON: ${error.message}`);
  }
  if (!isObject(payload)) return refusal('INVALID_BODY', 'What the envelope holds must be a JSON object');
  const sealed: SealedPayload = payload;
  if ((sealed._endpointSlug ?? slug) !== slug) return invalid('The request was sealed for another endpoint');
  return { payload: sealed, type, identity };
}
