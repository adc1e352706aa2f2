import type { WindowChange } from '../events.ts';
import type { WindowState } from '../states.ts';

/** A window after one change. The change carries the new amount. A flag stays until the window ends. */
export function evolveWindow(state: WindowState | null, change: WindowChange): WindowState {
  const flagged = change.flagged === true || (state !== null && state.start === change.start && state.flagged);
  return { start: change.start, used: change.after, flagged };
}
