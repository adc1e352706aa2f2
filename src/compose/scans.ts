import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { Scans } from '../app/project/scans.ts';
import type { Config } from '../config/config.ts';
import { realScheduler } from '../kernel/scheduler.ts';

const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30];
/** Scans may use this fraction (one in so many) of the connections that readers and projections share. */
const SHARE = 6;

/** How many scans may run at a time on a pool of this size. */
export function scanSlots(connections: number): number {
  return Math.max(1, Math.floor(connections / SHARE));
}

/** The scans of a process, and their metrics. */
export function createScans({ limits }: Pick<Config, 'limits'>, slots: number, registry: Registry): Scans {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'savepoint_scan_seconds',
    help: 'Time of a scan from its turn to its end',
    buckets: SECONDS,
    registers,
  });
  const refused = new Counter({
    name: 'savepoint_scans_refused_total',
    help: 'Scans that found no place in the line, or had no time left',
    registers,
  });
  const observer = { ended: (ms: number) => seconds.observe(ms / 1000), refused: () => refused.inc() };
  const scans = new Scans({ slots, timeoutMs: limits.queryTimeoutMs }, realScheduler, observer);
  const now = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(count());
      },
    });
  now('savepoint_scans_running', 'Queries that pass over all documents, now', () => scans.running);
  now('savepoint_scans_waiting', 'Those that wait for their turn', () => scans.waiting);
  return scans;
}
