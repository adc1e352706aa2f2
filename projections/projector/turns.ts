/**
 * How background work shares the machine: with the batches of its project, with the project's other background work, and with other
 * projects.
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

/** With this many waiting events, half of which may be postings, the state tables have fallen behind. */
const MANY_EVENTS = 4_000;

/** Whether the state tables, which are at `revision`, have fallen behind a stream that ends at `head`. */
export function hasFallenBehind(head: number, revision: number): boolean {
  return head - revision > MANY_EVENTS;
}

/** Pauses after a page, as multiples of the page's duration. */
type PauseFactors = Readonly<Record<'alone' | 'shared' | 'behind', number>>;
const OF_FILLS: PauseFactors = { alone: 0.25, shared: 1, behind: 4 };
/** A rebuild is no one project's work: it is alone where nobody writes. */
export const OF_REBUILDS: PauseFactors = { alone: 0, shared: 0.5, behind: 4 };
/** The longest duration of a page that counts for the pause. On a slow machine, a longer pause would only delay the end. */
const MAX_PAGE_MS = 100;

/** What else needs the machine during work in pages. */
export interface Contention {
  /** Whether batches of its own project have fallen behind. */
  readonly isBehind: boolean;
  /** Whether no other project is in use. */
  readonly isAlone: boolean;
}

/** The pause after a page that took, or blocked batches for, `pageMs`, in ms. */
export function pauseAfter(pageMs: number, { isBehind, isAlone }: Contention, factors = OF_FILLS): number {
  const factor = isBehind ? factors.behind : isAlone ? factors.alone : factors.shared;
  return Math.min(pageMs, MAX_PAGE_MS) * factor;
}
