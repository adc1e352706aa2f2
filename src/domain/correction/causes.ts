/**
 * Causes of commits that put right what players have: the economy tells them apart from play. A caller cannot choose a commit's cause, as
 * it can choose the source of a ledger entry.
 */
export const CAUSE = {
  /** A write with the source `correction`. */
  correct: 'document.correct',
  undo: 'commit.undo',
  restore: 'player.restore',
  grant: 'grant.give',
  undoGrant: 'grant.take',
  import: 'project.import',
  /** A button of the console, pressed. */
  press: 'button.press',
} as const;

/** What ledgers name as the source of entries that a correction makes. */
export const SOURCE = { undo: 'undo', restore: 'restore', grant: 'grant' } as const;

const CORRECTIONS: ReadonlySet<string> = new Set(Object.values(CAUSE));

/** Whether a commit with this cause puts something right and is no play. */
export function isCorrectionCause(cause: string): boolean {
  return CORRECTIONS.has(cause);
}
