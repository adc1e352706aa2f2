import type { RevisionStatus as Handshake } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import type { Connection } from './connection.ts';
import { mapped, orThrow, type Result } from './errors.ts';
import { Listeners } from './listeners.ts';
import type { RequestOptions } from './options.ts';

/** Whether this build of the game is outdated, and what follows from that. The server reports it with every call. */

export interface RevisionPolicy {
  readonly gracePeriodMinutes: number | null;
  readonly postGraceAction: string | null;
  readonly forceEndpointUpgrade: boolean;
  readonly notifyMessage: string | null;
  readonly showUpdateOptions: boolean;
  readonly showPopupOnce: boolean;
  readonly showDefaultMessage: boolean;
}

export interface RevisionStatus {
  /** `grace`: outdated, but still playable for a while. `blocked`: what `action` names is refused. */
  readonly state: 'current' | 'outdated' | 'grace' | 'blocked';
  readonly isOutdated: boolean;
  readonly graceExpired: boolean;
  /** `null`: there is no grace period. */
  readonly graceRemainingMinutes: number | null;
  readonly action: 'warn' | 'block_writes' | 'block_all' | null;
  /** A text for players. */
  readonly message: string | null;
  readonly playerRevision: number | null;
  readonly currentRevision: number | null;
  readonly enforcementMode: 'force_upgrade' | 'allow_continue';
  readonly policy: RevisionPolicy;
}

/** The state of this build of the game as the server reports it: current, outdated or blocked. */
export class Revision {
  readonly #connection: Connection;
  readonly #changed: Listeners<RevisionStatus>;
  readonly #outdated: Listeners<RevisionStatus>;
  #status: RevisionStatus | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
    const failed = (error: unknown) => connection.log('error', 'A listener to revisions threw', { error });
    this.#changed = new Listeners(failed);
    this.#outdated = new Listeners(failed);
  }

  /**
   * The status that the last call reported; `null`: none yet, or the project tracks no revisions.
   *
   * @example
   * ```ts
   * client.revision.status; // → null
   * ```
   */
  get status(): RevisionStatus | null {
    return this.#status;
  }

  /**
   * Asks at the start of the game whether its revision is current.
   *
   * @example
   * ```ts
   * const { revisionOutdated } = await client.revision.init();
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
   * const asked = await client.revision.tryInit();
   * asked.ok; // → true
   * ```
   */
  async tryInit({ packageIdent, ...options }: RequestOptions & { readonly packageIdent?: string } = {}): Promise<Result<Handshake>> {
    const { projectId, clientType = 'game', revision } = this.#connection.options;
    const body = {
      ...{ projectId, clientType, networkStorageVersion: '1.0', isPublishedGameBundle: revision !== undefined },
      ...{ packageIdent, revisionId: revision },
    };
    const ask = { method: 'POST', family: 'manage', path: ['revision-init'], body, isRepeatable: true, options } as const;
    return mapped(await this.#connection.send(ask), (answer) => answer.body as Handshake);
  }

  /**
   * Calls the listener whenever `isOutdated`, `graceExpired` or `action` changes. Returns the function that removes it.
   *
   * @example
   * ```ts
   * const stop = client.revision.onChange(({ state, message }) => console.info(state, message));
   * stop();
   * ```
   */
  onChange(listener: (status: RevisionStatus) => void): () => void {
    return this.#changed.add(listener);
  }

  /**
   * Calls the listener for every answer that says that the game is outdated. Returns the function that removes it.
   *
   * @example
   * ```ts
   * const stop = client.revision.onOutdated(({ graceRemainingMinutes }) => console.info(graceRemainingMinutes));
   * stop();
   * ```
   */
  onOutdated(listener: (status: RevisionStatus) => void): () => void {
    return this.#outdated.add(listener);
  }

  /**
   * Takes the revision status out of the body of a call. Returns the body without it.
   *
   * @internal
   */
  read(body: unknown): unknown {
    if (!isObject(body)) return body;
    const { _revisionStatus: raw, ...rest } = body;
    const hasStatus = isObject(raw) && typeof raw['isOutdatedRevision'] === 'boolean';
    const status = hasStatus ? statusOf(raw) : profileStatus(body['revision']);
    if (status !== null) this.#update(status);
    return hasStatus ? rest : body;
  }

  #update(status: RevisionStatus): void {
    const before = this.#status;
    this.#status = status;
    const key = (one: RevisionStatus | null) => [one?.isOutdated ?? false, one?.graceExpired ?? false, one?.action ?? null].join();
    if (key(before) !== key(status)) this.#changed.emit(status);
    if (status.isOutdated) this.#outdated.emit(status);
  }
}

type RawStatus = Readonly<Record<string, unknown>>;

function statusOf(raw: RawStatus): RevisionStatus {
  const policy = isObject(raw['policy']) ? raw['policy'] : {};
  return withState({
    isOutdated: raw['isOutdatedRevision'] === true,
    graceExpired: raw['graceExpired'] === true,
    graceRemainingMinutes: number(raw['graceRemainingMinutes']),
    action: actionOf(raw['action']),
    message: text(raw['message']),
    playerRevision: number(raw['playerRevision']),
    currentRevision: number(raw['currentRevision']),
    enforcementMode: raw['enforcementMode'] === 'allow_continue' ? 'allow_continue' : 'force_upgrade',
    policy: {
      gracePeriodMinutes: number(policy['gracePeriodMinutes']),
      postGraceAction: text(policy['postGraceAction']),
      forceEndpointUpgrade: policy['forceEndpointUpgrade'] === true,
      notifyMessage: text(policy['notifyMessage']),
      showUpdateOptions: policy['showUpdateOptions'] !== false,
      showPopupOnce: policy['showPopupOnce'] !== false,
      showDefaultMessage: policy['showDefaultMessage'] !== false,
    },
  });
}

/** The status in the form that `load-profile` answers with. */
function profileStatus(block: unknown): RevisionStatus | null {
  if (!isObject(block) || typeof block['revisionOutdated'] !== 'boolean') return null;
  const [ends, now] = [number(block['graceEndsAtUnixSeconds']), number(block['serverUnixSeconds'])];
  const leftSeconds = ends === null || now === null ? null : ends - now;
  const isOutdated = block['revisionOutdated'];
  const graceExpired = isOutdated && leftSeconds !== null && leftSeconds <= 0;
  const action = isOutdated ? (graceExpired ? 'block_writes' : 'warn') : null;
  const left = leftSeconds === null ? null : Math.max(0, Math.ceil(leftSeconds / 60));
  const raw = {
    ...{ isOutdatedRevision: isOutdated, graceExpired, action, graceRemainingMinutes: left, enforcementMode: block['enforcementMode'] },
    ...{ playerRevision: block['currentRevisionId'], currentRevision: block['latestRevisionId'], message: block['message'] },
  };
  return statusOf(raw);
}

function withState(status: Omit<RevisionStatus, 'state'>): RevisionStatus {
  const isBlocking = status.action === 'block_writes' || status.action === 'block_all';
  if (!status.isOutdated) return { state: 'current', ...status };
  if (isBlocking) return { state: 'blocked', ...status };
  return { state: status.graceRemainingMinutes === null ? 'outdated' : 'grace', ...status };
}

/** Servers send `block_saves` for `block_writes`, too. */
function actionOf(value: unknown): RevisionStatus['action'] {
  if (value === 'block_saves') return 'block_writes';
  return value === 'warn' || value === 'block_writes' || value === 'block_all' ? value : null;
}

const number = (value: unknown) => (typeof value === 'number' ? value : null);
const text = (value: unknown) => (typeof value === 'string' ? value : null);
