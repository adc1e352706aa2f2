import type { Projects } from '../app/projects.ts';
import type { WriterObserver } from '../app/writer.ts';
import type { Metrics } from '../http/metrics.ts';

export function observerOf(metrics: Metrics): WriterObserver {
  return {
    appended(commits, _events, ms) {
      metrics.appendGroupSize.observe(commits);
      metrics.appendSeconds.observe(ms / 1000);
    },
    conflict: () => metrics.appendConflicts.inc(),
    queue: (length) => metrics.writerQueue.set(length),
  };
}

/** What is cheaper to look at once a second than to count on every request. */
export function sampleMetrics(metrics: Metrics, projects: Projects): () => Promise<void> {
  let hits = 0;
  let misses = 0;
  const sample = () => {
    const open = projects.openProjects;
    const lags = open.map(({ set }) => set.head - set.horizon);
    metrics.projectionLag.set({ projection: 'state' }, Math.max(0, ...lags));
    metrics.workingSetBytes.set(projects.cache.calculatedSize + open.reduce((sum, project) => sum + project.set.windowBytes, 0));
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
