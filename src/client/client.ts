import type { GameValues, ServerInfo } from '../contract/answers.ts';
import { checkArguments, requireKind } from './arguments.ts';
import { Calls } from './calls.ts';
import { Connection } from './connection.ts';
import { Documents } from './documents.ts';
import { mapped, orThrow, type Result, type SavepointError } from './errors.ts';
import type {
  Address,
  AnswerOf,
  AnyGame,
  BoardOf,
  CallArguments,
  CollectionOf,
  DocumentOf,
  GameTypes,
  InputOf,
  QueryOf,
  RefusalsOf,
  SaveOf,
  SlugOf,
} from './game.ts';
import type { ClientOptions, Player, PublishTarget, RequestOptions } from './options.ts';
import { type AnyResult, type Leaderboard, type QueryOptions, readValues, runLeaderboard, runQuery } from './queries.ts';
import { Records } from './records.ts';
import type { Relay } from './relay.ts';
import { Security } from './security.ts';
import { Sessions } from './sessions.ts';

/**
 * Makes a client of one project. It sends nothing before its first request.
 *
 * @example
 * ```ts
 * const client = createClient({ url, projectId, publicKey, player: '76561198000000001' });
 * const { price } = await client.call('buy', { item: 'axe' });
 * price; // → 7
 * ```
 */
export function createClient<G extends GameTypes = AnyGame>(options: ClientOptions = {}): Client<G> {
  return new Client<G>(options);
}

/** A client of one project; `createClient` makes it. */
export class Client<G extends GameTypes = AnyGame> {
  readonly #connection: Connection;
  readonly #calls: Calls;
  /** The project's security config. The client follows it by itself, so a game rarely needs this. */
  readonly security: Security;
  /** Sessions of the player. The client opens them by itself if the project uses them. */
  readonly sessions: Sessions;
  /** Sends a guest's requests through its host; `guestRelay` makes it. `null`: requests go to the server. */
  relay: Relay | null = null;

  /** `origin`: the client that this one is made of. */
  constructor(options: ClientOptions, origin?: Client<G>) {
    const connection = new Connection(options, origin?.connection);
    this.#connection = connection;
    this.security = new Security(connection);
    this.sessions = new Sessions(connection);
    this.#calls = new Calls(connection, this.security, this.sessions, () => this.relay);
  }

  /**
   * Sends all requests. Other parts of this library use it.
   *
   * @internal
   */
  get connection(): Connection {
    return this.#connection;
  }

  /**
   * Whether address, project and key are known. Those from `credentials` are known from the first request on.
   *
   * @example
   * ```ts
   * createClient({ url: 'https://play.example.com' }).isConfigured; // → false
   * client.isConfigured; // → true
   * ```
   */
  get isConfigured(): boolean {
    return this.#connection.isConfigured;
  }

  /**
   * The beginning of every URL, API version included.
   *
   * @example
   * ```ts
   * createClient({ url: 'https://play.example.com/' }).apiRoot; // → 'https://play.example.com/v3'
   * ```
   */
  get apiRoot(): string {
    return this.#connection.apiRoot;
  }

  /**
   * Which definitions and data requests use: `live`, or `next` for the staged ones.
   *
   * @example
   * ```ts
   * client.publishTarget = 'next';
   * (await client.values()).constants; // → { shop: { axe: 7 } }
   * client.publishTarget = 'live';
   * ```
   */
  get publishTarget(): PublishTarget {
    return this.#connection.options.publishTarget ?? 'live';
  }

  set publishTarget(publishTarget: PublishTarget) {
    this.configure({ publishTarget });
  }

  /**
   * The player.
   *
   * @example
   * ```ts
   * client.player = { id: '76561198000000002', token: () => 'a token of the login' };
   * client.player?.id; // → '76561198000000002'
   * ```
   */
  get player(): Player | null {
    return this.#connection.player;
  }

  set player(player: Player | string | null) {
    this.configure({ player });
  }

  /**
   * Changes options of a client that is in use.
   *
   * @example
   * ```ts
   * client.configure({ timeoutMs: 5_000, revision: 12 });
   * ```
   */
  configure(changes: ClientOptions): void {
    this.#connection.change(changes);
    if ('url' in changes || 'projectId' in changes) this.security.forget();
    if ('publishTarget' in changes || 'player' in changes || 'projectId' in changes) this.sessions.forget();
  }

