/** What somebody looks for in what happened to a player, by its name in the address; '': everything. */
export const WHATS = [
  ['', 'Everything'],
  ['changes', 'Changes of what the player has'],
  ['coins', 'Money'],
  ['calls', 'Calls of endpoints'],
  ['refused', 'What was refused or failed'],
  ['sessions', 'Sessions and devices'],
  ['reports', 'Reports of the game'],
  ['buttons', 'Pressed buttons'],
  ['grants', 'Grants'],
  ['corrections', 'Corrections and restores'],
] as const;

export type What = Exclude<(typeof WHATS)[number][0], ''>;

export function whatIn(text: string | undefined): What | undefined {
  const found = WHATS.find(([name]) => name === text)?.[0];
  return found === '' ? undefined : found;
}

/** What the list of what happened to a player is narrowed by. */
export interface TimelineFilters {
  readonly what?: What | undefined;
  readonly endpoint?: string | undefined;
  /** Dotted, of whatever document of the player. */
  readonly field?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
