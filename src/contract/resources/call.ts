import { z } from 'zod';
import { canonicalJson, isNumber, type Json, type JsonObject } from '../../kernel/json.ts';
import { json, optional, type Written } from './member.ts';

/** Bodies of endpoint calls: members about the call beside the endpoint's own input, and sealed bodies. */

/** A text, or a number as its text. Anything else counts as missing, as which the empty text stands. */
export const sealedText = z.preprocess((value) => {
  const sent = value as Json | undefined;
  if (typeof sent === 'string') return sent;
  return isNumber(sent) ? canonicalJson(sent) : '';
}, z.string());

function part(description: string) {
  return sealedText.meta({ description });
}

/** The open part of a sealed request. A missing member is the empty text. */
export const envelope = z.object({
  version: part('`1`, also when left out.'),
  algorithm: part('`aes-256-gcm+hmac-sha256`, also when left out.'),
  projectId: part('The project.'),
  endpointSlug: part('The endpoint; it may be left out.'),
  nonce: part('At least 8 characters.'),
  publicKeyFingerprint: part('First 32 hex digits of the SHA-256 of the public key that it is sealed with.'),
  sessionId: part('The session in whose name it is sealed.'),
  platformId: part('The player in whose name it is sealed, where there is no session.'),
  iv: part('12 bytes, in hex or base64url.'),
  encryptedPayload: part('What is sealed.'),
  ciphertext: part('The same as `encryptedPayload`.'),
  tag: part('16 bytes. The end of the payload when left out.'),
  signature: part('HMAC-SHA256 over the other members, in hex.'),
});

const sentEnvelope = envelope.partial().meta({ id: 'Envelope', description: 'A sealed body' });

const sealedPayload = z.looseObject({
  encryptedRequestId: optional(json, 'Names the request, so that it counts once.'),
  _endpointSlug: optional(json, 'The endpoint; it may be left out.'),
});

/** The content of a sealed request: a call's body, and its members about the seal. */
export type SealedPayload = JsonObject & Written<typeof sealedPayload>;

const security = z
  .looseObject({
    authSessions: optional(json, '`enabled` or `disabled`.'),
    revisionId: optional(json, 'The revision of the game.'),
  })
  .meta({ description: 'What a client library says of its security modes' });

/** The `security` block of a client library, unchecked. */
export type SecurityBlock = Written<typeof security>;

export const callBody = z
  .looseObject({
    input: json.optional().meta({ description: 'An object here, or under `args`, is the input; else the body itself is' }),
    args: json.optional(),
    platformId: z.union([z.string(), z.number()]).optional().meta({ description: 'Who plays, where no header says it' }),
    security: security.optional(),
    encrypted: z.boolean().optional().meta({ description: 'The body is sealed: `envelope` holds it' }),
    envelope: sentEnvelope.optional(),
    encryptedRequest: sentEnvelope.optional().meta({ description: 'The same as `envelope`' }),
  })
  .meta({ id: 'CallInput', description: 'The input of an endpoint' });

export const namedCall = z
  .looseObject({ endpoint: z.string().optional(), slug: z.string().optional(), _endpointSlug: z.string().optional() })
  .meta({
    id: 'NamedCall',
    description: 'A call whose endpoint the body names, by the first of these members that is a text; the rest is as of a call by path',
  });

/** A body as the client sent it. */
export type CallBody = JsonObject & Written<typeof callBody> & Written<typeof namedCall>;
