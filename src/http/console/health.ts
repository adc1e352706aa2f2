import type { Piece, ProcessNow, SignedIn } from '../../app/app.ts';
import { refusal } from '../../kernel/errors.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Answer } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { shown } from './api.ts';

/** `/api/health`, `/api/checks` and `/api/jobs` of the console: how the installation fares. */

/** A background job as operators see it. */
export interface JobSeen {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempts: number;
  readonly of: number;
  readonly progress: number | null;
  readonly error: string | null;
  readonly enqueuedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** How the installation fares now, and how it fared for a day. */
export interface HealthReport {
  readonly status: string;
  /** Projects whose read models have not caught up since this process began; `null`: not counted yet. */
  readonly behind: number | null;
  readonly log: { readonly engine: 'postgres' | 'eventstore'; readonly end: string | null };
  readonly processes: readonly ProcessNow[];
  readonly day: { readonly stepMs: number; readonly pieces: readonly Piece[] };
  readonly jobs: {
    readonly status: 'ok' | 'unavailable';
    readonly store: string;
    /** By state, of all queues; `null`: the store does not answer. */
    readonly counts: Readonly<Record<string, number>> | null;
    readonly reason: string | null;
    /** Those that failed for good, and those at work. */
    readonly listed: readonly JobSeen[];
  };
}

/** A line of `savepoint doctor`. */
interface Check {
  readonly what: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly cure: string | null;
}

export interface HealthDesk {
  report(): Promise<HealthReport>;
  /** Checks everything that a node depends on. Asked again within seconds, it answers the same. */
  checks(): Promise<{ readonly at: number; readonly findings: readonly Check[] }>;
  /** Lets jobs that failed for good run again. Throws 404 NOT_FOUND for one that did not. */
  retry(which: { readonly id: string } | 'all', person: string): Promise<readonly string[]>;
}

interface Asked {
  readonly exchange: Exchange;
  readonly desk: HealthDesk;
  readonly body: BodyBounds;
  /** Rejects with 401 SIGNED_OUT once the session is over. */
  stillSignedIn(): Promise<unknown>;
}

/** Whether a path is one of these routes. */
export function isHealthRoute(path: string): boolean {
  return path === '/api/health' || path === '/api/checks' || path === '/api/jobs';
}

/**
 * Answers for somebody who is signed in. It shows all projects at once, so it takes a role in all of them; to change something, that of an
 * owner.
 */
export async function answerHealth({ exchange, desk, body, stillSignedIn }: Asked, { person }: SignedIn): Promise<Answer> {
  const role = person.everywhere;
  if (role === null) throw refusal('ACCESS_DENIED', 'This shows the whole installation, and takes a role in every project');
  const { method, path } = exchange;
  if (path === '/api/health' && method === 'GET') return shown({ ok: true, ...(await desk.report()) });
  if (path === '/api/checks' && method === 'GET') return shown({ ok: true, ...(await desk.checks()) });
  if (path !== '/api/jobs' || method !== 'POST') throw refusal('NOT_FOUND');
  if (role !== 'owner') throw refusal('ACCESS_DENIED', 'Jobs are retried by an owner of every project');
  const { retry } = objectOf(await readJson(exchange, body, invalidBody));
  await stillSignedIn();
  if (typeof retry !== 'string' || retry.length > 64) throw refusal('INVALID_BODY', 'It takes `{"retry": ID}`, or `{"retry": "all"}`');
  const retried = await desk.retry(retry === 'all' ? 'all' : { id: retry }, person.id);
  return shown({ ok: true, retried });
}
