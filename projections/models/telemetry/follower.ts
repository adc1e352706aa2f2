import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { throttled } from '../../../src/kernel/error-reporting.ts';
import { UnknownEvent } from '../../../src/log/decode.ts';
import { createNotifier } from '../../../src/log/notifier.ts';
import type { Log } from '../../../src/log/port.ts';
import { TELEMETRY_PREFIX, telemetryProjectOf, telemetryStream } from '../../../src/log/streams.ts';
import { HistoryMismatch } from '../../checkpoints.ts';
import type { ProjectorLogger } from '../../projector/context.ts';
import { retry } from '../../projector/retry.ts';
import type { Transaction } from '../../tables.ts';
import { transaction } from '../../transaction.ts';
import { beginTelemetry, checkHistory, readBatch, TELEMETRY_VERSIONS, tryLockCheckpoint } from './checkpoint.ts';
import { writeTelemetry } from './projection.ts';
import { beginFromTotals } from './totals.ts';

/**
 * The projector of telemetry, apart from the one of game data. It writes one batch of one project at a time through one connection. While
 * there is more, it pauses for longer than the batch took. So a flood of telemetry makes telemetry late, and nothing else.
 *
 * Following only tells that a stream has grown. The events are read from the stream in pages, so that memory holds few of them. Any number
 * of these may run on one database: the one that has locked a project's checkpoint writes, and the others look again later.
 */

export interface TelemetryFollowerOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
}

export interface TelemetryFollower {
  readonly counters: Readonly<{ events: number; batches: number; failures: number }>;
  /** Events in the log that the tables do not show, as far as this process knows. */
  lag(): number;
  /** Projects whose telemetry stopped, with the reason (an unknown event, two histories). */
  stopped(): ReadonlyMap<string, Error>;
  start(): void;
  /**
   * Writes what the log holds at the time of the call, for at most `withinMs`, and ends after the batch under way. The rest is written
   * after the next start, or by another follower.
   */
  stop(withinMs?: number): Promise<void>;
}

/** Lets a small batch grow. */
const LINGER_MS = 40;
const CONTENTION_BACKOFF_MS = 500;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** The pause after a batch while there is more, as a multiple of the batch's time: the database serves game data first. */
const PAUSE_FACTOR = 2;
const MAX_PAUSE_MS = 400;
/** Time limit of a batch at its first try. It doubles for each further try, because a large sweep may really need longer. */
const TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 1_200_000;
const FINISHING_MS = 10;
/** How often stopped projects are looked at again: an operator may have removed the cause. */
const REFRESH_MS = 10_000;
const IDLE_MS = 5_000;

/** What this process knows of one project. */
interface ProjectState {
  /** Last revision of the stream. */
  head: number;
  /** Last revision that the tables show. */
  shown: number;
  /** The project is not looked at before this time (`performance.now()`). */
  notBefore: number;
  attempts: number;
  isBegun: boolean;
  failure: Error | null;
}

