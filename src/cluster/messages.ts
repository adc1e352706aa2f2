import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The messages between the processes of one node, over the channel that Node opens between them. */

export type Metric = MetricObjectWithValues<MetricValue<string>>;

/** From the first process to a worker. */
export type PrimaryMessage<Start> =
  | { readonly kind: 'start'; readonly with: Start }
  /** The socket is sent with it. `head`: the bytes that were read of it, as Latin-1. */
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
 * The message as one from the first process; `null` if it is not one, because libraries may send their own. Its members are not checked:
 * both ends run the same version.
 */
export function asPrimaryMessage<Start>(message: unknown): PrimaryMessage<Start> | null {
  return isMessage(message, ['start', 'connection', 'measure', 'exposition', 'stop']) ? (message as PrimaryMessage<Start>) : null;
}

/** The message as one from a worker; `null` if it is not one. */
export function asWorkerMessage(message: unknown): WorkerMessage | null {
  return isMessage(message, ['awake', 'ready', 'failed', 'measured', 'expose']) ? (message as WorkerMessage) : null;
}

function isMessage(message: unknown, kinds: readonly string[]): boolean {
  return typeof message === 'object' && message !== null && 'kind' in message && kinds.includes(String(message.kind));
}
