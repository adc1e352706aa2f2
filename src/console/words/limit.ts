/** What a player has left of rate limits. */

/** A span of time of a limit, with what was used in it. */
interface Used {
  readonly window: string;
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Left out: the limit of an endpoint, which `rule` names. */
  readonly name?: unknown;
  readonly rule?: unknown;
}

/** What people call the limit: its name, else its id. */
export function limitName({ name, rule }: Used): string {
  return typeof name === 'string' && name !== '' ? name : String(rule ?? '');
}

/** What is left of it: how much, and in which span of time. */
export function leftSaid({ remaining, limit, window }: Pick<Used, 'remaining' | 'limit' | 'window'>): string {
  return `${remaining} of ${limit} left ${window.replace(/^per/, 'per ').toLowerCase()}`;
}

/** Those of the limit that a refusal names. */
export function usedOf<U extends Used>(windows: readonly U[], name: string): readonly U[] {
  return windows.filter((each) => limitName(each) === name || each.rule === name);
}