export function createTelemetryFollower({ log, pool, logger }: TelemetryFollowerOptions): TelemetryFollower {
  const counters = { events: 0, batches: 0, failures: 0 };
  const projects = new Map<string, ProjectState>();
  const stopping = new AbortController();
  /** How much of the log this follower was given. */
  let given = { position: 0n, steps: 0, caughtUp: false };
  let isWriting = false;
  /** Set when it is to stop: then there are no pauses. */
  let isFinishing = false;
  const notifier = createNotifier();
  const onError = throttled((error: unknown) => logger.warn({ err: error }, 'telemetry cannot be followed; trying again'));
  let running: Promise<unknown> | null = null;

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  const retrying = { stopping: stopping.signal, pause: () => pause(RETRY_MS), onError };

  const grown = (projectId: string, revision: number) => {
    const state = projects.get(projectId);
    if (state) state.head = Math.max(state.head, revision);
    else projects.set(projectId, { head: revision, shown: -1, notBefore: 0, attempts: 0, isBegun: false, failure: null });
  };

  /** Looks for streams that grew while nobody followed. */
  const lookAtAll = async () => {
    const { rows } = await pool.query<{ project: string }>('SELECT project FROM savepoint.projects');
    for (const { project } of rows) {
      if (stopping.signal.aborted) return;
      const head = await log.head(telemetryStream(project));
      if (head) grown(project, head.revision);
    }
    notifier.notify();
  };

  const follow = async () => {
    const after = await retry(() => log.end(), retrying);
    if (after === undefined) return;
    const looking = retry(lookAtAll, retrying);
    for await (const step of log.follow({ prefix: TELEMETRY_PREFIX, after, signal: stopping.signal, onError })) {
      for (const { stream, revision } of step.events) grown(telemetryProjectOf(stream) ?? '', revision);
      given = { position: step.position, steps: given.steps + 1, caughtUp: step.caughtUp };
      if (step.events.length > 0) notifier.notify();
    }
    await looking;
  };

  const work = async () => {
    while (!stopping.signal.aborted) {
      const { notifications } = notifier;
      const due = nextDue(projects);
      if (due === null) await notifier.wait(notifications, IDLE_MS, stopping.signal);
      else if (due.waitMs > 0) await notifier.wait(notifications, due.waitMs, stopping.signal);
      else await writing(due.projectId, due.state);
    }
  };

  const writing = async (projectId: string, state: ProjectState) => {
    isWriting = true;
    await writeOne(projectId, state);
    isWriting = false;
  };

  const writeOne = async (projectId: string, state: ProjectState) => {
    // The next turn belongs to another project.
    projects.delete(projectId);
    projects.set(projectId, state);
    if (state.head - state.shown < LINGER_EVENTS && !isFinishing) await pause(LINGER_MS);
    const startedAt = performance.now();
    try {
      await step(projectId, state);
      state.attempts = 0;
      state.failure = null;
    } catch (error) {
      failed(projectId, state, error);
    }
    if (state.head > state.shown && !isFinishing) await pause(Math.min(PAUSE_FACTOR * (performance.now() - startedAt), MAX_PAUSE_MS));
  };

  const step = async (projectId: string, state: ProjectState) => {
    if (!state.isBegun) await beginTelemetry(pool, projectId);
    const timeoutMs = Math.min(TIMEOUT_MS * 2 ** state.attempts, MAX_TIMEOUT_MS);
    const written = await transaction(pool, projectId, TELEMETRY_VERSIONS, (tx) => batch(tx, state), timeoutMs);
    state.isBegun = true;
    if (written === null) {
      state.notBefore = performance.now() + CONTENTION_BACKOFF_MS;
      return;
    }
    state.shown = written.shown;
    // The log has no more, whatever following said of it.
    if (written.events === 0) state.head = written.shown;
    counters.events += written.events;
    counters.batches += written.events > 0 ? 1 : 0;
  };

  /** `null`: another process holds the project. */
  const batch = async (tx: Transaction, state: ProjectState): Promise<{ readonly events: number; readonly shown: number } | null> => {
    const { projectId } = tx;
    const at = await tryLockCheckpoint(tx);
    if (at === null) return null;
    // Checked at the first look, and whenever the tables are not where this process left them.
    if (!state.isBegun || at.revision !== state.shown) await checkHistory(log, projectId, at);
    const from = at.revision < 0 ? await beginFromTotals(tx, log) : at.revision;
    const { events, unknown } = await readBatch(log, projectId, from);
    if (events.length === 0 && unknown !== null) throw unknown;
    await writeTelemetry(tx, events);
    return { events: events.length, shown: events.at(-1)?.revision ?? from };
  };

  const failed = (projectId: string, state: ProjectState, error: unknown) => {
    counters.failures += 1;
    state.attempts += 1;
    state.isBegun = false;
    const isFinal = error instanceof UnknownEvent || error instanceof HistoryMismatch;
    const retryMs = isFinal ? REFRESH_MS : Math.min(RETRY_MS * 2 ** (state.attempts - 1), MAX_RETRY_MS);
    state.notBefore = performance.now() + retryMs;
    if (!isFinal) logger.warn({ project: projectId, err: error }, 'telemetry could not be written and will be tried again');
    if (isFinal && state.failure?.message !== error.message) {
      logger.error(
        { project: projectId, err: error },
        'telemetry of this project stopped; cure the cause, then savepoint rebuild telemetry',
      );
    }
    state.failure = isFinal ? error : null;
  };

  /** Projects that others hold, or that failed, are not waited for. */
  const untilShown = async (withinMs: number) => {
    const deadline = performance.now() + withinMs;
    const { steps } = given;
    const end = await Promise.race([log.end().catch(() => null), pause(withinMs)]);
    const isGiven = () => end == null || given.position >= end || (given.steps > steps + 1 && given.caughtUp);
    const isShown = () => !isWriting && (nextDue(projects)?.waitMs ?? 1) > 0;
    while (performance.now() < deadline && !stopping.signal.aborted && !(isGiven() && isShown())) await pause(FINISHING_MS);
    const left = [...projects.values()].reduce((sum, { head, shown }) => sum + Math.max(0, head - shown), 0);
    if (left > 0) logger.warn({ events: left }, 'stopped before all telemetry was shown; it is after the next start');
  };

  return {
    counters,
    lag: () => [...projects.values()].reduce((sum, { head, shown }) => sum + Math.max(0, head - shown), 0),
    stopped: () => new Map([...projects].flatMap(([id, { failure }]) => (failure === null ? [] : [[id, failure] as const]))),
    start() {
      const ended = (error: unknown) => {
        if (!stopping.signal.aborted) logger.error({ err: error }, 'following telemetry ended');
      };
      running = Promise.all([follow().catch(ended), work().catch(ended)]);
    },
    async stop(withinMs = 0) {
      isFinishing = true;
      if (running !== null && withinMs > 0) await untilShown(withinMs);
      stopping.abort();
      await running;
    },
  };
}

/** With this many events waiting, waiting for more gains nothing. */
const LINGER_EVENTS = 500;

/** The project that is written next, and how long to wait before. */
function nextDue(
  projects: ReadonlyMap<string, ProjectState>,
): { readonly projectId: string; readonly state: ProjectState; readonly waitMs: number } | null {
  const now = performance.now();
  let next: { readonly projectId: string; readonly state: ProjectState; readonly waitMs: number } | null = null;
  for (const [projectId, state] of projects) {
    if (state.head <= state.shown) continue;
    const waitMs = Math.max(0, state.notBefore - now);
    if (waitMs === 0) return { projectId, state, waitMs };
    if (next === null || waitMs < next.waitMs) next = { projectId, state, waitMs };
  }
  return next;
}
