import type { RevisionStatus as Handshake } from '../contract/answers.ts';
import { requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { mapped, orThrow, type Result, success } from './errors.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { Listeners } from './listeners.ts';
import { liveRevision, type RequestOptions } from './options.ts';
import type { Settings } from './request.ts';
import {
  type Members,
  outdatedOf,
  profileStatus,
  type RevisionOutdated,
  type RevisionStatus,
  refusedStatus,
  statusIn,
  unblockedStatus,
  unenforced,
} from './revision-status.ts';

/**
 * Whether this build of the game is outdated, and what follows from that. The server reports it with every call. A game that does not ask
 * does not load this.
 */

/** What the client does about an outdated revision. */
export interface RevisionSettings {
  /** `false`: the game is told of no outdated revision. */
  enabled: boolean;
  /** The prompt shows a text of this library where the project has none. */
  showDefaultMessage: boolean;
  /** `onOutdated` is called once for each revision that has come out, and not for each answer. */
  showOnlyOnce: boolean;
  /** How long the prompt waits before it opens, seconds. */
  gracePeriod: number;
  /** While the prompt is open, the list of lobbies is asked for every `lobbyRefreshInterval` seconds. */
  autoRefreshLobbies: boolean;
  lobbyRefreshInterval: number;
  allowSpaceToClose: boolean;
  autoOpenOnOutdated: boolean;
  /** `blockWrites` says when the game is outdated. */
  blockSavesOnOutdated: boolean;
  /** A host that is outdated takes no more requests of guests. */
  autoDisconnectHost: boolean;
}

/** Bound on the revisions that are noted. */
const MAX_TOLD = 1000;

const known = new WeakMap<Connection, Revision>();

/**
 * Whether this build of the game is outdated, as the server reports it, and what the client does then. For one client it is always the
 * same object.
 *
 * @example
 * ```ts
 * const revision = revisionOf(client);
 * const stop = revision.onChange(({ state, message }) => console.info(state, message));
 * await client.call('buy', { item: 'axe' });
 * revision.status; // → null
 * stop();
 * ```
 */
export function revisionOf<G extends GameTypes = AnyGame>(client: Client<G>): Revision {
  requireClient(client);
  const { connection, security } = client;
  const revision = known.get(connection) ?? new Revision(connection, () => security.now());
  known.set(connection, revision);
  return revision;
}

/** The state of this build of the game as the server reports it: current, outdated or blocked; `revisionOf` gives it. */
export class Revision {
  /** May be changed at any time. */
  readonly settings: RevisionSettings = Object.seal({
    enabled: true,
    showDefaultMessage: false,
    showOnlyOnce: true,
    gracePeriod: 0,
    autoRefreshLobbies: false,
    lobbyRefreshInterval: 10,
    allowSpaceToClose: true,
    autoOpenOnOutdated: true,
    blockSavesOnOutdated: false,
    autoDisconnectHost: false,
  });
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #changed: Listeners<RevisionStatus>;
  readonly #outdated: Listeners<RevisionOutdated>;
  readonly #lobbyList: Listeners<void>;
  #status: RevisionStatus | null = null;
  /** The revisions that the game was told of; `null`: one that a document route did not name. */
  readonly #told = new Set<number | null>();

  /**
   * `now`: the server's clock, unix ms.
   *
   * @internal
   */
  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
    const failed = (error: unknown) => connection.log('error', 'A listener to revisions threw', { error });
    this.#changed = new Listeners(failed);
    this.#outdated = new Listeners(failed);
    this.#lobbyList = new Listeners(failed);
    connection.revisions.follow({
      said: (body) => this.#update(statusIn(body), body),
      saidNothing: () => void (this.#status?.isOutdated && this.#update(unenforced(this.#status))),
      refused: (isWrite, message) => this.#update(refusedStatus(this.#status, isWrite, message)),
      taken: (isWrite) => void (this.#status && this.#update(unblockedStatus(this.#status, isWrite))),
    });
  }

  /**
   * The status that the last answer reported; `null`: none yet, or the project tracks no revisions.
   *
   * @example
   * ```ts
   * revisionOf(client).status; // → null
   * ```
   */
  get status(): RevisionStatus | null {
    return this.#status;
  }

  /**
   * Whether the game should write nothing: `settings.blockSavesOnOutdated` is set, and its revision is outdated. The client itself goes on
   * sending what it is told to.
   *
   * @example
   * ```ts
   * revisionOf(client).settings.blockSavesOnOutdated = true;
   * revisionOf(client).blockWrites; // → false
   * ```
   */
  get blockWrites(): boolean {
    return this.settings.blockSavesOnOutdated && this.#status?.isOutdated === true;
  }

  /**
   * Asks at the start of the game whether its revision is current.
   *
   * @example
   * ```ts
   * const { revisionOutdated } = await revisionOf(client).init();
   * revisionOutdated; // → false
   * ```
   */
  init(options?: RequestOptions & { readonly packageIdent?: string }): Promise<Handshake> {
    return orThrow(this.tryInit(options));
  }

  /**
   * The same as a value, because a game may start whatever the outcome.
   *
   * @example
   * ```ts
   * const asked = await revisionOf(client).tryInit();
   * asked.ok; // → true
   * ```
   */
  async tryInit({ packageIdent, ...options }: RequestOptions & { readonly packageIdent?: string } = {}): Promise<Result<Handshake>> {
    const prepare = async (settings: Settings) => success({ body: initBody(settings, packageIdent) });
    const ask = { method: 'POST', family: 'manage', path: ['revision-init'], isRepeatable: true, options, prepare } as const;
    return mapped(await this.#connection.send(ask), (answer) => answer.body as Handshake);
  }

  /**
   * Calls the listener on every change of the status, also when the project stops enforcing. Returns the function that removes it.
   *
   * @example
   * ```ts
   * const stop = revisionOf(client).onChange(({ state, message }) => console.info(state, message));
   * stop();
   * ```
   */
  onChange(listener: (status: RevisionStatus) => void): () => void {
    return this.#changed.add(listener);
  }

  /**
   * Calls the listener once for each revision that makes this one outdated (`settings.showOnlyOnce`). Returns the function that removes it.
   *
   * @example
   * ```ts
   * const stop = revisionOf(client).onOutdated(({ timeRemaining }) => console.info(timeRemaining));
   * stop();
   * ```
   */
  onOutdated(listener: (outdated: RevisionOutdated) => void): () => void {
    return this.#outdated.add(listener);
  }

  /**
   * Calls the listeners of `onOutdated`, whatever the settings say: for trying out what the game does then. With `graceSeconds` the grace
   * period has just begun, without it is over; other members are told as they are given. `status` stays.
   *
   * @example
   * ```ts
   * const reasons = [];
   * revisionOf(client).onOutdated(({ reason }) => reasons.push(reason));
   * revisionOf(client).testOutdated({ graceSeconds: 300 });
   * reasons; // → ['ManualTest']
   * ```
   */
  testOutdated(given: Partial<RevisionOutdated> = {}): void {
    const now = Math.floor(this.#now() / 1000);
    const { graceSeconds = 0 } = given;
    const revision = {
      revisionOutdated: true,
      currentRevisionId: liveRevision(this.#connection.options),
      graceSeconds,
      graceEndsAtUnixSeconds: given.graceEndsAtUnixSeconds ?? now + graceSeconds,
      serverUnixSeconds: now,
      message: 'A test: this version of the game is too old.',
    };
    const data = outdatedOf(profileStatus(revision), { revision }, this.#now());
    this.#outdated.emit({ ...data, source: 'manual-test', reason: 'ManualTest', ...given });
  }

  /**
   * Asks the game to read its list of lobbies anew: it calls the listeners of `onRefreshLobbyList`.
   *
   * @example
   * ```ts
   * revisionOf(client).refreshLobbyList();
   * ```
   */
  refreshLobbyList(): void {
    this.#lobbyList.emit();
  }

  /**
   * Calls the listener when the list of lobbies should be read anew. Returns the function that removes it.
   *
   * @example
   * ```ts
   * let asked = 0;
   * revisionOf(client).onRefreshLobbyList(() => asked++);
   * revisionOf(client).refreshLobbyList();
   * asked; // → 1
   * ```
   */
  onRefreshLobbyList(listener: () => void): () => void {
    return this.#lobbyList.add(listener);
  }

  /**
   * Tells the game of an outdated revision, as the settings say.
   *
   * @internal
   */
  tell(outdated: RevisionOutdated): void {
    const { enabled, showOnlyOnce } = this.settings;
    if (!enabled || this.#outdated.isEmpty) return;
    const isNew = this.#noteTold(outdated.latestRevisionId);
    if (isNew || !showOnlyOnce) this.#outdated.emit(outdated);
  }

  /** Returns whether the game was not told of the revision before. */
  #noteTold(revision: number | null): boolean {
    const told = this.#told;
    // A document route names no revision: what is named next is the same one.
    const isNew = revision === null ? told.size === 0 : !told.delete(null) && !told.has(revision);
    // Lobbies come from other computers, and may name as many as they like.
    if (told.size >= MAX_TOLD) told.clear();
    if (revision !== null || isNew) told.add(revision);
    return isNew;
  }

  /** `body`: what said so. */
  #update(status: RevisionStatus | null, body: Members = {}): void {
    const before = this.#status;
    if (status === before || status === null) return;
    this.#status = status;
    const isChange = before === null ? status.isOutdated : JSON.stringify(before) !== JSON.stringify(status);
    if (isChange) this.#changed.emit(status);
    if (status.isOutdated) this.tell(outdatedOf(status, body, this.#now()));
  }
}

/** The body of the question whether the revision is current. */
function initBody(settings: Settings, packageIdent = settings.packageIdent) {
  const revision = liveRevision(settings);
  return {
    projectId: settings.projectId,
    clientType: settings.clientType ?? 'game',
    networkStorageVersion: '1.0',
    isPublishedGameBundle: revision !== undefined,
    packageIdent,
    revisionId: revision,
  };
}
