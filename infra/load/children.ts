import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../harness/port.ts';
import type { Job, Seen } from './generator.ts';
import type { LoadResult, OpenLoad } from './open-loop.ts';
import type { PeerStart } from './peer.ts';
import { STOP } from './stop-message.ts';

/** The helper processes of the benchmarks: the load generator, the bare Koa handler, the open-loop load, the peers. */

export interface Generator {
  perform(job: Job): Promise<Seen>;
  /** Does all jobs at the same time. */
  performAll(jobs: readonly Job[]): Promise<readonly Seen[]>;
  stop(): void;
}

export interface BareServer {
  readonly url: string;
  readonly pid: number;
  /** From now on it answers every request with `body`. */
  answerWith(body: object): Promise<void>;
  stop(): void;
}

export interface Peer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/** Throws with the reason when it does not start. */
export async function startPeer(start: PeerStart): Promise<Peer> {
  const child = forkHelper('peer.js');
  const answer = nextMessage(child);
  child.send({ ...start, port: await freePort() });
  const started = await answer;
  const port = typeof started === 'object' && started !== null && 'port' in started ? started.port : undefined;
  if (typeof port !== 'number') throw new Error(`${start.kind} did not start: ${JSON.stringify(started)}`);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.disconnect() };
}

export interface OpenLoop {
  /** `until`: ends early when this settles. */
  run(load: OpenLoad, until?: Promise<unknown>): Promise<LoadResult>;
  stop(): void;
}

export function startOpenLoop(): OpenLoop {
  const child = forkHelper('open-loop.js');
  return {
    async run(load, until) {
      const answer = nextMessage(child);
      sendTo(child, load);
      const stop = () => void (child.connected && child.send(STOP));
      until?.then(stop, stop);
      const result = await answer;
      if (isLoadResult(result)) return result;
      throw new Error(`the open-loop load failed: ${JSON.stringify(result)}`);
    },
    stop: () => child.disconnect(),
  };
}

export function startGenerator(): Generator {
  const child = forkHelper('generator.js');
  const performAll = async (jobs: readonly Job[]) => {
    const answer = nextMessage(child);
    sendTo(child, jobs);
    const seen = await answer;
    if (Array.isArray(seen) && seen.every(isSeen)) return seen;
    throw new Error(`the load generator failed: ${JSON.stringify(seen)}`);
  };
  return {
    performAll,
    async perform(job) {
      const [seen] = await performAll([job]);
      if (seen === undefined) throw new Error('the load generator answered nothing');
      return seen;
    },
    stop: () => child.disconnect(),
  };
}

export async function startBareServer(): Promise<BareServer> {
  const child = forkHelper('bare.js');
  const port = await nextMessage(child);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    pid: child.pid ?? 0,
    async answerWith(body) {
      const done = nextMessage(child);
      sendTo(child, { answer: body });
      await done;
    },
    stop: () => child.disconnect(),
  };
}

function forkHelper(name: string): ChildProcess {
  return fork(join(import.meta.dirname, name), { serialization: 'advanced' });
}

/** {@link nextMessage} reports a child that has ended. */
function sendTo(child: ChildProcess, message: Serializable): void {
  if (child.connected) child.send(message);
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null, signal: NodeJS.Signals | null) =>
      reject(new Error(`a helper process ended with ${signal ?? `code ${code}`}`));
    if (!child.connected) return failed(child.exitCode, child.signalCode);
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolve(message);
    });
  });
}

function isLoadResult(message: unknown): message is LoadResult {
  return typeof message === 'object' && message !== null && 'latencies' in message && message.latencies instanceof Float64Array;
}

function isSeen(message: unknown): message is Seen {
  return isLoadResult(message) && 'cpuSeconds' in message;
}
