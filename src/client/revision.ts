import type { RevisionStatus as Handshake } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import type { Connection } from './connection.ts';
import { mapped, orThrow, type Result } from './errors.ts';
import { Listeners } from './listeners.ts';
import type { RequestOptions } from './options.ts';

/** Whether this build of the game is too old, and what follows from that. The server says it with every call. */

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
  /** `grace`: outdated, and may be played a while. `blocked`: what `action` names is refused. */
  readonly state: 'current' | 'outdated' | 'grace' | 'blocked';
  readonly isOutdated: boolean;
  readonly graceExpired: boolean;
  /** `null`: no grace period runs. */
  readonly graceRemainingMinutes: number | null;
  readonly action: 'warn' | 'block_writes' | 'block_all' | null;
  /** A text for players. */
  readonly message: string | null;
  readonly playerRevision: number | null;
  readonly currentRevision: number | null;
  readonly enforcementMode: 'force_upgrade' | 'allow_continue';
  readonly policy: RevisionPolicy;
}

/** What the server says of this build of the game: current, outdated or blocked. */
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
   * What the last call said; `null`: nothing yet, or the project tracks no revisions.
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
   * The same as a value: a game starts whatever comes of it.
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
    const ask = { method: 'POST', family: 'manage', path: ['revision-init'], body, repeats: true, options } as const;
    return mapped(await this.#connection.send(ask), (answer) => answer.body as Handshake);
  }

  /**
   * Calls the listener whenever `outdated`, `graceExpired` or `action` has changed. Returns the function that ends this.
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
   * Calls the listener for every answer that calls the game outdated. Returns the function that ends this.
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
   * Takes what the body of a call says of revisions; answers the body without it.
   *
   * @internal
   */
  read(body: unknown): unknown {
    if (!isObject(body)) return body;
    const { _revisionStatus: told, ...rest } = body;
    const isTold = isObject(told) && typeof told['isOutdatedRevision'] === 'boolean';
    const status = isTold ? statusOf(told) : profileStatus(body['revision']);
    if (status !== null) this.#take(status);
    return isTold ? rest : body;
  }

  #take(status: RevisionStatus): void {
    const before = this.#status;
    this.#status = status;
    const key = (of: RevisionStatus | null) => [of?.isOutdated ?? false, of?.graceExpired ?? false, of?.action ?? null].join();
    if (key(before) !== key(status)) this.#changed.tell(status);
    if (status.isOutdated) this.#outdated.tell(status);
  }
}

type Told = Readonly<Record<string, unknown>>;

function statusOf(told: Told): RevisionStatus {
  const policy = isObject(told['policy']) ? told['policy'] : {};
  return withState({
    isOutdated: told['isOutdatedRevision'] === true,
    graceExpired: told['graceExpired'] === true,
    graceRemainingMinutes: number(told['graceRemainingMinutes']),
    action: actionOf(told['action']),
    message: text(told['message']),
    playerRevision: number(told['playerRevision']),
    currentRevision: number(told['currentRevision']),
    enforcementMode: told['enforcementMode'] === 'allow_continue' ? 'allow_continue' : 'force_upgrade',
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

/** The block that `load-profile` answers with. */
function profileStatus(block: unknown): RevisionStatus | null {
  if (!isObject(block) || typeof block['revisionOutdated'] !== 'boolean') return null;
  const [ends, now] = [number(block['graceEndsAtUnixSeconds']), number(block['serverUnixSeconds'])];
  const leftSeconds = ends === null || now === null ? null : ends - now;
  const isOutdated = block['revisionOutdated'];
  const graceExpired = isOutdated && leftSeconds !== null && leftSeconds <= 0;
  const action = isOutdated ? (graceExpired ? 'block_writes' : 'warn') : null;
  const left = leftSeconds === null ? null : Math.max(0, Math.ceil(leftSeconds / 60));
  const told = {
    ...{ isOutdatedRevision: isOutdated, graceExpired, action, graceRemainingMinutes: left, enforcementMode: block['enforcementMode'] },
    ...{ playerRevision: block['currentRevisionId'], currentRevision: block['latestRevisionId'], message: block['message'] },
  };
  return statusOf(told);
}

function withState(status: Omit<RevisionStatus, 'state'>): RevisionStatus {
  const isBlocking = status.action === 'block_writes' || status.action === 'block_all';
  if (!status.isOutdated) return { state: 'current', ...status };
  if (isBlocking) return { state: 'blocked', ...status };
  return { state: status.graceRemainingMinutes === null ? 'outdated' : 'grace', ...status };
}

/** `block_saves` is another word for `block_writes`. */
function actionOf(told: unknown): RevisionStatus['action'] {
  if (told === 'block_saves') return 'block_writes';
  return told === 'warn' || told === 'block_writes' || told === 'block_all' ? told : null;
}

const number = (value: unknown) => (typeof value === 'number' ? value : null);
const text = (value: unknown) => (typeof value === 'string' ? value : null);
