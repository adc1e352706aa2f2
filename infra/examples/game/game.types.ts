/**
 * The types of a game, made from its definitions by `savepoint types`. Do not edit: the next run writes it anew.
 */

/** What `createClient<Game>()` knows of the game. */
export interface Game {
  readonly documents: {
    readonly players: Players;
  };
  /** What `save` takes: fields with a default may be left out. */
  readonly saves: {
    readonly players: PlayersSave;
  };
  readonly endpoints: {
    /**
     * Finds 1 to 6 gold, times the tool. The first call makes the player's document.
     * The server itself may refuse it with INVALID_INPUT, LIMIT_EXCEEDED, SCHEMA_VALIDATION_FAILED, and as every request.
     */
    readonly dig: {
      readonly input: { readonly name?: string };
      readonly answer: { readonly ok: true; readonly found: number; readonly gold: number };
      readonly refusals: never;
    };
    /**
     * Buys the next tool. Its price is a game value, so a designer changes it without code.
     * The server itself may refuse it with LIMIT_EXCEEDED, SCHEMA_VALIDATION_FAILED, and as every request.
     */
    readonly upgrade: {
      readonly input: { readonly [name: string]: never };
      readonly answer: { readonly ok: true; readonly tool: number; readonly gold: number };
      readonly refusals:
        /** 404: Dig some gold first. */
        | 'NO_PLAYER'
        /** 409: The next tool costs {{price}} gold; you have {{player.gold}}. */
        | 'TOO_POOR';
    };
  };
  /** The rows of leaderboards; `never`, of queries without rows. */
  readonly queries: {
    readonly richest: { readonly name?: string; readonly tool: number };
  };
  readonly values: { readonly shop: { readonly tool: number } };
  /** The rows of each table. */
  readonly tables: Record<never, never>;
}

/** One document per player. Everybody may look; only endpoints write, so that nobody mints gold. */
export interface Players {
  readonly name?: string;
  /** Default: 0. */
  readonly gold: number;
  /** Default: 1. */
  readonly tool: number;
}

/** What a save of one takes. */
export interface PlayersSave {
  readonly name?: string;
  /** Default: 0. */
  readonly gold?: number;
  /** Default: 1. */
  readonly tool?: number;
}
