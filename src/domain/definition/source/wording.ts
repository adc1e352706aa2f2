/**
 * Words that no message of a failed push may contain. If the editor finds one of them, it assumes that the route is missing, and tries
 * other routes or reports success. Quoted author text and line numbers count, too.
 */
const MISLEADING: readonly (readonly [RegExp, string])[] = [
  [/404/g, '4-04'],
  [/405/g, '4-05'],
  [/not found/gi, 'missing'],
  [/does not exist/gi, 'is missing'],
  [/not available/gi, 'unavailable'],
  [/method not allowed/gi, 'method refused'],
  [/sync endpoint/gi, 'sync route'],
];

/** Most characters. All of our messages are shorter; quoted author text is cut. */
const MAX_LENGTH = 500;

/** A message without the misleading words, cut to a bounded length. */
export function plainWords(message: string): string {
  const safe = MISLEADING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH)}…` : safe;
}
