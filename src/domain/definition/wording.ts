/**
 * The editor decides by words whether a route is missing: a message of a failed push that contains one of these makes it fall back to
 * other routes or claim success. So no message of a validation failure may contain them, quoted author text and line numbers included.
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

/** Long enough for any sentence of ours; author text inside is cut. */
const MAX_LENGTH = 500;

export function plainWords(message: string): string {
  const safe = MISLEADING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH)}…` : safe;
}
