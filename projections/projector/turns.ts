/**
 * How background work shares the machine: with the batches of its own project, with the project's other background work, and with other
 * projects.
 */

/**
 * How long a view that is behind goes on before the next work of the project, such as a page of a fill, has its turn. With a page of events for
 * each page of a fill it would hardly overtake the players.
 */
const TURN_MS = 300;

/** Repeats a step for one turn, once at least. `step` returns whether there is more to do, and so does this. `now`: monotonic ms. */
export async function takeTurn(step: () => Promise<boolean>, now: () => number): Promise<boolean> {
  const until = now() + TURN_MS;
  while (await step()) if (now() > until) return true;
  return false;
}

/** The length of the pause after a page of a fill by that of the page. */
const PAUSE_FACTORS = { alone: 0.25, shared: 1, pressed: 4 };
/** The longest page that counts for a pause. Where the whole machine is slow, a longer pause would only delay the end. */
const MAX_PAGE_MS = 100;

/** Who needs the machine beside a fill. */
export interface Others {
  /** Whether batches of its own project have fallen behind. */
  readonly isPressed: boolean;
  /** Whether no other project is in use. */
  readonly isAlone: boolean;
}

/** How long a fill pauses after a page that held batches up for `heldMs`, ms. */
export function pauseAfter(heldMs: number, { isPressed, isAlone }: Others): number {
  const factor = isPressed ? PAUSE_FACTORS.pressed : isAlone ? PAUSE_FACTORS.alone : PAUSE_FACTORS.shared;
  return Math.min(heldMs, MAX_PAGE_MS) * factor;
}
