/** The message that ends the game at an even pace before its time. */
export const ENOUGH = 'enough';
