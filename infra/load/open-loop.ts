import { createHttp, type Http } from '../harness/http.ts';
import type { Credentials } from '../harness/project.ts';
import { keyOf, scored } from './board-data.ts';
import { STOP } from './stop-message.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/**
 * An open-loop load generator: a game that sends requests at a fixed rate, however long the answers take, in a process of its own. It is
 * the quiet project of `bench:neighbours`, and the players of `bench:board` who write while something is published. A latency counts from
 * the moment at which the request was due, so a server that stalls does not get fewer requests.
 */

export interface OpenLoad {
  readonly url: string;
  readonly project: Credentials;
  readonly perSecond: number;
  /** The longest duration; `STOP` ends it earlier. */
  readonly seconds: number;
  /** How many documents a small game has in each collection (`KEYS`). */
  readonly keys?: number;
  /** It overwrites documents of one collection, drawn at random. Without this it does what a small game does. */
  readonly writes?: { readonly collection: string; readonly documents: number; readonly bytes: number };
}

export interface LoadResult {
  /** Milliseconds from when each request was due until its answer, unsorted. */
  readonly latencies: Float64Array;
  /** Answers other than 2xx by status; a missing or broken answer as `error`. */
  readonly failures: Readonly<Record<string, number>>;
}

/** The requests of the game, in turn. */
const REQUESTS = ['document.read', 'document.write', 'document.read', 'endpoint.call', 'document.read', 'leaderboard.read'] as const;

/** With more open requests than this, only the growth of a queue would be measured. */
const MAX_OPEN = 20_000;

let isStopped = false;

const CONNECTIONS = 1_024;
const connections = new Map<string, Promise<Http>>();

/**
 * Connections to a server, all opened before the first request and kept from one run to the next, because real players stay connected. Node
 * accepts one connection in each round of its event loop, so a thousand new connections to a busy server would distort the result.
 */
function connectionsTo(url: string): Promise<Http> {
  const http = connections.get(url) ?? connect(url);
  connections.set(url, http);
  return http;
}

async function connect(url: string): Promise<Http> {
  const http = createHttp(url, CONNECTIONS);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => http.send('GET', '/health')));
  return http;
}

async function runLoad({ url, project, perSecond, seconds, keys, writes }: OpenLoad): Promise<LoadResult> {
  isStopped = false;
  const http = await connectionsTo(url);
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const requests: Promise<void>[] = [];
  let open = 0;
  const send = async (index: number, dueAt: number) => {
    const workload = writes === undefined ? WORKLOADS[REQUESTS[index % REQUESTS.length] ?? 'document.read'] : writing(writes);
    const { path, body, player } = workload.request(project, index, keys);
    const headers = { ...workload.headers(project), ...(player === undefined ? {} : { 'x-platform-id': player }) };
    const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
    const status = await http.send(workload.method, path, sent).then(
      (answer) => answer.status,
      () => 'error' as const,
    );
    latencies.push(performance.now() - dueAt);
    open -= 1;
    if (status === 'error' || status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
  };
  const startedAt = performance.now();
  for (let index = 0; index < perSecond * seconds && !isStopped; index += 1) {
    const dueAt = startedAt + (index * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    open += 1;
    if (open > MAX_OPEN)
      throw new Error(`${open} of ${perSecond} requests a second wait for their answers: this machine cannot do so many`);
    requests.push(send(index, dueAt));
  }
  await Promise.all(requests);
  return { latencies: Float64Array.from(latencies), failures };
}

function writing({ collection, documents, bytes }: NonNullable<OpenLoad['writes']>): Workload {
  return {
    method: 'POST',
    headers: ({ secretKey, publicKey }) => ({ 'x-api-key': secretKey, 'x-public-key': publicKey }),
    request: ({ projectId }) => ({
      path: `/v3/storage/${projectId}/${collection}/${keyOf(Math.floor(Math.random() * documents))}`,
      body: JSON.stringify(scored(Math.floor(Math.random() * 1_000_000), bytes)),
    }),
  };
}

process.on('message', (load: OpenLoad | typeof STOP) => {
  if (load === STOP) {
    isStopped = true;
    return;
  }
  runLoad(load).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
