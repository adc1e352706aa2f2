/**
 * A value, or a promise of it. Nearly every request needs such values, and most are available at once: an async function would make a
 * promise each time, and one that returns another's promise makes three (`return await` makes no more). A function that returns an
 * `Awaitable` may throw as well as reject, so its caller must await it inside an async function.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is available. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
