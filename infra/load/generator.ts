import { randomBytes } from 'node:crypto';
import autocannon from 'autocannon';
import type { Credentials } from '../harness/project.ts';
import { PEER_WORKLOADS, type PeerWorkload } from './peer-workloads.ts';
import { type CaseName, type SeedName, WORKLOADS, type Workload } from './workloads.ts';

/**
 * The load generator, a process of its own: what it costs is not counted as the server's. It takes a list of jobs from its parent, does
 * them at the same time, and answers with what it saw of each.
 */

export interface Job {
  readonly workload: CaseName | SeedName | PeerWorkload;
  readonly url: string;
  readonly project: Credentials;
  readonly connections: number;
  /** Ends after so many seconds, or after so many requests. */
  readonly until: { readonly seconds: number } | { readonly requests: number };
}

export interface Seen {
  /** One entry per answer, in milliseconds, unsorted. */
  readonly latencies: Float64Array;
  readonly seconds: number;
  /** Answers other than 2xx by status; connection errors and time-outs as `error`. */
  readonly failures: Readonly<Record<string, number>>;
  /** CPU seconds of this process meanwhile, for all jobs of the list. */
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
  // The bytes are handed over ready-made: autocannon's own building of varying requests costs more than all the rest of it.
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

/** It ends only where it takes a sample, by itself once a second. */
function lasting(seconds: number) {
  return { duration: seconds, sampleInt: Math.min(1000, seconds * 1000) };
}

/** So many are made before the clock runs: enough that nearly every key is among them. */
const DRAWN = 16_384;

/** Requests that were made beforehand, round and round: what making them costs would be taken from those who share the CPUs. */
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
/** Of this process: no other run on the same data has its keys. */
const RUN = randomBytes(6).toString('hex');
let keys = 0;

/** Always of one length, so that it can be written over another. */
function newKey(): string {
  keys += 1;
  return `${RUN}-${String(keys).padStart(12, '0')}`;
}

const ALL = { ...WORKLOADS, ...PEER_WORKLOADS };

/** Gives the bytes of one request after another. */
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
