import type pg from 'pg';
import { readFollowed } from '../../projections/projector/followed.ts';
import { QUERY_TIMEOUT } from '../../projections/query-timeout.ts';
import { PROJECTION_NAMES } from '../../projections/registry.ts';
import { throttled } from '../kernel/error-reporting.ts';
import { pause } from '../kernel/pause.ts';
import type { Log } from '../log/port.ts';
import { projectStream } from '../log/streams.ts';
import { hasProjects } from './log.ts';

/**
 * Whether a process may be sent requests. It may be once the read models have reached the log's end of the moment when the process began.
 * The database says so, for a node that projects as for a node that does not.
 */
export interface Readiness {
  /** How many projects have read models that have not been there yet. `null` until they are counted; once 0, always 0. */
  readonly behind: number | null;
  /** Whether the read models of this project have been there. Until then they show only a part of it, and no earlier state as a whole. */
  hasCaughtUp(projectId: string): boolean;
  stop(): Promise<void>;
}

export interface ReadinessOptions {
  readonly log: Log;
  readonly pool: pg.Pool;
  readonly onError: (error: unknown) => void;
  /** A project whose read models do not move for this long has a problem of its own, which must not keep the others from being served. */
  readonly stallMs?: number;
}

const STALL_MS = 30_000;
const POLL_MS = 200;
/** How many heads of streams are asked for at the same time. */
const CONCURRENCY = 4;

/** Paused views, which may not move for long, are left out: their answers say that they are stale. */
const SHOWN = `
SELECT c.project, min(c.revision) AS revision FROM savepoint.checkpoints c
JOIN savepoint.projection_versions v ON v.name = c.projection AND v.active = c.version
WHERE v.name = ANY ($1) AND c.paused_at IS NULL GROUP BY c.project`;

/** By project: the head that its read models have to show, what they show, and when they last moved (`performance.now()`). */
type Lagging = Map<string, { readonly head: number; shown: number; movedAt: number }>;

type Asking = <T>(question: () => Promise<T>) => Promise<T>;

/** Starts to watch, and goes on until all read models have caught up or it is stopped. */
export function watchReadiness({ log, pool, onError, stallMs = STALL_MS }: ReadinessOptions): Readiness {
  const stopping = new AbortController();
  const report = throttled(onError);
  const rest = () => pause(POLL_MS, stopping.signal);
  let waiting: Lagging = new Map();
  let behind: number | null = null;

  /** Asks again while log or database do not answer. Throws once everything stops. */
  const answered: Asking = async (question) => {
    for (;;) {
      stopping.signal.throwIfAborted();
      try {
        return await question();
      } catch (error) {
        report(error);
        await rest();
      }
    }
  };

  /** Waits until a projector has read the whole log once. Before that not all projects are known. */
  const followedOnce = async (): Promise<void> => {
    if (!(await answered(() => hasProjects(log)))) return;
    while ((await answered(() => readFollowed(pool, log))) === null) await rest();
  };

  const watch = async (): Promise<void> => {
    await followedOnce();
    waiting = await laggingIn(log, pool, answered);
    for (behind = waiting.size; waiting.size > 0; behind = waiting.size) {
      await rest();
      dropCaughtUp(waiting, await answered(() => shownBy(pool)), stallMs);
    }
  };

  const watching = watch().catch((error: unknown) => {
    if (!stopping.signal.aborted) report(error);
  });
  return {
    get behind() {
      return behind;
    },
    hasCaughtUp: (projectId) => behind !== null && !waiting.has(projectId),
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

async function laggingIn(log: Log, pool: pg.Pool, answered: Asking): Promise<Lagging> {
  const lagging: Lagging = new Map();
  const rest = [...(await answered(() => shownBy(pool)))];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [project, shown] = next;
      const head = (await answered(() => log.head(projectStream(project))))?.revision ?? -1;
      if (shown < head) lagging.set(project, { head, shown, movedAt: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return lagging;
}

/** Forgets the projects whose read models show their heads, and those that have not moved for `stallMs`. */
function dropCaughtUp(lagging: Lagging, shown: ReadonlyMap<string, number>, stallMs: number): void {
  for (const [project, one] of lagging) {
    const revision = shown.get(project) ?? -1;
    if (revision > one.shown) one.movedAt = performance.now();
    one.shown = revision;
    if (revision >= one.head || performance.now() - one.movedAt > stallMs) lagging.delete(project);
  }
}

async function shownBy(pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ project: string; revision: string }>({ ...QUERY_TIMEOUT, text: SHOWN, values: [PROJECTION_NAMES] });
  return new Map(rows.map((row) => [row.project, Number(row.revision)]));
}
