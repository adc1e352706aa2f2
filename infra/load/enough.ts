/** Has the game that keeps a pace stop before its time. */
export const ENOUGH = 'enough';
