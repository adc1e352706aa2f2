import { createHttp } from '../harness/http.ts';
import type { Credentials } from '../harness/project.ts';
import { WORKLOADS } from './workloads.ts';

/**
 * The quiet neighbour of `bench:neighbours`, a process of its own: a game that asks for little, at an even pace whatever the answers take.
 * A latency counts from the moment that the request was due, so a server that stands still is not asked less.
 */

export interface Pace {
  readonly url: string;
  readonly project: Credentials;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Felt {
  /** Milliseconds from when each request was due to its answer, unsorted. */
  readonly latencies: Float64Array;
  /** Answers other than 2xx by status; no whole answer as `error`. */
  readonly failures: Readonly<Record<string, number>>;
}

/** What the game does, in turn. */
const DOES = ['document.read', 'document.write', 'document.read', 'endpoint.call', 'document.read', 'leaderboard.read'] as const;

async function keepPace({ url, project, perSecond, seconds }: Pace): Promise<Felt> {
  const http = createHttp(url, 1_024);
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const asked: Promise<void>[] = [];
  const ask = async (index: number, dueAt: number) => {
    const workload = WORKLOADS[DOES[index % DOES.length] ?? 'document.read'];
    const { path, body, player } = workload.request(project, index);
    const headers = { ...workload.headers(project), ...(player === undefined ? {} : { 'x-platform-id': player }) };
    const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
    const status = await http.send(workload.method, path, sent).then(
      (answer) => answer.status,
      () => 'error' as const,
    );
    latencies.push(performance.now() - dueAt);
    if (status === 'error' || status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
  };
  const startedAt = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const dueAt = startedAt + (index * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    asked.push(ask(index, dueAt));
  }
  await Promise.all(asked);
  http.close();
  return { latencies: Float64Array.from(latencies), failures };
}

process.on('message', (pace: Pace) => {
  keepPace(pace).then(
    (felt) => process.send?.(felt),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
