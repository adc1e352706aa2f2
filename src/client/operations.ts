import { requireKind } from './arguments.ts';

/** Operations on a document, which the server applies, all of one update or none. So the changes of two players add up in any order. */

type OperationName = 'set' | 'inc' | 'push' | 'pull' | 'remove' | 'merge' | 'set_if_null';

/** An operation as it is sent. `path` is dotted; `$` is the whole document. */
export interface Operation<Op extends string = OperationName, Path extends string = string, Value = unknown> {
  readonly op: Op;
  readonly path: Path;
  readonly value?: Value;
  /** `pull` only: the members of the items to take out. */
  readonly match?: unknown;
  /** The source of the change, for the ledger. */
  readonly source?: string;
  /** The reason of the change, for the ledger. */
  readonly reason?: string;
}

/** `members` never exists. It makes the compiler check that the object has all of the members. */
export interface Merge<Path extends string = string, Value = unknown> extends Operation<'merge', Path, Value> {
  readonly members?: keyof Value;
}

/** Source and reason of a change, which the ledger records. */
export interface Why {
  readonly source?: string;
  readonly reason?: string;
}

function at<Op extends OperationName, Path extends string>(op: Op, path: Path): { readonly op: Op; readonly path: Path } {
  requireKind('path', path, 'string');
  return { op, path };
}

/**
 * Sets a field.
 *
 * @example
 * ```ts
 * await client.documents('players').update(set('name', 'Ada'));
 * (await client.documents('players').get()).name; // → 'Ada'
 * ```
 */
export function set<const Path extends string, const Value>(path: Path, value: Value, why?: Why): Operation<'set', Path, Value> {
  return { ...at('set', path), value, ...why };
}

/**
 * Adds to a number; a negative amount subtracts.
 *
 * @example
 * ```ts
 * await client.documents('players').update(inc('gold', 5, { reason: 'found in the forest' }));
 * ```
 */
export function inc<const Path extends string>(path: Path, amount = 1, why?: Why): Operation<'inc', Path, number> {
  requireKind('amount', amount, 'number');
  return { ...at('inc', path), value: amount, ...why };
}

/**
 * Appends an item to a list.
 *
 * @example
 * ```ts
 * await client.documents('players').update([push('items', 'axe'), push('items', 'rope')]);
 * ```
 */
export function push<const Path extends string, const Value>(path: Path, value: Value): Operation<'push', Path, Value> {
  return { ...at('push', path), value };
}

/**
 * Removes the items of a list that have these members.
 *
 * @example
 * ```ts
 * await client.documents('bags').save({ items: [{ id: 'axe', level: 1 }, { id: 'rope' }] });
 * await client.documents('bags').update(pull('items', { id: 'axe' }));
 * (await client.documents('bags').get()).items; // → [{ id: 'rope' }]
 * ```
 */
export function pull<const Path extends string>(path: Path, match: object): Operation<'pull', Path> {
  requireKind('match', match, 'object');
  return { ...at('pull', path), match };
}

/**
 * Removes the items of a list that equal `value`.
 *
 * @example
 * ```ts
 * await client.documents('players').update([push('items', 'axe'), push('items', 'rope')]);
 * await client.documents('players').update(remove('items', 'axe'));
 * (await client.documents('players').get()).items; // → ['rope']
 * ```
 */
export function remove<const Path extends string, const Value>(path: Path, value: Value): Operation<'remove', Path, Value> {
  return { ...at('remove', path), value };
}

/**
 * Merges members into an object; `$` is the whole document.
 *
 * @example
 * ```ts
 * await client.documents('players').update(merge('$', { name: 'Ada', level: 2 }));
 * ```
 */
export function merge<const Path extends string, const Value extends object>(path: Path, value: Value): Merge<Path, Value> {
  requireKind('value', value, 'object');
  return { ...at('merge', path), value };
}

/**
 * Sets a field that has no value yet.
 *
 * @example
 * ```ts
 * await client.documents('players').update(setIfNull('name', 'Newcomer'));
 * ```
 */
export function setIfNull<const Path extends string, const Value>(path: Path, value: Value): Operation<'set_if_null', Path, Value> {
  return { ...at('set_if_null', path), value };
}
