import cluster from 'node:cluster';
import { Socket } from 'node:net';
import type { Registry } from 'prom-client';
import { asOrder, type Report } from './messages.ts';

/** What a worker runs once it has been told how. */
export interface Work {
  readonly registry: Registry;
  accept(socket: Socket, head: Buffer): void;
  /** Finishes running requests, and closes. */
  close(): Promise<void>;
}

export function isWorker(): boolean {
  return cluster.isWorker;
}

const EXPOSITION_MS = 5_000;

/**
 * Serves as a worker until the first process tells it to stop, or is gone. `begin` gets the value that the first process starts workers
 * with, and a function that returns the metrics of the whole node.
 */
export function serveAsWorker<Start>(begin: (start: Start, exposition: () => Promise<string>) => Promise<Work>): void {
  // Signals reach the whole process group, but the first process decides when its workers end.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  const report = (message: Report) => process.send?.(message);
  const expositions = new Map<number, (text: string) => void>();
  let asks = 0;
  let work: Work | null = null;

  const exposition = () =>
    new Promise<string>((resolve, reject) => {
      const ask = ++asks;
      const late = setTimeout(() => {
        expositions.delete(ask);
        reject(new Error('the first process does not answer'));
      }, EXPOSITION_MS);
      expositions.set(ask, (text) => {
        clearTimeout(late);
        expositions.delete(ask);
        resolve(text);
      });
      report({ kind: 'expose', ask });
    });

  const start = async (given: Start) => {
    try {
      work = await begin(given, exposition);
      report({ kind: 'ready' });
    } catch (error) {
      process.send?.({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) } satisfies Report, () =>
        process.exit(1),
      );
    }
  };
  const measure = async (ask: number) => {
    const metrics = await work?.registry.getMetricsAsJSON().catch(() => []);
    report({ kind: 'measured', ask, metrics: metrics ?? [] });
  };
  const stop = async () => {
    await work?.close();
    // Work that was left behind could keep the process alive.
    process.exit(0);
  };

  process.on('message', (message: unknown, handle: unknown) => {
    const order = asOrder<Start>(message);
    if (order === null) return;
    if (order.kind === 'start') void start(order.with);
    if (order.kind === 'measure') void measure(order.ask);
    if (order.kind === 'exposition') expositions.get(order.ask)?.(order.text);
    if (order.kind === 'stop') void stop();
    // A connection that its client closed on the way comes without a socket.
    if (order.kind === 'connection' && handle instanceof Socket) work?.accept(handle, Buffer.from(order.head, 'latin1'));
  });
  report({ kind: 'awake' });
}
