/**
 * What a document may be called: no key needs an escape in a path, a subject or a counter (runtime-storage 2.2), and each can stand in
 * a path, where the three names that objects of JavaScript have of themselves are refused.
 */
export const DOCUMENT_KEY = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_:-]{1,256}$/;

/** The player that a document belongs to: its key up to the first `_` (runtime-storage 2.2). Empty for a key that begins with one. */
export function playerOfKey(key: string): string {
  const end = key.indexOf('_');
  return end < 0 ? key : key.slice(0, end);
}
