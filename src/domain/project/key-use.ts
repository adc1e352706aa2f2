import type { ApiKey } from '../states.ts';

/** What may be said of a key by when it was used last. */

/** A key that nobody has used for so long may be one that nobody needs. */
const UNUSED_DAYS = 90;
const UNUSED_MS = UNUSED_DAYS * 86_400_000;

/** `unknown`: it was made before uses were noted, and has not been used since, which is not long enough to say more. */
export type KeyUseState = 'used' | 'unused' | 'never' | 'unknown';

/** `usedAt` `null`: no use is known. `since`: from when on uses have been noted. All in unix ms. */
export function keyUseState({ createdAt }: Pick<ApiKey, 'createdAt'>, usedAt: number | null, since: number, now: number): KeyUseState {
  if (usedAt !== null) return now - usedAt < UNUSED_MS ? 'used' : 'unused';
  if (createdAt >= since) return 'never';
  return now - since < UNUSED_MS ? 'unknown' : 'unused';
}

/** The same in words. */
export function keyUseText(state: KeyUseState, usedAt: number | null, since: number): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  switch (state) {
    case 'used':
      return `${new Date(usedAt ?? 0).toISOString().slice(0, 16)}Z`;
    case 'unused':
      return `unused for ${UNUSED_DAYS} days${usedAt === null ? '' : `, last on ${day(usedAt)}`}`;
    case 'never':
      return 'never used';
    case 'unknown':
      return `not since ${day(since)}, when uses began to be noted`;
  }
}
