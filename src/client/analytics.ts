import type { HeartbeatCounted, Tracked } from '../contract/answers.ts';
import type { Connection } from './connection.ts';
import { mapped, type Result } from './errors.ts';
import { newIdempotencyKey } from './ids.ts';
import type { RequestOptions } from './options.ts';
import type { Security } from './security.ts';

/** Telemetry of a game. Nothing here throws: a lost report must not stop a game. */

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
   * const session = client.analytics.startSession();
   * const left = await session.end();
   * left?.ok; // → true
   * ```
   */
  end(): Promise<Result<HeartbeatCounted> | null>;
}

const HEARTBEAT_MS = 30_000;
const SOURCE = 'savepoint-client';

/** Sends reports and heartbeats of the kinds that the project wants. */
export class Analytics {
  readonly #connection: Connection;
  readonly #security: Security;
  /** The id of the play session under way. */
  #session: string | null = null;

  constructor(connection: Connection, security: Security) {
    this.#connection = connection;
    this.#security = security;
  }

  /**
   * Reports an event. `null`: the project wants no reports.
   *
   * @example
   * ```ts
   * const tracked = await client.analytics.track('level_done', { context: { level: 3 } });
   * tracked?.ok && tracked.value.stored; // → true
   * ```
   */
  track(type: string, report: Report = {}, options?: RequestOptions): Promise<Result<Tracked> | null> {
    return this.#report(null, { ...report, type }, options);
  }

  /**
   * Reports a warning. `null`: the project wants none.
   *
   * @example
   * ```ts
   * await client.analytics.warning('LOW_MEMORY', 'less than 100 MB are left', { megabytes: 80 });
   * ```
   */
  warning(code: string, message?: string, context?: Report['context']): Promise<Result<Tracked> | null> {
    return this.#report('captureWarnings', { type: code, severity: 'warning', message, context });
  }

  /**
   * Reports an error that was caught, or a code. `null`: the project wants none.
   *
   * @example
   * ```ts
   * try {
   *   throw new Error('the map is missing');
   * } catch (error) {
   *   await client.analytics.error(error, { map: 'north' });
   * }
   * ```
   */
  async error(error: unknown, context?: Report['context']): Promise<Result<Tracked> | null> {
    const isError = error instanceof Error;
    const { retainErrorStacks = false } = (await this.#security.modes()).analytics;
    const stack = isError && retainErrorStacks === true ? error.stack : undefined;
    const type = isError ? error.name : String(error);
    return this.#report('captureErrors', { type, severity: 'error', message: isError ? error.message : undefined, stack, context });
  }

  /**
   * Reports that the player has come, and sends heartbeats until `end`.
   *
   * @example
   * ```ts
   * const session = client.analytics.startSession({ playerName: 'Ada' });
   * await session.end();
   * ```
   */
  startSession({ everyMs = HEARTBEAT_MS, playerName, context, fps }: SessionOptions = {}): PlaySession {
    const started = performance.now();
    const id = newIdempotencyKey();
    this.#session = id;
    const send = (event: string) => {
      const sessionSeconds = (performance.now() - started) / 1000;
      return this.heartbeat(event, { sessionSeconds, playerName, context, fps: this.#sampleFps(fps) });
    };
    const joined = send('join');
    const timer = setInterval(() => void send('heartbeat'), everyMs);
    // The timer does not keep the program alive.
    (timer as { unref?: () => void }).unref?.();
    return {
      id,
      end: async () => {
        clearInterval(timer);
        await joined;
        const left = await send('leave');
        this.#session = null;
        return left;
      },
    };
  }

  /**
   * Sends one heartbeat: `join`, `heartbeat` or `leave`. `null`: the project wants none.
   *
   * @example
   * ```ts
   * const counted = await client.analytics.heartbeat('heartbeat', { sessionSeconds: 30 });
   * counted?.ok && counted.value.persisted; // → true
   * ```
   */
  async heartbeat(event: string, more: Readonly<Record<string, unknown>> = {}): Promise<Result<HeartbeatCounted> | null> {
    if (!(await this.#wants('captureSessions'))) return null;
    const body = { ...this.#commonFields(), event, ...more };
    const request = {
      method: 'POST',
      family: 'storage',
      path: ['stats', 'heartbeat'],
      player: 'named',
      body,
      isRepeatable: false,
    } as const;
    return mapped(await this.#connection.send(request), (answer) => answer.body as HeartbeatCounted);
  }

  async #report(
    wanted: string | null,
    event: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Result<Tracked> | null> {
    if (!(await this.#wants(wanted))) return null;
    const body = { ...this.#commonFields(), ...event };
    const path = ['analytics', 'events'];
    // A report that is sent twice counts twice, so it is repeated only if the server certainly did not take it.
    const request = { method: 'POST', family: 'storage', path, player: 'named', body, isRepeatable: false, options } as const;
    return mapped(await this.#connection.send(request), (answer) => answer.body as Tracked);
  }

  #sampleFps(fps: SessionOptions['fps']): { readonly avg: number } | undefined {
    try {
      return fps && { avg: fps() };
    } catch (error) {
      this.#connection.log('error', 'fps of the session threw', { error });
      return undefined;
    }
  }

  async #wants(kind: string | null): Promise<boolean> {
    const { analytics } = await this.#security.modes();
    return analytics['enabled'] !== false && (kind === null || analytics[kind] !== false);
  }

  #commonFields() {
    return { platformId: this.#connection.player?.id, sessionId: this.#session ?? undefined, source: SOURCE };
  }
}
