import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { createExposition } from './exposition.ts';
import { asReport, type Order, type Report } from './messages.ts';
import { placeFor } from './route.ts';

export interface CrewOptions<Start> {
  readonly size: number;
  /** What each worker is told at its start. */
  readonly start: Start;
  /** What this process measures. The workers' metrics are added to it. */
  readonly registry: Registry;
  readonly logger: Logger;
}

export interface Crew {
  /** Gives a connection to the worker of its project; a connection without a project to any worker. */
  hand(socket: Socket, head: Buffer, project: string | null): void;
  /** The text of `/metrics` for all processes. */
  exposition(): Promise<string>;
  /** Lets every worker finish its requests. Those that still run after `withinMs` are killed. */
  stop(withinMs: number): Promise<void>;
}

/** One place in the pool of workers. Its worker may be replaced; its projects stay. */
interface Place {
  readonly index: number;
  worker: Worker | null;
  ready: boolean;
  /** How many times in a row the worker of this place ended soon after its start. */
  ends: number;
}

const START_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A worker that lived this long did not fail because of its start, so its place is filled again without a longer pause. */
const LONG_LIFE_MS = 10_000;
const NOBODY = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  'Retry-After: 1',
  'Connection: close',
  '',
  '{"ok":false,"error":{"code":"BUSY","message":"No worker is ready"},"message":"No worker is ready"}',
].join('\r\n');

/** Starts the workers: this program again, with the same arguments. Resolves when all serve; throws when one cannot. */
export async function startCrew<Start>({ size, start, registry, logger }: CrewOptions<Start>): Promise<Crew> {
  const places: Place[] = Array.from({ length: size }, (_, index) => ({ index, worker: null, ready: false, ends: 0 }));
  const state = { stopping: false, turn: 0 };
  const exposition = createExposition(registry);
  countReady(places, registry);

  const tell = (worker: Worker, order: Order<Start>) => {
    if (worker.isConnected()) worker.send(order, () => undefined);
  };

  const textOfAll = () => {
    const serving = places.flatMap(({ worker, ready }) => (worker && ready ? [worker] : []));
    return exposition.text(serving, (worker, id) => tell(worker, { kind: 'measure', ask: id }));
  };
  const expose = async (to: Worker, ask: number) => tell(to, { kind: 'exposition', ask, text: await textOfAll() });

  const listen = (place: Place, worker: Worker, report: Report, settle: (reason: string | null) => void) => {
    if (report.kind === 'awake') tell(worker, { kind: 'start', with: start });
    if (report.kind === 'failed') settle(report.reason);
    if (report.kind === 'measured') exposition.measured(report.ask, report.metrics);
    if (report.kind === 'expose') expose(worker, report.ask).catch((error: unknown) => logger.warn({ err: error }, 'no metrics'));
    if (report.kind !== 'ready') return;
    place.ready = true;
    settle(null);
  };

  /** Resolves with `null` when the worker serves, or with the reason why it does not. */
  const fork = (place: Place): Promise<string | null> =>
    new Promise((resolve) => {
      const worker = cluster.fork();
      const born = performance.now();
      place.worker = worker;
      const late = setTimeout(() => worker.process.kill('SIGKILL'), START_MS);
      const settle = (reason: string | null) => {
        clearTimeout(late);
        resolve(reason);
      };
      worker.on('error', (error) => logger.warn({ err: error, worker: place.index }, 'a worker could not be told something'));
      worker.on('message', (message: unknown) => {
        const report = asReport(message);
        if (report !== null) listen(place, worker, report, settle);
      });
      worker.on('exit', (code, signal) => {
        place.worker = null;
        place.ready = false;
        place.ends = performance.now() - born > LONG_LIFE_MS ? 0 : place.ends + 1;
        settle(`it ended with ${signal ?? code}`);
        if (!state.stopping) logger.error({ worker: place.index, pid: worker.process.pid, code, signal }, 'a worker ended');
        if (!state.stopping) forkAgain(place);
      });
    });

  const forkAgain = (place: Place) => {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, place.ends - 1), LONGEST_PAUSE_MS);
    const later = setTimeout(() => {
      if (state.stopping) return;
      fork(place).then((reason) => {
        if (reason === null) logger.info({ worker: place.index }, 'a worker serves again');
        else logger.error({ worker: place.index, reason }, 'a worker did not start');
      });
    }, pause);
    later.unref();
  };

  const stop = async (withinMs: number) => {
    state.stopping = true;
    const living = places.flatMap(({ worker }) => (worker === null ? [] : [worker]));
    const gone = living.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of living) tell(worker, { kind: 'stop' });
    const late = setTimeout(() => {
      for (const worker of living) worker.process.kill('SIGKILL');
    }, withinMs);
    await Promise.all(gone);
    clearTimeout(late);
  };

  const reasons = await Promise.all(places.map(fork));
  const reason = reasons.find((one) => one !== null);
  if (reason !== undefined) {
    await stop(0);
    throw new Error(`A worker did not start: ${reason}`);
  }

  return {
    stop,
    exposition: textOfAll,
    hand(socket, head, project) {
      const worker = choose(places, project, state);
      if (worker === null) return void socket.end(NOBODY);
      worker.send({ kind: 'connection', head: head.toString('latin1') }, socket, { keepOpen: false }, (error) => {
        if (error) logger.warn({ err: error }, 'a connection was lost on its way to a worker');
      });
    },
  };
}

function countReady(places: readonly Place[], registry: Registry): void {
  new Gauge({
    name: 'savepoint_workers_ready',
    help: 'Worker processes that serve',
    registers: [registry],
    collect() {
      this.set(places.filter(({ ready }) => ready).length);
    },
  });
}

/** The project's worker. For a connection without a project, the next worker in turn. */
function choose(places: readonly Place[], project: string | null, state: { turn: number }): Worker | null {
  const serving = places.filter(({ ready }) => ready);
  if (project === null) {
    state.turn += 1;
    return serving[state.turn % Math.max(1, serving.length)]?.worker ?? null;
  }
  const index = placeFor(
    project,
    serving.map((place) => place.index),
  );
  return index === undefined ? null : (places[index]?.worker ?? null);
}
