import type { Game } from '../support.ts';

/** Tries a row of the table in docs/client.md: calls what our column names, and checks that it does what the specification says. */
type Try = (game: Game) => void | Promise<void>;

/** By the specification's name. */
export type Tries = Readonly<Record<string, Try>>;
