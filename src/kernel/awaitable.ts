/**
 * What may have to be waited for. For what nearly every request asks and nearly always is at hand: an async function would make a
 * promise of it each time, and one that hands on another's promise three (`return await` makes none more). Who makes one may throw at
 * once as well as reject: it is awaited inside an async function.
 */
export type Awaitable<T> = T | Promise<T>;

/** `next` of the value: at once where it is at hand. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
