/** The two ways back, in the same words on every page: what one commit did is undone, what a player had at a moment is restored. */

export const UNDO_MEANS = 'takes back what one commit did, and nothing else';
export const RESTORE_MEANS = 'gives again what was there at a moment and is less now';
/** The way to a restore from the line of a commit. */
export const RESTORE_BEFORE = 'Restore what was before this';
