import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Metric } from './messages.ts';

/** Adds up the metrics of a node's processes. */
export interface Exposition {
  /** The text of `/metrics` for this process and the workers. A worker that does not answer is left out. */
  text<Worker>(workers: readonly Worker[], ask: (worker: Worker, id: number) => void): Promise<string>;
  /** A worker's answer to the question `id`. */
  measured(id: number, metrics: readonly Metric[]): void;
}

const TIMEOUT_MS = 2_000;

/** `registry`: the metrics of this process. */
export function createExposition(registry: Registry): Exposition {
  const waiting = new Map<number, (metrics: readonly Metric[]) => void>();
  let asks = 0;

  const answerOf = (id: number): Promise<readonly Metric[]> =>
    new Promise((resolve) => {
      const done = (metrics: readonly Metric[]) => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(metrics);
      };
      const late = setTimeout(() => done([]), TIMEOUT_MS);
      waiting.set(id, done);
    });

  return {
    measured: (id, metrics) => waiting.get(id)?.(metrics),
    async text(workers, ask) {
      const answers = workers.map((worker) => {
        const id = ++asks;
        const answer = answerOf(id);
        ask(worker, id);
        return answer;
      });
      const all = await Promise.all([registry.getMetricsAsJSON(), ...answers]);
      return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics])).metrics();
    },
  };
}