  /**
   * Calls an endpoint by its slug, or by an address that ends with it, and resolves to its answer. Throws a {@link SavepointError} with the
   * author's code if the endpoint refuses. The call happens once, whatever the network does.
   *
   * @example
   * ```ts
   * const { left } = await client.call('buy', { item: 'axe' });
   * left; // → 3
   * ```
   */
  call<S extends SlugOf<G> | Address>(endpoint: S, ...rest: CallArguments<InputOf<G, S>>): Promise<AnswerOf<G, S>> {
    return orThrow(this.#calls.call(endpoint, ...rest));
  }

  /**
   * The same as a value, for refusals that are part of the game.
   *
   * @example
   * ```ts
   * await client.call('buy', { item: 'axe' });
   * const bought = await client.tryCall('buy', { item: 'axe' });
   * bought.ok ? 'bought' : bought.error.code; // → 'TOO_POOR'
   * ```
   */
  tryCall<S extends SlugOf<G> | Address>(
    endpoint: S,
    ...rest: CallArguments<InputOf<G, S>>
  ): Promise<Result<AnswerOf<G, S>, RefusalsOf<G, S>>> {
    return this.#calls.call(endpoint, ...rest) as Promise<Result<AnswerOf<G, S>, RefusalsOf<G, S>>>;
  }

  /**
   * The error of the last call of an endpoint; `null`: it succeeded, or there was none.
   *
   * @example
   * ```ts
   * await client.tryCall('buy', { item: 'castle' });
   * client.lastError('buy')?.code; // → 'NO_ITEM'
   * ```
   */
  lastError(slug: string): SavepointError | null {
    return this.#calls.lastError(slug);
  }

  /**
   * The documents of a collection.
   *
   * @example
   * ```ts
   * const players = client.documents('players');
   * (await players.get()).gold; // → 10
   * ```
   */
  documents<C extends CollectionOf<G>>(collection: C): Documents<DocumentOf<G, C>, SaveOf<G, C>> {
    return new Documents(this.#connection, collection, () => this.relay);
  }

  /**
   * The save records of a collection: named slots of the player.
   *
   * @example
   * ```ts
   * await client.records('slots').create('Camp');
   * (await client.records('slots').list()).records.length; // → 1
   * ```
   */
  records<C extends CollectionOf<G>>(collection: C): Records {
    return new Records(this.#connection, collection);
  }

  /**
   * Reads a leaderboard. `own` adds the player's own row with its rank, `around` shows the rows near it.
   *
   * @example
   * ```ts
   * await client.documents('scores').save({ points: 40, name: 'Ada' });
   * const { entries, player } = await client.leaderboard('top', { own: true, limit: 10 });
   * [entries[0]?.data.name, player?.rank]; // → ['Ada', 1]
   * ```
   */
  leaderboard<Q extends BoardOf<G>>(query: Q, options?: QueryOptions): Promise<Leaderboard<G['queries'][Q]>> {
    return orThrow(this.tryLeaderboard(query, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const board = await client.tryLeaderboard('nothing');
   * board.ok ? 'there' : board.error.code; // → 'NOT_FOUND'
   * ```
   */
  tryLeaderboard<Q extends BoardOf<G>>(query: Q, options?: QueryOptions): Promise<Result<Leaderboard<G['queries'][Q]>>> {
    return runLeaderboard(this.#connection, query, options);
  }

  /**
   * Runs a query of any type: a count, a sum, an average …
   *
   * @example
   * ```ts
   * const result = await client.query('top');
   * result.type; // → 'leaderboard'
   * ```
   */
  query<Q extends QueryOf<G>>(query: Q, options?: QueryOptions): Promise<AnyResult<G['queries'][Q]>> {
    return orThrow(this.tryQuery(query, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const result = await client.tryQuery('top', { limit: 3 });
   * result.ok; // → true
   * ```
   */
  tryQuery<Q extends QueryOf<G>>(query: Q, options?: QueryOptions): Promise<Result<AnyResult<G['queries'][Q]>>> {
    return runQuery(this.#connection, query, options);
  }

  /**
   * Reads the game values: `constants` by group, `tables` with their rows.
   *
   * @example
   * ```ts
   * const { constants } = await client.values();
   * constants.shop.axe; // → 7
   * ```
   */
  values(options?: RequestOptions): Promise<ValuesOf<G>> {
    return orThrow(this.tryValues(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const values = await client.tryValues();
   * values.ok && values.value.constants.shop.axe; // → 7
   * ```
   */
  tryValues(options?: RequestOptions): Promise<Result<ValuesOf<G>>> {
    return readValues(this.#connection, options) as Promise<Result<ValuesOf<G>>>;
  }

  /**
   * What the server is: product, version, capabilities. It is read once.
   *
   * @example
   * ```ts
   * const { product, version } = await client.serverInfo();
   * [product, version >= MIN_SERVER_VERSION]; // → ['savepoint', true]
   * ```
   */
  serverInfo(options?: RequestOptions): Promise<ServerInfo> {
    return orThrow(this.tryServerInfo(options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * const info = await client.tryServerInfo();
   * info.ok && info.value.kind; // → 'self-hosted'
   * ```
   */
  tryServerInfo(options?: RequestOptions): Promise<Result<ServerInfo>> {
    return this.#connection.serverInfo(options);
  }

  /**
   * Whether the server has a capability, such as `live` or `guests`; an older server may lack it.
   *
   * @example
   * ```ts
   * await client.supports('live'); // → true
   * await client.supports('teleport'); // → false
   * ```
   */
  supports(capability: string, options?: RequestOptions): Promise<boolean> {
    return orThrow(this.trySupports(capability, options));
  }

  /**
   * The same as a value.
   *
   * @example
   * ```ts
   * await client.trySupports('live'); // → { ok: true, value: true }
   * ```
   */
  async trySupports(capability: string, options?: RequestOptions): Promise<Result<boolean>> {
    const given = checkArguments(() => requireKind('capability', capability, 'string'));
    return given.ok ? mapped(await this.tryServerInfo(options), ({ capabilities }) => capabilities.includes(capability)) : given;
  }

  /**
   * A client with the same options for another player. A dedicated server uses one for each of its players.
   *
   * @example
   * ```ts
   * const bo = client.as('76561198000000002');
   * (await bo.documents('players').get())?.gold; // → 50
   * ```
   */
  as(player: Player | string): Client<G> {
    return new Client<G>({ ...this.#connection.options, player }, this);
  }
}

/** Game values, typed by the game's constants and tables. */
export type ValuesOf<G extends GameTypes> = Omit<GameValues, 'constants' | 'tables'> & {
  readonly constants: G['values'];
  readonly tables: G extends { readonly tables: infer Rows }
    ? { readonly [Name in keyof Rows]: ValueTable<Rows[Name]> }
    : GameValues['tables'];
};

/** A table of the game values. */
export interface ValueTable<Row> {
  readonly id: string;
  readonly name: string;
  readonly columns: readonly { readonly key: string; readonly type: string }[];
  readonly rows: readonly Row[];
}
