/**
 * How background work shares the machine: with the batches of its project, with the project's other background work, and with other projects.
 */

/**
 * The time for which a view catches up before the project's next background work, such as a page of a fill, gets its turn. If one page of
 * events alternated with one page of a fill, a view would hardly catch up with the players.
 */
const TURN_MS = 300;

/** Repeats a step for one turn, at least once. `step` returns whether more is left, and so does this function. `now`: monotonic ms. */
export async function takeTurn(step: () => Promise<boolean>, now: () => number): Promise<boolean> {
  const until = now() + TURN_MS;
  while (await step()) if (now() > until) return true;
  return false;
}

/** The pause after a page of a fill, as a multiple of the page's duration. */
const PAUSE_FACTORS = { alone: 0.25, shared: 1, pressed: 4 };
/** The longest duration of a page that counts for the pause. On a slow machine, a longer pause would only delay the end. */
const MAX_PAGE_MS = 100;

/** What else needs the machine during a fill. */
export interface Others {
  /** Whether batches of its own project have fallen behind. */
  readonly isPressed: boolean;
  /** Whether no other project is in use. */
  readonly isAlone: boolean;
}

/** The pause of a fill after a page that blocked batches for `heldMs`, in ms. */
export function pauseAfter(heldMs: number, { isPressed, isAlone }: Others): number {
  const factor = isPressed ? PAUSE_FACTORS.pressed : isAlone ? PAUSE_FACTORS.alone : PAUSE_FACTORS.shared;
  return Math.min(heldMs, MAX_PAGE_MS) * factor;
}
