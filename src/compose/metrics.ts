import { Counter, Gauge, type Registry } from 'prom-client';
import type { Projector } from '../../projections/projector/projector.ts';
import type { Projects } from '../app/project/projects.ts';
import { quotaRefusals } from '../app/project/quota-refusals.ts';
import type { WriterObserver } from '../app/project/writer.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { QUEUES } from '../jobs/kinds.ts';
import { STATES } from '../jobs/view.ts';
import type { Bulkhead } from '../kernel/bulkhead.ts';

export function observerOf(metrics: Metrics): WriterObserver {
  return {
    appended(commits, _events, ms, flagged) {
      if (flagged > 0) metrics.writesFlagged.inc(flagged);
      metrics.appendGroupSize.observe(commits);
      metrics.appendSeconds.observe(ms / 1000);
    },
    conflict: () => metrics.appendConflicts.inc(),
    failed: () => metrics.appendFailures.inc(),
    queue: (length) => metrics.writerQueue.set(length),
  };
}

/** Sets metrics that are cheaper to sample once a second than to count on every request. */
export function sampleMetrics(metrics: Metrics, projects: Projects): () => Promise<void> {
  let hits = 0;
  let misses = 0;
  const sample = () => {
    const open = projects.openProjects;
    const lags = open.map(({ set }) => set.head - set.horizon);
    metrics.projectionLag.set({ projection: 'state' }, Math.max(0, ...lags));
    metrics.workingSetBytes.set(projects.cache.versions.calculatedSize + open.reduce((sum, project) => sum + project.set.windowBytes, 0));
    const { counts } = projects;
    metrics.workingSetHits.inc(counts.hits - hits);
    metrics.workingSetMisses.inc(counts.misses - misses);
    hits = counts.hits;
    misses = counts.misses;
  };
  const timer = setInterval(sample, 1000);
  timer.unref();
  return async () => clearInterval(timer);
}

/**
 * Metrics of a projector: its work since the start, and the projects that it has stopped. They are read when `/metrics` is.
 */
export function exportProjector(registry: Registry, projector: Projector): void {
  const registers = [registry];
  const total = (name: 'events' | 'batches' | 'failures' | 'foreign', help: string) =>
    new Counter({
      name: `savepoint_projector_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(projector.counters[name]);
      },
    });
  total('events', 'Events written into the read models');
  total('batches', 'Transactions that wrote them');
  total('failures', 'Batches and views that could not be written and are tried again');
  total('foreign', 'Events that other programs wrote to streams of projects; they are passed over');
  new Gauge({
    name: 'savepoint_projector_stopped_projects',
    help: 'Projects whose projection stopped: an unknown event, or two histories',
    registers,
    collect() {
      this.set(projector.stopped().size);
    },
  });
  new Gauge({
    name: 'savepoint_projector_paused_views',
    help: 'Views that are paused, counted for each project: they failed several times, and are tried again at growing intervals',
    registers,
    collect() {
      this.set(projector.pausedViews());
    },
  });
  new Gauge({
    name: 'savepoint_projector_view_lag',
    help: 'Events that the view furthest behind lacks of what the state tables of its project show',
    registers,
    collect() {
      this.set(projector.viewLag());
    },
  });
  new Gauge({
    name: 'savepoint_projector_building_boards',
    help: 'Leaderboards, and lists of collections that became global, that are being filled; they answer 503 BUILDING',
    registers,
    collect() {
      this.set(projector.buildingBoards());
    },
  });
}

/** Metrics of bulkheads by name: slots in use, and refusals. */
export function exportBulkheads(registry: Registry, bulkheads: Readonly<Record<string, Pick<Bulkhead, 'inUse' | 'rejected'>>>): void {
  const registers = [registry];
  new Gauge({
    name: 'savepoint_bulkhead_in_use',
    help: 'What projects hold of what they share: connections that load or read views, verifications, webhooks',
    labelNames: ['resource'],
    registers,
    collect() {
      for (const [resource, { inUse }] of Object.entries(bulkheads)) this.set({ resource }, inUse);
    },
  });
  new Counter({
    name: 'savepoint_bulkhead_rejected_total',
    help: 'How often a project was refused because its part was taken',
    labelNames: ['resource'],
    registers,
    collect() {
      this.reset();
      for (const [resource, { rejected }] of Object.entries(bulkheads)) this.inc({ resource }, rejected);
    },
  });
}

/** Metrics of refusals because of quotas. */
export function exportQuotas(registry: Registry): void {
  new Counter({
    name: 'savepoint_quota_refused_total',
    help: 'Writes refused, and reports of players not stored, because their project had used up a quota',
    labelNames: ['quota'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [quota, refused] of Object.entries(quotaRefusals)) this.inc({ quota }, refused);
    },
  });
}

/** Metrics of jobs. All workers report the same store, so the largest value counts. Nothing is reported while the store does not answer. */
export function exportJobs(registry: Registry, jobs: Jobs): void {
  new Gauge({
    name: 'savepoint_jobs',
    help: 'Background jobs by queue and state; failed ones are dead letters',
    labelNames: ['queue', 'state'],
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const { counts } = await jobs.health();
      this.reset();
      if (counts === null) return;
      for (const queue of QUEUES) for (const state of STATES) this.set({ queue, state }, counts[queue][state]);
    },
  });
}
