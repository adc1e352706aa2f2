import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The messages between the processes of one node, over the channel that Node opens between them. */

export type Metric = MetricObjectWithValues<MetricValue<string>>;

/** From the first process to a worker. */
export type PrimaryMessage<Start> =
  | { readonly kind: 'start'; readonly with: Start }
  /** It comes with the socket. `head`: what was read of it, a character for each byte. */
  | { readonly kind: 'connection'; readonly head: string }
  | { readonly kind: 'measure'; readonly ask: number }
  | { readonly kind: 'exposition'; readonly ask: number; readonly text: string }
  | { readonly kind: 'stop' };

/** From a worker to the first process. */
export type WorkerMessage =
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'measured'; readonly ask: number; readonly metrics: readonly Metric[] }
  | { readonly kind: 'expose'; readonly ask: number };

/**
 * The message as an order. Both ends are this program in this version. `null` for a message that is not ours: a library may send its own.
 */
export function asPrimaryMessage<Start>(message: unknown): PrimaryMessage<Start> | null {
  return isMessage(message, ['start', 'connection', 'measure', 'exposition', 'stop']) ? (message as PrimaryMessage<Start>) : null;
}

/** The message as a report; `null` for one that is not ours. */
export function asWorkerMessage(message: unknown): WorkerMessage | null {
  return isMessage(message, ['awake', 'ready', 'failed', 'measured', 'expose']) ? (message as WorkerMessage) : null;
}

function isMessage(message: unknown, kinds: readonly string[]): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && kinds.includes(String(message.kind));
}
