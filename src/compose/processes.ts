import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { createProcessTable } from '../../projections/processes.ts';
import type { Activity, ProcessTable } from '../app/ports/processes.ts';
import type { Config } from '../config/config.ts';
import { pause } from '../kernel/pause.ts';
import { VERSION } from '../version.ts';
import type { OutageLogger } from './outages.ts';

/** What this process did, noted for the page that shows the installation's health. */

const MINUTE_MS = 60_000;
/** How often a minute is noted while it lasts, ms. */
const NOTE_MS = 15_000;
export const DAY_MS = 86_400_000;
/** How many notes lie between two removals of what is older than a day. */
const SWEEP_EVERY = 240;

interface ProcessBuild {
  readonly config: Config;
  readonly pool: pg.Pool;
  readonly registry: Registry;
  readonly outages: OutageLogger;
}

/** Begins to note. Returns the function that ends it. */
export function noteProcess({ config, pool, registry, outages }: ProcessBuild): () => Promise<void> {
  const table = createProcessTable(pool);
  const stopping = new AbortController();
  const running = note(table, registry, config.roles.join(','), stopping.signal, (err) =>
    outages.warn({ err }, 'what this process did could not be noted; the page of health lacks it'),
  );
  return async () => {
    stopping.abort();
    await running;
  };
}

async function note(
  table: ProcessTable,
  registry: Registry,
  roles: string,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  const id = randomBytes(6).toString('hex');
  const startedAt = Date.now();
  let minute = Math.floor(startedAt / MINUTE_MS);
  let before: Sample = NO_SAMPLE;
  for (let notes = 0; !stop.aborted; notes += 1) {
    try {
      const now = Date.now();
      const sample = await sampleOf(registry);
      const seen = { id, host: hostname(), pid: process.pid, version: VERSION, roles, startedAt, seenAt: now };
      await table.note(seen, minute, activityOf(before, sample));
      if (notes % SWEEP_EVERY === 0) await table.sweep(now - DAY_MS);
      if (Math.floor(now / MINUTE_MS) > minute) {
        minute = Math.floor(now / MINUTE_MS);
        before = sample;
      }
    } catch (error) {
      onError(error);
    }
    await pause(untilNextNote(Date.now()), stop);
  }
}

/** Notes fall on the ends of minutes, so that each has all of its minute. */
function untilNextNote(now: number): number {
  return NOTE_MS - (now % NOTE_MS);
}

/** What the metrics of a process say at one moment, since its start. */
interface Sample {
  /** Requests by the upper bound of their time, in seconds: each counts in every bucket that it fits. */
  readonly buckets: ReadonlyMap<number, number>;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly behind: number;
  readonly loop: EventLoopUtilization | undefined;
}

const NO_SAMPLE: Sample = { buckets: new Map(), requests: 0, refused: 0, failed: 0, behind: 0, loop: undefined };

/** Probes come all the time, and a stream takes as long as somebody looks on: neither says how requests fare. */
const NOT_COUNTED = /\/(?:health|ready|alive|metrics|live)\b|\bstream\b/;

async function sampleOf(registry: Registry): Promise<Sample> {
  const times = (await registry.getSingleMetric('savepoint_http_request_seconds')?.get())?.values ?? [];
  const buckets = new Map<number, number>();
  const answered = { requests: 0, refused: 0, failed: 0 };
  for (const time of times) {
    const { value, labels } = time;
    const name = 'metricName' in time ? String(time.metricName) : '';
    if (NOT_COUNTED.test(String(labels['route']))) continue;
    if (name.endsWith('_bucket')) {
      const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le']);
      buckets.set(bound, (buckets.get(bound) ?? 0) + value);
    }
    if (!name.endsWith('_count')) continue;
    const status = Number(labels['status']);
    answered.requests += value;
    if (status >= 400 && status < 500) answered.refused += value;
    if (status >= 500) answered.failed += value;
  }
  const lags = await Promise.all(
    ['savepoint_projection_lag_revisions', 'savepoint_projector_view_lag'].map(async (name) =>
      ((await registry.getSingleMetric(name)?.get())?.values ?? []).map(({ value }) => value),
    ),
  );
  return { buckets, ...answered, behind: Math.max(0, ...lags.flat()), loop: performance.eventLoopUtilization() };
}

/** What was done between two moments. */
function activityOf(before: Sample, now: Sample): Activity {
  const counts = [...now.buckets]
    .map(([bound, count]) => ({ bound, count: count - (before.buckets.get(bound) ?? 0) }))
    .sort((one, other) => one.bound - other.bound);
  return {
    requests: now.requests - before.requests,
    refused: now.refused - before.refused,
    failed: now.failed - before.failed,
    p50: quantileOf(counts, 0.5),
    p99: quantileOf(counts, 0.99),
    busy: busyBetween(before.loop, now.loop),
    memory: process.memoryUsage.rss(),
    behind: now.behind,
  };
}

function busyBetween(before: EventLoopUtilization | undefined, now: EventLoopUtilization | undefined): number {
  if (now === undefined) return 0;
  const { utilization } = before === undefined ? now : performance.eventLoopUtilization(now, before);
  return Math.min(1, Math.max(0, utilization));
}

/**
 * A quantile in milliseconds from cumulative counts by upper bound (seconds, ascending): it lies in a bucket, whose width says how exact it
 * is. `null`: nothing was counted. Beyond the last bound, that bound.
 */
export function quantileOf(counts: readonly { readonly bound: number; readonly count: number }[], quantile: number): number | null {
  const all = counts.at(-1)?.count ?? 0;
  if (all <= 0) return null;
  const wanted = quantile * all;
  const place = counts.findIndex(({ count }) => count >= wanted);
  const { bound, count } = counts[place] ?? { bound: 0, count: 0 };
  const { bound: from, count: below } = counts[place - 1] ?? { bound: 0, count: 0 };
  if (!Number.isFinite(bound)) return from * 1000;
  return (from + ((wanted - below) / (count - below)) * (bound - from)) * 1000;
}
