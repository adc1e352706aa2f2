import type { Game } from '../support.ts';

/**
 * Tries a row of the table in docs/client.md: calls what our column names, and checks that it does what the specification says. `name` is
 * the row's first column.
 */
type Try = (game: Game, name: string) => void | Promise<void>;

/** By the specification's name. */
export type Tries = Readonly<Record<string, Try>>;

/** The names in the first column of a row, `A, B` or `Kind: A, B`, as the language writes them: `a`, `b`. */
export function namesIn(row: string): readonly string[] {
  return (row.split(': ').at(-1) ?? '').split(', ').map((name) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`);
}
