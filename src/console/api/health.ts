import { queryOptions } from '@tanstack/react-query';
import { askConsole } from './http.ts';

/** How the installation fares: the console's own routes, which are of no project. */

interface Activity {
  readonly at: number;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly busy: number;
  readonly memory: number;
  readonly behind: number;
}

export interface ProcessNow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly roles: string;
  readonly startedAt: number;
  readonly seenAt: number;
  readonly last: Activity | null;
}

interface Job {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempts: number;
  readonly of: number;
  readonly progress: number | null;
  readonly error: string | null;
  readonly enqueuedAt: string;
  readonly finishedAt: string | null;
}

export interface Health {
  readonly status: string;
  readonly behind: number | null;
  readonly log: { readonly engine: 'postgres' | 'eventstore'; readonly end: string | null };
  readonly processes: readonly ProcessNow[];
  readonly day: { readonly stepMs: number; readonly pieces: readonly Activity[] };
  readonly jobs: {
    readonly status: 'ok' | 'unavailable';
    readonly store: string;
    readonly counts: Readonly<Record<string, number>> | null;
    readonly reason: string | null;
    readonly listed: readonly Job[];
  };
}

export interface Check {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly cure: string | null;
}

/** How often the page looks again while somebody looks at it, ms. */
const EVERY_MS = 10_000;

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => askConsole<Health>('GET', '/api/health'),
  refetchInterval: EVERY_MS,
});

export const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: () => askConsole<{ readonly at: number; readonly findings: readonly Check[] }>('GET', '/api/checks'),
  staleTime: EVERY_MS,
});

/** Lets a job that failed for good run again, or all of them. */
export function retryJobs(which: string): Promise<{ readonly retried: readonly string[] }> {
  return askConsole('POST', '/api/jobs', { retry: which });
}
