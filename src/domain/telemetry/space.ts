import type { Space } from '../events.ts';

/**
 * The name under which a player's telemetry is kept in a space. Play with staged definitions must not count as live play, so in a `next` space a
 * player has a name that no player can have: ids hold no slash.
 */
export function playerIn(space: Space, platformId: string): string {
  return space === 'live' ? platformId : `${space}/${platformId}`;
}
