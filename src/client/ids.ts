/** Random names. A page without HTTPS has no `crypto.randomUUID`, but it has random values. */

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A name for one intent: 32 hex digits. Whatever is sent under it happens once.
 *
 * @example
 * ```ts
 * const key = newIdempotencyKey();
 * await client.documents('players').update(inc('gold', 5), { idempotencyKey: key });
 * await client.documents('players').update(inc('gold', 5), { idempotencyKey: key });
 * (await client.documents('players').get()).gold; // → 15
 * ```
 */
export function newIdempotencyKey(): string {
  return hex(randomBytes(16));
}
