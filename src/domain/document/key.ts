/**
 * Valid document keys. No key needs an escape in a path, a subject or a counter. The three names that reach a JavaScript prototype are
 * refused.
 */
export const DOCUMENT_KEY = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_:-]{1,256}$/;

/** The player that a document belongs to: its key up to the first `_`. Empty for a key that begins with `_`. */
export function playerOfKey(key: string): string {
  const end = key.indexOf('_');
  return end < 0 ? key : key.slice(0, end);
}

/** Whether an id stands for no player: that of a caller without an id, or of a dedicated server. */
export function isNobody(platformId: string): boolean {
  return platformId === 'anonymous' || platformId === '0';
}
