import cluster from 'node:cluster';
import { Socket } from 'node:net';
import type { Registry } from 'prom-client';
import { asPrimaryMessage, type WorkerMessage } from './messages.ts';

/** The work of a worker, once it has been started. */
export interface WorkerProcess {
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
 * Serves as a worker until the first process tells it to stop or has ended. `begin` gets the value that the first process starts workers
 * with, and a function that returns the metrics of the whole node.
 */
export function serveAsWorker<Start>(begin: (start: Start, exposition: () => Promise<string>) => Promise<WorkerProcess>): void {
  // Signals reach the whole process group, but the first process decides when its workers end.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  // The first process may be gone. A worker ends by itself when it hears of that, so a message that nobody gets is no error.
  const report = (message: WorkerMessage, sent: () => void = () => undefined) => process.send?.(message, sent);
  const expositions = new Expositions((ask) => report({ kind: 'expose', ask }));
  let work: WorkerProcess | null = null;

  const start = async (given: Start) => {
    try {
      work = await begin(given, () => expositions.next());
      report({ kind: 'ready' });
    } catch (error) {
      report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }, () => process.exit(1));
    }
  };
  const measure = async (ask: number) => {
    const metrics = await work?.registry.getMetricsAsJSON().catch(() => []);
    report({ kind: 'measured', ask, metrics: metrics ?? [] });
  };
  const stop = async () => {
    await work?.close();
    // Unfinished work could keep the process alive.
    process.exit(0);
  };

  process.on('message', (message: unknown, handle: unknown) => {
    const received = asPrimaryMessage<Start>(message);
    if (received === null) return;
    if (received.kind === 'start') void start(received.with);
    if (received.kind === 'measure') void measure(received.ask);
    if (received.kind === 'exposition') expositions.received(received.ask, received.text);
    if (received.kind === 'stop') void stop();
    // If the client has closed the connection meanwhile, the message arrives without a socket.
    if (received.kind === 'connection' && handle instanceof Socket) work?.accept(handle, Buffer.from(received.head, 'latin1'));
  });
  report({ kind: 'awake' });
}

/** Metrics of the whole node, which the first process makes when it is asked. */
class Expositions {
  readonly #ask: (ask: number) => void;
  readonly #waiting = new Map<number, (text: string) => void>();
  #asks = 0;

  constructor(ask: (ask: number) => void) {
    this.#ask = ask;
  }

  /** Rejects if the first process does not answer in time. */
  next(): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const ask = ++this.#asks;
      const late = setTimeout(() => {
        this.#waiting.delete(ask);
        reject(new Error('the first process does not answer'));
      }, EXPOSITION_MS);
      this.#waiting.set(ask, (text) => {
        clearTimeout(late);
        this.#waiting.delete(ask);
        resolve(text);
      });
      this.#ask(ask);
    });
  }

  received(ask: number, text: string): void {
    this.#waiting.get(ask)?.(text);
  }
}
