import type { HeartbeatCounted, Tracked } from '../contract/answers.ts';
import { isObject } from './answer.ts';
import { requireClient } from './arguments.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { failure, mapped, type Result } from './errors.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { newIdempotencyKey } from './ids.ts';
import type { FilteredReport, RequestOptions } from './options.ts';
import type { Security } from './security.ts';
import { LIBRARY_VERSION } from './version.ts';

/**
 * Telemetry of a game. Nothing here throws: a lost report must not stop a game. A game that reports nothing does not load this.
 */

export interface Report {
  readonly label?: string;
  readonly message?: string;
  readonly severity?: 'info' | 'warning' | 'error' | 'custom' | 'session';
  readonly stack?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly playerName?: string;
}

export interface SessionOptions {
  /** Interval of the heartbeats, ms; 30 000 when left out. */
  readonly everyMs?: number;
  readonly playerName?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  /** Called before each heartbeat. If it throws, the heartbeat is sent without `fps`. */
  readonly fps?: () => number;
}

/** A play session that is being reported. */
export interface PlaySession {
  readonly id: string;
  /**
   * Stops the heartbeats and reports that the player leaves. `null`: the project wants no heartbeats.
   *
   * @example
   * ```ts
   * const session = analyticsOf(client).startSession();
   * const left = await session.end();
   * left?.ok; // → true
   * ```
   */
  end(): Promise<Result<HeartbeatCounted> | null>;
}

interface OpenSession {
  readonly id: string;
  /** `more`: members of the goodbye. */
  end(more: object): Promise<Result<HeartbeatCounted> | null>;
}

const HEARTBEAT_MS = 30_000;
/** What the server knows reports of a client library by. */
const SOURCE = 'network-storage-library';

const known = new WeakMap<Connection, Analytics>();

/**
 * The reports of a client: events, warnings, errors and heartbeats. For one client it is always the same object.
 *
 * @example
 * ```ts
 * const analytics = analyticsOf(client);
 * const session = analytics.startSession({ playerName: 'Ada' });
 * await analytics.track('level_done', { context: { level: 3 } });
 * await session.end();
 * ```
 */
export function analyticsOf<G extends GameTypes = AnyGame>(client: Client<G>): Analytics {
  requireClient(client);
  const { connection, security } = client;
  const analytics = known.get(connection) ?? new Analytics(connection, security);
  known.set(connection, analytics);
  return analytics;
}

/** Sends reports and heartbeats of the kinds that the project wants; `analyticsOf` gives it. */
export class Analytics {
  readonly #connection: Connection;
  readonly #security: Security;
  /** The play session under way. */
  #session: OpenSession | null = null;

  /** @internal */
  constructor(connection: Connection, security: Security) {
    this.#connection = connection;
    this.#security = security;
  }

  /**
   * Reports an event. `null`: the project wants no reports.
   *
   * @example
   * ```ts
   * const tracked = await analyticsOf(client).track('level_done', { context: { level: 3 } });
   * tracked?.ok && tracked.value.stored; // → true
   * ```
   */
  track(type: string, report: Report = {}, options?: RequestOptions): Promise<Result<Tracked> | null> {
    return this.#report(null, () => ({ ...report, type: textOf(type) }), options);
  }

  /**
   * Reports a warning. `null`: the project wants none.
   *
   * @example
   * ```ts
   * await analyticsOf(client).warning('LOW_MEMORY', 'less than 100 MB are left', { megabytes: 80 });
   * ```
   */
  warning(code: string, message?: string, context?: Report['context']): Promise<Result<Tracked> | null> {
    return this.#report('captureWarnings', () => ({ type: textOf(code), severity: 'warning', message, context }));
  }

