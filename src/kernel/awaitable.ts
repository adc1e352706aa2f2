/**
 * A value, or a promise of it. Nearly every request asks for such values, and most are at hand: an async function would make a promise each
 * time, and one that passes on another's promise makes three (`return await` makes none more). A function that answers one may throw as well as
 * reject, so its caller must await it inside an async function.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` with the value: at once where the value is at hand. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
