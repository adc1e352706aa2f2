import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { cached } from '../kernel/cached.ts';
import { type CallTimes, createCallTimes } from './call-times.ts';

/**
 * All metrics of the server, in one registry. The transport counts requests; the writer, the working set and the projector set the other
 * members. Durations are seconds.
 */
export interface Metrics {
  readonly registry: Registry;
  /** `route` is a pattern, never a path: paths would make endless series. */
  observeRequest(route: string, status: number, seconds: number): void;
  readonly calls: CallTimes;
  /** Commits in one append. */
  readonly appendGroupSize: Histogram;
  readonly appendSeconds: Histogram;
  readonly appendConflicts: Counter;
  readonly appendFailures: Counter;
  /** Writes that exceeded a rule whose action is `flag`. */
  readonly writesFlagged: Counter;
  /** Commits that wait for an append. */
  readonly writerQueue: Gauge;
  /** Revisions that a projection lags behind. */
  readonly projectionLag: Gauge<'projection'>;
  readonly workingSetHits: Counter;
  readonly workingSetMisses: Counter;
  readonly workingSetBytes: Gauge;
  /** Bytes of leaderboards in memory. */
  readonly boardBytes: Gauge;
  readonly live: LiveMetrics;
}

/** Streams of live changes. */
interface LiveMetrics {
  readonly streams: Gauge;
  readonly topics: Gauge;
  readonly values: Gauge;
  readonly messages: Counter;
  readonly resyncs: Counter;
  readonly refused: Counter<'bound'>;
  readonly waiting: Gauge;
  readonly held: Counter;
  readonly cut: Counter;
}

/** Resolves with the text of `/metrics`, as bytes. */
export type Exposition = () => Promise<Buffer>;

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
/** How long a text is cached, ms: making it takes milliseconds. */
const EXPOSITION_TTL_MS = 1_000;

/** Calls `make` at most once a second, and caches its text. */
export function expositionOf(make: () => Promise<string>): Exposition {
  return cached(async () => Buffer.from(await make()), EXPOSITION_TTL_MS);
}

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const APPEND_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5];
const DELAY_RESOLUTION_MS = 20;
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 400];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'savepoint_http_request_seconds',
    help: 'Time from a request to its answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  watchEventLoop(registry);
  // Metrics of the process that every Prometheus client collects: memory, CPU, garbage collection, open files. The delay of the event loop
  // is sampled as rarely as ours; the default is a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DELAY_RESOLUTION_MS });

  return {
    registry,
    observeRequest: (route, status, seconds) => requests.observe({ route, status }, seconds),
    calls: createCallTimes(registry),
    appendGroupSize: new Histogram({ name: 'savepoint_append_commits', help: 'Commits in one append', buckets: GROUP_BUCKETS, registers }),
    appendSeconds: new Histogram({ name: 'savepoint_append_seconds', help: 'Time of one append', buckets: APPEND_BUCKETS, registers }),
    appendConflicts: new Counter({ name: 'savepoint_append_conflicts_total', help: 'Appends that met another writer', registers }),
    writesFlagged: new Counter({
      name: 'savepoint_writes_flagged_total',
      help: 'Writes over rate-limit rules with the action flag, the first of a window',
      registers,
    }),
    appendFailures: new Counter({ name: 'savepoint_append_failures_total', help: 'Appends that failed, and are tried again', registers }),
    writerQueue: new Gauge({ name: 'savepoint_writer_queue', help: 'Commits that wait for an append', registers }),
    projectionLag: new Gauge({
      name: 'savepoint_projection_lag_revisions',
      help: 'Revisions that a projection is behind the log',
      labelNames: ['projection'],
      // Over several processes, the largest value counts.
      aggregator: 'max',
      registers,
    }),
    workingSetHits: new Counter({ name: 'savepoint_working_set_hits_total', help: 'Subjects found in memory', registers }),
    workingSetMisses: new Counter({ name: 'savepoint_working_set_misses_total', help: 'Subjects loaded from the state tables', registers }),
    boardBytes: new Gauge({ name: 'savepoint_board_memory_bytes', help: 'Bytes of leaderboards held in memory', registers }),
    live: {
      streams: new Gauge({ name: 'savepoint_live_streams', help: 'Streams of live changes that are open', registers }),
      topics: new Gauge({ name: 'savepoint_live_topics', help: 'Topics of the open streams of live changes', registers }),
      values: new Gauge({
        name: 'savepoint_live_values_bytes',
        help: 'Bytes of the values that topics of live streams keep for those who come later',
        registers,
      }),
      messages: new Counter({ name: 'savepoint_live_messages_total', help: 'Values and refusals sent over live streams', registers }),
      resyncs: new Counter({
        name: 'savepoint_live_resyncs_total',
        help: 'Clients of live streams that were told to read anew: too far behind, too slow, or a value too large for the stream',
        registers,
      }),
      refused: new Counter({
        name: 'savepoint_live_refused_total',
        help: 'Live streams refused because there were too many, or too many topics, by what they were too many of',
        labelNames: ['bound'],
        registers,
      }),
      waiting: new Gauge({ name: 'savepoint_live_waiting_bytes', help: 'Bytes that wait for the clients of streams', registers }),
      held: new Counter({
        name: 'savepoint_live_held_total',
        help: 'Times that a stream was sent nothing yet because too much waited for all clients, or for those of its project',
        registers,
      }),
      cut: new Counter({
        name: 'savepoint_live_cut_total',
        help: 'Streams whose clients took nothing and were cut, because others had no room',
        registers,
      }),
    },
    workingSetBytes: new Gauge({ name: 'savepoint_working_set_bytes', help: 'Bytes held by the working set', registers }),
  };
}

function watchEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'savepoint_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape',
    labelNames: ['quantile'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set({ quantile: '0.5' }, delay.percentile(50) / 1e9);
      this.set({ quantile: '0.99' }, delay.percentile(99) / 1e9);
      this.set({ quantile: '1' }, delay.max / 1e9);
      delay.reset();
    },
  });
}
