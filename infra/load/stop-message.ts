/** The message that ends an open-loop load before its time. */
export const STOP = 'stop';
