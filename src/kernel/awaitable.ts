/**
 * What may have to be waited for. For what nearly every request asks and nearly always is at hand: an async function would make a
 * promise of it each time, and one that hands on another's promise three.
 */
export type Awaitable<T> = T | Promise<T>;
