/**
 * Words that no message of a failed push may contain. When the editor reads one of them it takes the route for missing, and tries other routes
 * or reports success. Quoted author text and line numbers count too.
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

/** Long enough for any sentence of ours. Quoted author text is cut. */
const MAX_LENGTH = 500;

/** A message without the misleading words, cut to a bounded length. */
export function plainWords(message: string): string {
  const safe = MISLEADING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH)}…` : safe;
}
