import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { slotFor } from './affinity.ts';
import { createExposition } from './exposition.ts';
import { asWorkerMessage, type PrimaryMessage, type WorkerMessage } from './messages.ts';

export interface WorkerPoolOptions<Start> {
  readonly size: number;
  /** What each worker is told at its start. */
  readonly start: Start;
  /** What this process measures. The workers' metrics are added to it. */
  readonly registry: Registry;
  readonly logger: Logger;
}

export interface WorkerPool {
  /** Gives a connection to the worker of its project; a connection without a project to any worker. */
  dispatch(socket: Socket, head: Buffer, project: string | null): void;
  /** The text of `/metrics` for all processes. */
  exposition(): Promise<string>;
  /** Lets every worker finish its requests. Those that still run after `withinMs` are killed. */
  stop(withinMs: number): Promise<void>;
}

/** One place in the pool of workers. Its worker may be replaced; its projects stay. */
interface Slot {
  readonly index: number;
  worker: Worker | null;
  ready: boolean;
  /** How many times in a row the worker of this place ended soon after its start. */
  crashes: number;
}

const START_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** A worker that lived this long did not fail because of its start, so its place is filled again without a longer pause. */
const STABLE_MS = 10_000;
const NO_WORKER_RESPONSE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  'Retry-After: 1',
  'Connection: close',
  '',
  '{"ok":false,"error":{"code":"BUSY","message":"No worker is ready"},"message":"No worker is ready"}',
].join('\r\n');

/** Starts the workers: this program again, with the same arguments. Resolves when all serve; throws when one cannot. */
export async function startWorkerPool<Start>({ size, start, registry, logger }: WorkerPoolOptions<Start>): Promise<WorkerPool> {
  const slots: Slot[] = Array.from({ length: size }, (_, index) => ({ index, worker: null, ready: false, crashes: 0 }));
  const state = { stopping: false, turn: 0 };
  const exposition = createExposition(registry);
  countReady(slots, registry);

  const send = (worker: Worker, message: PrimaryMessage<Start>) => {
    if (worker.isConnected()) worker.send(message, () => undefined);
  };

  const textOfAll = () => {
    const serving = slots.flatMap(({ worker, ready }) => (worker && ready ? [worker] : []));
    return exposition.text(serving, (worker, id) => send(worker, { kind: 'measure', ask: id }));
  };
  const expose = async (to: Worker, ask: number) => send(to, { kind: 'exposition', ask, text: await textOfAll() });

  const listen = (slot: Slot, worker: Worker, report: WorkerMessage, settle: (reason: string | null) => void) => {
    if (report.kind === 'awake') send(worker, { kind: 'start', with: start });
    if (report.kind === 'failed') settle(report.reason);
    if (report.kind === 'measured') exposition.measured(report.ask, report.metrics);
    if (report.kind === 'expose') expose(worker, report.ask).catch((error: unknown) => logger.warn({ err: error }, 'no metrics'));
    if (report.kind !== 'ready') return;
    slot.ready = true;
    settle(null);
  };

  /** Resolves with `null` when the worker serves, or with the reason why it does not. */
  const fork = (slot: Slot): Promise<string | null> =>
    new Promise((resolve) => {
      const worker = cluster.fork();
      const forkedAt = performance.now();
      slot.worker = worker;
      const late = setTimeout(() => worker.process.kill('SIGKILL'), START_MS);
      const settle = (reason: string | null) => {
        clearTimeout(late);
        resolve(reason);
      };
      worker.on('error', (error) => logger.warn({ err: error, worker: slot.index }, 'a worker could not be told something'));
      worker.on('message', (message: unknown) => {
        const report = asWorkerMessage(message);
        if (report !== null) listen(slot, worker, report, settle);
      });
      worker.on('exit', (code, signal) => {
        slot.worker = null;
        slot.ready = false;
        slot.crashes = performance.now() - forkedAt > STABLE_MS ? 0 : slot.crashes + 1;
        settle(`it ended with ${signal ?? code}`);
        if (!state.stopping) logger.error({ worker: slot.index, pid: worker.process.pid, code, signal }, 'a worker ended');
        if (!state.stopping) forkAgain(slot);
      });
    });

  const forkAgain = (slot: Slot) => {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, slot.crashes - 1), MAX_PAUSE_MS);
    const later = setTimeout(() => {
      if (state.stopping) return;
      fork(slot).then((reason) => {
        if (reason === null) logger.info({ worker: slot.index }, 'a worker serves again');
        else logger.error({ worker: slot.index, reason }, 'a worker did not start');
      });
    }, pause);
    later.unref();
  };

  const stop = async (withinMs: number) => {
    state.stopping = true;
    const living = slots.flatMap(({ worker }) => (worker === null ? [] : [worker]));
    const gone = living.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of living) send(worker, { kind: 'stop' });
    const late = setTimeout(() => {
      for (const worker of living) worker.process.kill('SIGKILL');
    }, withinMs);
    await Promise.all(gone);
    clearTimeout(late);
  };

  const reasons = await Promise.all(slots.map(fork));
  const reason = reasons.find((one) => one !== null);
  if (reason !== undefined) {
    await stop(0);
    throw new Error(`A worker did not start: ${reason}`);
  }

  return {
    stop,
    exposition: textOfAll,
    dispatch(socket, head, project) {
      const worker = choose(slots, project, state);
      if (worker === null) return void socket.end(NO_WORKER_RESPONSE);
      worker.send({ kind: 'connection', head: head.toString('latin1') }, socket, { keepOpen: false }, (error) => {
        if (error) logger.warn({ err: error }, 'a connection was lost on its way to a worker');
      });
    },
  };
}

function countReady(slots: readonly Slot[], registry: Registry): void {
  new Gauge({
    name: 'savepoint_workers_ready',
    help: 'Worker processes that serve',
    registers: [registry],
    collect() {
      this.set(slots.filter(({ ready }) => ready).length);
    },
  });
}

/** The project's worker. For a connection without a project, the next worker in turn. */
function choose(slots: readonly Slot[], project: string | null, state: { turn: number }): Worker | null {
  const serving = slots.filter(({ ready }) => ready);
  if (project === null) {
    state.turn += 1;
    return serving[state.turn % Math.max(1, serving.length)]?.worker ?? null;
  }
  const index = slotFor(
    project,
    serving.map((slot) => slot.index),
  );
  return index === undefined ? null : (slots[index]?.worker ?? null);
}
