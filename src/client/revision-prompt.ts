import { requireClient, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { revisionOf } from './revision.ts';
import type { RevisionOutdated } from './revision-status.ts';

/** The prompt of an outdated game, without an appearance: when it opens, what it offers, and what the player chose. */

/** `waiting`: it opens when `settings.gracePeriod` is over. */
export type PromptState = 'closed' | 'waiting' | 'open';

/** Called with what the game was told of its revision. */
type OnChoice = (outdated: RevisionOutdated) => void;

export interface PromptOptions {
  /** The player wants a new game, on the newest revision. */
  readonly onCreateNewGame?: OnChoice;
  /** The player wants a lobby of the newest revision. */
  readonly onJoinNewLobby?: OnChoice;
  /** The player goes on with the outdated revision. */
  readonly onContinuePlaying?: OnChoice;
  /** The player has closed the prompt. */
  readonly onDismiss?: OnChoice;
  /** The state has changed; what the prompt shows may have, too. */
  readonly onChange?: (prompt: RevisionPrompt) => void;
}

const DEFAULT_MESSAGE = 'A newer version of the game is out.';

/**
 * Watches the client's revision and opens when it is outdated. A game draws it as it likes; `savepoint/client/revision-panel` draws it on a
 * page.
 *
 * @example
 * ```ts
 * const chosen = [];
 * const prompt = openRevisionPrompt(client, { onContinuePlaying: ({ reason }) => chosen.push(reason) });
 * revisionOf(client).testOutdated({ graceExpired: false, action: 'warn' });
 * prompt.state; // → 'open'
 * prompt.continuePlaying();
 * [prompt.state, chosen]; // → ['closed', ['ManualTest']]
 * prompt.close();
 * ```
 */
export function openRevisionPrompt<G extends GameTypes = AnyGame>(client: Client<G>, options: PromptOptions = {}): RevisionPrompt {
  requireClient(client);
  requireOptions(options);
  return new RevisionPrompt(client as unknown as Client<GameTypes>, options);
}

/** The prompt of one client; `openRevisionPrompt` makes it. */
export class RevisionPrompt {
  readonly #client: Client<GameTypes>;
  readonly #options: PromptOptions;
  readonly #stops: readonly (() => void)[];
  #state: PromptState = 'closed';
  #outdated: RevisionOutdated | null = null;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #refreshing: ReturnType<typeof setInterval> | undefined;

  /** @internal */
  constructor(client: Client<GameTypes>, options: PromptOptions) {
    const revision = revisionOf(client);
    this.#client = client;
    this.#options = options;
    this.#stops = [
      revision.onOutdated((outdated) => revision.settings.autoOpenOnOutdated && this.open(outdated)),
      revision.onChange(({ isOutdated }) => {
        if (!isOutdated) this.#become('closed');
        // What is offered may have changed.
        else if (this.#state === 'open') this.#become('open');
      }),
    ];
  }

  /**
   * What the prompt is doing now.
   *
   * @example
   * ```ts
   * openRevisionPrompt(client).state; // → 'closed'
   * ```
   */
  get state(): PromptState {
    return this.#state;
  }

  /**
   * What the game was told of its revision; `null`: nothing yet.
   *
   * @example
   * ```ts
   * openRevisionPrompt(client).outdated; // → null
   * ```
   */
  get outdated(): RevisionOutdated | null {
    return this.#outdated;
  }

  /**
   * The text for the player: the project's, or with `settings.showDefaultMessage` one of this library; `null`: none.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).testOutdated({ message: 'Please update.' });
   * prompt.message; // → 'Please update.'
   * ```
   */
  get message(): string | null {
    return this.#outdated?.message || (revisionOf(this.#client).settings.showDefaultMessage ? DEFAULT_MESSAGE : null);
  }

  /**
   * Whether the player may go on with the outdated revision: the project allows it, or the grace period still runs.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).testOutdated({ graceExpired: true, action: 'block_all' });
   * prompt.canContinue; // → false
   * ```
   */
  get canContinue(): boolean {
    const { enforcementMode, action } = this.#outdated ?? {};
    if (enforcementMode === 'allow_continue') return true;
    return action !== 'block_writes' && action !== 'block_all' && revisionOf(this.#client).status?.state !== 'blocked';
  }

  /**
   * Seconds until the grace period ends, by the server's clock; 0: it is over; `null`: there is none.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).testOutdated({ graceEndsAtUnixSeconds: 0 });
   * prompt.secondsLeft; // → 0
   * ```
   */
  get secondsLeft(): number | null {
    const ends = this.#outdated?.graceEndsAtUnixSeconds ?? null;
    return ends === null ? null : Math.max(0, Math.ceil(ends - this.#client.security.now() / 1000));
  }

  /**
   * Opens the prompt, after `settings.gracePeriod`. It opens by itself with `settings.autoOpenOnOutdated`.
   *
   * @example
   * ```ts
   * revisionOf(client).settings.autoOpenOnOutdated = false;
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).onOutdated((outdated) => prompt.open(outdated));
   * revisionOf(client).testOutdated();
   * prompt.state; // → 'open'
   * ```
   */
  open(outdated: RevisionOutdated): void {
    this.#outdated = outdated;
    const { gracePeriod } = revisionOf(this.#client).settings;
    const isDue = this.#state === 'open' || !(gracePeriod > 0);
    this.#become(isDue ? 'open' : 'waiting');
    if (!isDue) this.#opening = setTimeout(() => this.#become('open'), gracePeriod * 1000);
  }

  /**
   * The player wants a new game.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client, { onCreateNewGame: ({ latestRevisionId }) => console.info(latestRevisionId) });
   * prompt.createNewGame();
   * ```
   */
  createNewGame(): void {
    this.#choose(this.#options.onCreateNewGame);
  }

  /**
   * The player wants another lobby.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client, { onJoinNewLobby: () => revisionOf(client).refreshLobbyList() });
   * prompt.joinNewLobby();
   * ```
   */
  joinNewLobby(): void {
    this.#choose(this.#options.onJoinNewLobby);
  }

  /**
   * The player goes on. Nothing happens where that is not allowed (`canContinue`).
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).testOutdated({ action: 'block_all' });
   * prompt.continuePlaying();
   * prompt.state; // → 'open'
   * ```
   */
  continuePlaying(): void {
    if (this.canContinue) this.#choose(this.#options.onContinuePlaying);
  }

  /**
   * The player closes the prompt.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * revisionOf(client).testOutdated();
   * prompt.dismiss();
   * prompt.state; // → 'closed'
   * ```
   */
  dismiss(): void {
    this.#choose(this.#options.onDismiss);
  }

  /**
   * Stops watching the client.
   *
   * @example
   * ```ts
   * const prompt = openRevisionPrompt(client);
   * prompt.close();
   * revisionOf(client).testOutdated();
   * prompt.state; // → 'closed'
   * ```
   */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#become('closed');
  }

  /** A choice is one of an open prompt, and closes it. */
  #choose(listener: OnChoice | undefined): void {
    const outdated = this.#outdated;
    if (this.#state !== 'open' || outdated === null) return;
    this.#become('closed');
    this.#call(() => listener?.(outdated));
  }

  #become(state: PromptState): void {
    clearTimeout(this.#opening);
    clearInterval(this.#refreshing);
    const revision = revisionOf(this.#client);
    const { autoRefreshLobbies, lobbyRefreshInterval } = revision.settings;
    if (state === 'open' && autoRefreshLobbies)
      this.#refreshing = setInterval(() => revision.refreshLobbyList(), Math.max(1, lobbyRefreshInterval) * 1000);
    const isChange = state !== this.#state || state === 'open';
    this.#state = state;
    if (isChange) this.#call(() => this.#options.onChange?.(this));
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#client.connection.log('error', 'A listener of the prompt threw', { error });
    }
  }
}
