import { createHmac, timingSafeEqual } from 'node:crypto';

/** A player's consent that a host sends a request in the player's name. */
export interface Delegation {
  readonly projectId: string;
  /** Slug of the endpoint, or `storage-{collectionId}` for reading a document. */
  readonly purpose: string;
  readonly player: string;
  /** The player's own token; may be empty. */
  readonly token: string;
}

/** HMAC-SHA256 with the public key, as lower-case hex. */
export function proxySignature(publicKey: string, { projectId, purpose, player, token }: Delegation): string {
  return createHmac('sha256', publicKey).update(`${projectId}:${purpose}:${player}:${token}`).digest('hex');
}

/** Whether the signature is valid; compared in constant time. */
export function isSignedBy(publicKey: string, delegation: Delegation, signature: string): boolean {
  const expected = Buffer.from(proxySignature(publicKey, delegation));
  const sent = Buffer.from(signature.trim().toLowerCase());
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}
