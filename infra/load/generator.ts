import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import type { Credentials } from '../harness/project.ts';
import { PEER_WORKLOADS, type PeerWorkload } from './peer-workloads.ts';
import { type CaseName, type SeedName, WORKLOADS, type Workload } from './workloads.ts';

/**
 * The load generator. It is a process of its own, so that its cost does not count as the server's. Its parent sends a list of jobs; the
 * generator runs them at the same time and sends back the result of each.
 */

export interface Job {
  readonly workload: CaseName | SeedName | PeerWorkload;
  readonly url: string;
  readonly project: Credentials;
  readonly connections: number;
  /** It ends after this many seconds or requests. */
  readonly until: { readonly seconds: number } | { readonly requests: number };
}

export interface Seen {
  /** One entry for each answer, in milliseconds, unsorted. */
  readonly latencies: Float64Array;
  readonly seconds: number;
  /** Answers other than 2xx, by status; connection errors and time-outs as `error`. */
  readonly failures: Readonly<Record<string, number>>;
  /** CPU seconds of this process during the jobs, for all jobs of the list. */
  readonly cpuSeconds: number;
}

function perform(job: Job): Promise<Seen> {
  const nextRequest = 'requests' in job.until ? requests(job) : drawn(requests(job));
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1;
  };
  const before = process.cpuUsage();
  const started = performance.now();
  const limit = 'requests' in job.until ? { amount: job.until.requests } : lasting(job.until.seconds);
  // autocannon gets the bytes of each request prepared. If it builds varying requests itself, that costs it more than everything else.
  const setupClient = (client: object) => void Object.assign(client, { getRequestBuffer: nextRequest });
  return new Promise((resolve, reject) => {
    const instance = autocannon({ url: job.url, connections: job.connections, timeout: 20, ...limit, setupClient }, (error: unknown) => {
      if (error) return reject(error);
      const used = process.cpuUsage(before);
      const seconds = (performance.now() - started) / 1000;
      resolve({ latencies: Float64Array.from(latencies), seconds, failures, cpuSeconds: (used.user + used.system) / 1e6 });
    });
    instance.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
      latencies.push(milliseconds);
      if (status < 200 || status > 299) fail(String(status));
    });
    instance.on('reqError', () => fail('error'));
  });
}

/** autocannon ends only when it takes a sample, which is once a second by default. */
function lasting(seconds: number) {
  return { duration: seconds, sampleInt: Math.min(1000, seconds * 1000) };
}

/** The number of requests that are prepared before the clock starts: enough for nearly every key to occur. */
const DRAWN = 16_384;

/** Cycles through prepared requests. Building them during the run would take CPU from the processes that are measured. */
function drawn(next: () => Buffer): () => Buffer {
  const ready = Array.from({ length: DRAWN }, next).map((bytes) => ({ bytes, keyAt: bytes.indexOf(KEY_HEADER) }));
  let turn = 0;
  return () => {
    const { bytes, keyAt } = ready[turn++ % DRAWN] ?? { bytes: next(), keyAt: -1 };
    if (keyAt >= 0) bytes.write(newKey(), keyAt + KEY_HEADER.length, 'latin1');
    return bytes;
  };
}

const KEY_HEADER = 'idempotency-key: ';
/** Random for this process, so that no other run on the same data has its keys. */
const RUN = randomBytes(6).toString('hex');
let keys = 0;

/** A new key, always of the same length, so that it can overwrite another in a buffer. */
function newKey(): string {
  keys += 1;
  return `${RUN}-${String(keys).padStart(12, '0')}`;
}

const ALL = { ...WORKLOADS, ...PEER_WORKLOADS };

/** Returns a function that gives the bytes of one request after another. */
function requests(job: Job): () => Buffer {
  const workload: Workload = ALL[job.workload];
  const shared = { host: new URL(job.url).host, connection: 'keep-alive', ...workload.headers(job.project) };
  const head = Object.entries(shared)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  let index = 0;
  return () => {
    const { path, body = '', player, token } = workload.request(job.project, index++);
    const proof = token === undefined ? '' : `x-platform-token: ${token}\r\n`;
    const claim = player === undefined ? '' : `x-platform-id: ${player}\r\n${proof}`;
    const key = workload.isKeyed ? `${KEY_HEADER}${newKey()}\r\n` : '';
    const length = workload.method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`${workload.method} ${path} HTTP/1.1\r\n${head}${claim}${key}${length}\r\n${body}`);
  };
}

process.on('message', (jobs: readonly Job[]) => {
  Promise.all(jobs.map(perform)).then(
    (seen) => process.send?.(seen),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
