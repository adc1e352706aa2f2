/** Random ids. A page without HTTPS has no `crypto.randomUUID`, but it has `crypto.getRandomValues`. */

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A new idempotency key: 32 hex digits. Requests with the same key happen once.
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