  /**
   * Reports an error that was caught, or a code with what is known of it. `null`: the project wants none.
   *
   * @example
   * ```ts
   * try {
   *   throw new Error('the map is missing');
   * } catch (error) {
   *   await analyticsOf(client).error(error, { map: 'north' });
   * }
   * await analyticsOf(client).error('MAP_MISSING', 'the map is missing', 'at load (map.lua:3)', { map: 'north' });
   * ```
   */
  error(error: unknown, context?: Report['context']): Promise<Result<Tracked> | null>;
  error(code: string, message?: string, stack?: string, context?: Report['context']): Promise<Result<Tracked> | null>;
  error(given: unknown, second?: unknown, stack?: string, context?: Report['context']): Promise<Result<Tracked> | null> {
    return this.#report('captureErrors', () => {
      const about =
        given instanceof Error
          ? { type: given.name, message: given.message, stack: given.stack }
          : { type: textOf(given), message: typeof second === 'string' ? second : undefined, stack };
      return { ...about, severity: 'error', context: isObject(second) ? second : context };
    });
  }

  /**
   * Reports that the player has come, and sends heartbeats until `end`.
   *
   * @example
   * ```ts
   * const session = analyticsOf(client).startSession({ playerName: 'Ada' });
   * await session.end();
   * ```
   */
  startSession(options: SessionOptions = {}): PlaySession {
    const { everyMs = HEARTBEAT_MS, playerName, context, fps }: SessionOptions = Object(options);
    const started = performance.now();
    const id = newIdempotencyKey();
    const send = (event: string, more: object = {}) => {
      const sessionSeconds = (performance.now() - started) / 1000;
      return this.heartbeat(event, { sessionId: id, sessionSeconds, playerName, context, fps: this.#sampleFps(fps), ...more });
    };
    const timer = setInterval(() => void send('heartbeat'), everyMs);
    // The timer does not keep the program alive.
    (timer as { unref?: () => void }).unref?.();
    const session: OpenSession = {
      id,
      end: async (more) => {
        clearInterval(timer);
        await joined;
        const left = await send('leave', more);
        if (this.#session === session) this.#session = null;
        return left;
      },
    };
    this.#session = session;
    const joined = send('join');
    return { id, end: () => session.end({}) };
  }

  /**
   * Ends the play session under way, as its `end` does; the game may say how long it was, and what is known of it. `null`: there is none,
   * or the project wants no heartbeats.
   *
   * @example
   * ```ts
   * analyticsOf(client).startSession();
   * const left = await analyticsOf(client).endSession(90, { levels: 3 });
   * left?.ok; // → true
   * ```
   */
  async endSession(durationSeconds?: number, context?: Report['context']): Promise<Result<HeartbeatCounted> | null> {
    const more = { ...(durationSeconds !== undefined && { sessionSeconds: durationSeconds }), ...(context !== undefined && { context }) };
    return (await this.#session?.end(more)) ?? null;
  }

  /**
   * Sends one heartbeat: `join`, `heartbeat` or `leave`. `null`: the project wants none.
   *
   * @example
   * ```ts
   * const counted = await analyticsOf(client).heartbeat('heartbeat', { sessionSeconds: 30 });
   * counted?.ok && counted.value.persisted; // → true
   * ```
   */
  heartbeat(event: string, more: Readonly<Record<string, unknown>> = {}): Promise<Result<HeartbeatCounted> | null> {
    return this.#sent(['stats', 'heartbeat'], 'captureSessions', () => {
      const wanted = this.#filtered({ type: `session.${textOf(event)}`, severity: 'session' });
      return wanted && { event: textOf(event), ...more };
    });
  }

  #report(wanted: string | null, make: () => FilteredReport, options?: RequestOptions): Promise<Result<Tracked> | null> {
    return this.#sent(['analytics', 'events'], wanted, () => this.#filtered(make()), options);
  }

  /** Sends what `make` makes. Whatever that holds, it never throws. */
  async #sent<Value>(
    path: readonly string[],
    wanted: string | null,
    make: () => Readonly<Record<string, unknown>> | null,
    options?: RequestOptions,
  ): Promise<Result<Value> | null> {
    try {
      const report = make();
      const { analytics } = await this.#security.modes();
      if (report === null || analytics['enabled'] === false || (wanted !== null && analytics[wanted] === false)) return null;
      if (!isAllowed(report, analytics['allowedEventTypes'])) return null;
      const body = { ...this.#commonFields(), ...report, ...(analytics['retainErrorStacks'] === false && { stack: undefined }) };
      // A report that is sent twice counts twice, so it is repeated only if the server certainly did not take it.
      const request = { method: 'POST', family: 'storage', path, player: 'named', body, isRepeatable: false, options } as const;
      return mapped(await this.#connection.send(request), (answer) => answer.body as Value);
    } catch (cause) {
      return failure('INVALID_ARGUMENT', `This cannot be reported: ${textOf(cause)}`, { cause });
    }
  }

  #sampleFps(fps: SessionOptions['fps']): { readonly avg: number } | undefined {
    try {
      return fps && { avg: fps() };
    } catch (error) {
      this.#connection.log('error', 'fps of the session threw', { error });
      return undefined;
    }
  }

  /** The report as the game's own switches leave it. */
  #filtered(report: FilteredReport): FilteredReport | null {
    const { analytics, clientType } = this.#connection.options;
    return analytics === undefined ? report : analytics(report, clientType === 'editor');
  }

  #commonFields() {
    const { packageIdent } = this.#connection.options;
    const session = { platformId: this.#connection.player?.id, sessionId: this.#session?.id };
    return { ...session, source: SOURCE, libraryVersion: LIBRARY_VERSION, packageIdent };
  }
}

/** Types that have a switch of their own, or that client libraries send by themselves. */
const SWITCHED =
  /^(?:network_storage|(?:library|session|warning|error|endpoint|performance|network|voice|input|scene|runtime|revision|system)\b)/;

/** Whether the project lets the game make up events of this type. `allowed`: its setting `allowedEventTypes`. */
function isAllowed({ type, severity = 'custom' }: Readonly<Record<string, unknown>>, allowed: unknown): boolean {
  if (!Array.isArray(allowed) || typeof type !== 'string' || severity !== 'custom' || SWITCHED.test(nameOf(type))) return true;
  return allowed.some((one) => nameOf(one) === nameOf(type));
}

/** Blanks are sent as `_`, and types are stored in small letters. */
function nameOf(type: unknown): string {
  return textOf(type).trim().toLowerCase().replace(/\s/g, '_');
}

/** Any value as a text. `String` throws for some. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
