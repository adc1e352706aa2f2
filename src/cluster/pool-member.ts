import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { asWorkerMessage, type PrimaryMessage, type WorkerMessage } from './messages.ts';

export interface PoolMemberOptions<Start> {
  /** The value that its process gets at each start. */
  readonly start: Start;
  readonly logger: Logger;
  /** Gets the process's reports, except those about its start. */
  readonly onReport: (member: PoolMember<Start>, report: WorkerMessage) => void;
}

const START_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** A process that lived this long, ms, did not crash at its start, so the next one starts without back-off. */
const STABLE_MS = 10_000;

/** One worker of the pool. Its process is replaced when it ends; its projects stay. */
export class PoolMember<Start> {
  readonly index: number;
  readonly #options: PoolMemberOptions<Start>;
  #process: Worker | null = null;
  #isReady = false;
  #isStopping = false;
  /** How many times in a row its process ended soon after its start. */
  #crashes = 0;

  constructor(index: number, options: PoolMemberOptions<Start>) {
    this.index = index;
    this.#options = options;
  }

  /** Whether its process serves. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /**
   * Starts its process: this program again, with the same arguments. Resolves to `null` when it serves, or to the reason why it does not.
   */
  start(): Promise<string | null> {
    const { logger } = this.#options;
    return new Promise((resolve) => {
      const process = cluster.fork();
      const forkedAt = performance.now();
      this.#process = process;
      const late = setTimeout(() => process.process.kill('SIGKILL'), START_MS);
      const settle = (reason: string | null) => {
        clearTimeout(late);
        resolve(reason);
      };
      process.on('error', (error) => logger.warn({ err: error, worker: this.index }, 'a worker could not be told something'));
      process.on('message', (message: unknown) => {
        const report = asWorkerMessage(message);
        if (report !== null) this.#listen(report, settle);
      });
      process.on('exit', (code, signal) => {
        this.#process = null;
        this.#isReady = false;
        this.#crashes = performance.now() - forkedAt > STABLE_MS ? 0 : this.#crashes + 1;
        settle(`it ended with ${signal ?? code}`);
        if (this.#isStopping) return;
        logger.error({ worker: this.index, pid: process.process.pid, code, signal }, 'a worker ended');
        this.#startLater();
      });
    });
  }

  send(message: PrimaryMessage<Start>): void {
    if (this.#process?.isConnected()) this.#process.send(message, () => undefined);
  }

  /** Passes a connection to it. `head`: the bytes that were read of it. Returns `false` if it has no process. */
  take(socket: Socket, head: Buffer): boolean {
    if (this.#process === null) return false;
    const message: PrimaryMessage<Start> = { kind: 'connection', head: head.toString('latin1') };
    this.#process.send(message, socket, { keepOpen: false }, (error) => {
      if (error) this.#options.logger.warn({ err: error }, 'a connection was lost on its way to a worker');
    });
    return true;
  }

  /** Lets its process finish its requests, and kills it after `withinMs`. It is not started again. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    const process = this.#process;
    if (process === null) return;
    const gone = new Promise((resolve) => process.once('exit', resolve));
    this.send({ kind: 'stop' });
    const late = setTimeout(() => process.process.kill('SIGKILL'), withinMs);
    await gone;
    clearTimeout(late);
  }

  #listen(report: WorkerMessage, settle: (reason: string | null) => void): void {
    if (report.kind === 'awake') this.send({ kind: 'start', with: this.#options.start });
    else if (report.kind === 'failed') settle(report.reason);
    else if (report.kind === 'ready') {
      this.#isReady = true;
      settle(null);
    } else this.#options.onReport(this, report);
  }

  #startLater(): void {
    const { logger } = this.#options;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, this.#crashes - 1), MAX_PAUSE_MS);
    const later = setTimeout(async () => {
      if (this.#isStopping) return;
      const reason = await this.start();
      if (reason === null) logger.info({ worker: this.index }, 'a worker serves again');
      else logger.error({ worker: this.index, reason }, 'a worker did not start');
    }, pause);
    later.unref();
  }
}
