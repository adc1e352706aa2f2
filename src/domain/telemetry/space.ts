import type { Space } from '../events.ts';

/**
 * The name under which a player's telemetry is kept in a space. Play with staged definitions must not count as live play. So in a `next`
 * space the name has a slash, which no player's id has.
 */
export function playerIn(space: Space, platformId: string): string {
  return space === 'live' ? platformId : `${space}/${platformId}`;
}
