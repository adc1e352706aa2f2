import type { Space } from '../events.ts';

/**
 * Under what a player's telemetry is kept in a space (decision 25). What games of staged definitions report must not count as playing
 * the live ones, so in a `next` space a player has a name that no player can have: ids hold no slash.
 */
export function playerIn(space: Space, platformId: string): string {
  return space === 'live' ? platformId : `${space}/${platformId}`;
}
