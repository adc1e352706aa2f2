import type pg from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import { createTelemetryFollower, type TelemetryFollower } from '../../projections/models/telemetry/follower.ts';
import { createTelemetryReader } from '../../projections/models/telemetry/read.ts';
import type { TelemetryParts } from '../app/context.ts';
import { HeartbeatFolds } from '../app/telemetry/heartbeat-folds.ts';
import { TelemetryRecorder } from '../app/telemetry/telemetry-recorder.ts';
import type { Config } from '../config/config.ts';
import { throttled } from '../kernel/error-reporting.ts';
import { realScheduler } from '../kernel/scheduler.ts';
import type { Log } from '../log/port.ts';
import type { OutageLogger } from './outages.ts';
import type { Shutdown } from './shutdown.ts';

interface TelemetryBuild {
  readonly log: Log;
  readonly pool: pg.Pool;
  readonly logger: OutageLogger;
  readonly registry: Registry;
  readonly shutdown: Shutdown;
}

/** Most players whose heartbeats a process aggregates, about 1 KB each. */
const MAX_GATHERED = 50_000;
/** Minimum interval of the log line for `SAVE_NOT_CONFIRMED`, which operators can search for, ms. */
const ALERT_EVERY_MS = 60_000;

/** Opens the part that receives telemetry in a process that serves requests. */
export function openTelemetry(
  { log, pool, logger, registry, shutdown }: TelemetryBuild,
  { heartbeatFoldMs }: Pick<Config['limits'], 'heartbeatFoldMs'>,
): TelemetryParts {
  const registers = [registry];
  const events = new Counter({
    name: 'savepoint_telemetry_events_total',
    help: 'Telemetry that was stored, or lost: the queue was full, the log was late or did not take it',
    labelNames: ['outcome'],
    registers,
  });
  const failures = new Counter({ name: 'savepoint_save_failures_total', help: 'Saves that games did not find again', registers });
  const onError = throttled((error: unknown) => logger.warn({ err: error }, 'telemetry could not be stored; games go on without it'));
  const alert = throttled(
    (about: object) => logger.error({ code: 'SAVE_NOT_CONFIRMED', ...about }, 'a game did not find what it had saved'),
    ALERT_EVERY_MS,
  );
  const observer = {
    stored: (count: number) => events.inc({ outcome: 'stored' }, count),
    lost: (count: number, outcome: string) => events.inc({ outcome }, count),
  };
  const recorder = new TelemetryRecorder({ log, scheduler: realScheduler, observer, onError });
  shutdown.add(() => recorder.close());
  const heartbeats = new HeartbeatFolds(recorder, realScheduler, { foldMs: heartbeatFoldMs, players: MAX_GATHERED });
  meter(registry, recorder, heartbeats);
  shutdown.add(() => heartbeats.close());
  return {
    recorder,
    heartbeats,
    reader: createTelemetryReader(pool),
    onSaveFailed(project, { collectionId, recordKey, reason }) {
      failures.inc();
      alert({ project, collectionId, recordKey, reason });
    },
  };
}

/** Metrics of what this process holds of telemetry. */
function meter(registry: Registry, recorder: TelemetryRecorder, heartbeats: HeartbeatFolds): void {
  const registers = [registry];
  new Gauge({
    name: 'savepoint_telemetry_queue',
    help: 'Telemetry that waits for the log',
    registers,
    collect() {
      this.set(recorder.length);
    },
  });
  new Counter({
    name: 'savepoint_heartbeats_folded_total',
    help: 'Heartbeats that were not stored each, but as part of an event for some minutes',
    registers,
    collect() {
      this.reset();
      this.inc(heartbeats.folded);
    },
  });
  new Gauge({
    name: 'savepoint_heartbeat_players',
    help: 'Players whose heartbeats this process gathers',
    registers,
    collect() {
      this.set(heartbeats.size);
    },
  });
}

/**
 * The projector of telemetry, if the process has that role. It stops after the part that receives telemetry, so that the last reports are
 * still projected, and a verification after a stop finds nothing missing. `withinMs`: the longest time for that.
 */
export function followTelemetry({ log, pool, logger, registry, shutdown }: TelemetryBuild, withinMs: number): TelemetryFollower {
  const follower = createTelemetryFollower({ log, pool, logger });
  shutdown.add(() => follower.stop(withinMs));
  follower.start();
  exportFollower(registry, follower);
  return follower;
}

function exportFollower(registry: Registry, follower: TelemetryFollower): void {
  const registers = [registry];
  const total = (name: string, counter: 'events' | 'foreign', help: string) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(follower.counters[counter]);
      },
    });
  total('savepoint_telemetry_projected_total', 'events', 'Telemetry events written into the read models');
  total('savepoint_telemetry_foreign_total', 'foreign', 'Events that other programs wrote to streams of telemetry; they are passed over');
  new Gauge({
    name: 'savepoint_telemetry_lag_events',
    help: 'Telemetry events in the log that the read models do not show yet',
    aggregator: 'max',
    registers,
    collect() {
      this.set(follower.lag());
    },
  });
  new Gauge({
    name: 'savepoint_telemetry_stopped_projects',
    help: 'Projects whose telemetry is no longer projected: an unknown event, or two histories',
    registers,
    collect() {
      this.set(follower.stopped().size);
    },
  });
}
