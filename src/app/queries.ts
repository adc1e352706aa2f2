import { LRUCache } from 'lru-cache';
import type { QueryModel } from '../domain/definition/model.ts';
import type { Space } from '../domain/events.ts';
import { type LeaderboardPlan, leaderboardBody, leaderboardPlan, type RankedDocument } from '../domain/query/leaderboard.ts';
import { collectionSubject, DEFINITIONS } from '../domain/subjects.ts';
import { refusal } from '../kernel/errors.ts';
import { isObject, type JsonObject, parseJson, stringifyJson } from '../kernel/json.ts';
import { type Grounds, grounds, requirePermission, requireRevision } from './access.ts';
import type { App, Caller, ReadAnswer } from './app.ts';
import { type AppContext, positioned, projectOf } from './context.ts';
import type { Project } from './project.ts';

/**
 * Queries answer from the views. A result is kept and given again only while none of its sources has changed since it was made
 * (decision 21): this node's head knows the revision of every collection's last change, so that costs one comparison.
 */

interface Kept {
  readonly body: string;
  /** Revision of the last change of any source, when this was made. */
  readonly changedAt: number;
}

type Run = Parameters<App['queries']['run']>[1];

interface Page {
  readonly limit: number;
  readonly offset: number;
}

export function createQueries(context: AppContext): App['queries'] {
  const kept = new LRUCache<string, Kept>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (one) => one.body.length + 200 });
  const running = new Map<string, Promise<{ readonly body: string; readonly reached: boolean }>>();

  return {
    async run(caller, run) {
      const project = await projectOf(context, caller);
      const at = grounds(project.authority, project.definitions, caller, run.target);
      const query = allowed(at, caller, run);
      requireRevision(caller, 'read');
      const plan = leaderboardPlan(query);
      if (typeof plan === 'string') throw refusal('QUERY_FAILED', `Query ${query.id}: ${plan}`);
      const page = pageOf(plan, run);
      const changedAt = lastChange(project, at, plan);
      const name = `${caller.projectId} ${at.space} ${query.hash} ${page.limit} ${page.offset}`;
      const known = kept.get(name);
      if (known?.changedAt === changedAt && !run.fresh) return answer(context, project, caller, known.body, true, run.fresh);
      const share = `${name} ${changedAt}`;
      const work = running.get(share) ?? runOnce(context, project, at, query, plan, page, changedAt).finally(() => running.delete(share));
      running.set(share, work);
      const { body, reached } = await work;
      if (reached) kept.set(name, { body, changedAt });
      return answer(context, project, caller, body, reached, run.fresh);
    },
  };
}

/** 404 comes before the secret check (runtime-storage 16.1). */
function allowed(at: Grounds, caller: Caller, run: Run): QueryModel {
  if (caller.extraSecret === 'invalid') throw refusal('SECRET_KEY_INVALID');
  const query = at.definitions.query(run.id);
  if (!query) throw refusal('NOT_FOUND', 'No query with this id');
  const secret = caller.isSecret ? at.key : caller.extraSecret;
  if (query.requiresSecretKey && !secret) throw refusal('SECRET_KEY_REQUIRED');
  if (secret && (caller.isSecret || query.requiresSecretKey)) requirePermission(secret, 'queries', 'x');
  return query;
}

function pageOf(plan: LeaderboardPlan, run: Run): Page {
  const limit = whole(run.limit) ?? plan.limit;
  return { limit: Math.min(limit, plan.limit), offset: Math.min(whole(run.offset) ?? 0, plan.limit) };
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** A `next` leaderboard shows live rows where next has none, so it changes with either. */
function lastChange(project: Project, at: Grounds, plan: LeaderboardPlan): number {
  const collection = at.definitions.collection(plan.collectionId)?.id ?? plan.collectionId;
  const spaces: readonly Space[] = at.space === 'live' ? ['live'] : ['live', at.space];
  const changes = spaces.map((space) => project.set.collectionChangedAt(collectionSubject(space, collection)));
  // A publish can change what a board shows, and a board just published is empty until the views have seen it.
  return Math.max(project.set.residentChangedAt(DEFINITIONS), ...changes);
}

async function runOnce(
  context: AppContext,
  project: Project,
  at: Grounds,
  query: QueryModel,
  plan: LeaderboardPlan,
  page: Page,
  changedAt: number,
): Promise<{ readonly body: string; readonly reached: boolean }> {
  const reached = await context.views.caughtUp(project.id, changedAt, context.limits.viewWaitMs);
  const asked = context.scheduler.now();
  const started = context.scheduler.monotonic();
  const limit = Math.min(page.limit, Math.max(plan.limit - page.offset, 0));
  const found = await context.views.leaderboard(
    project.id,
    at.space,
    { id: query.id, hash: query.hash },
    { order: plan.order, limit, offset: page.offset },
  );
  const rows = found.rows.map((row): RankedDocument => ({ key: row.key, value: row.value, document: documentOf(row.document) }));
  const durationMs = Math.round(context.scheduler.monotonic() - started);
  const body = stringifyJson(leaderboardBody(query, plan, { rows, offset: page.offset, at: asked, durationMs, total: found.total }));
  return { body, reached };
}

function documentOf(text: string): JsonObject {
  const value = parseJson(text, { maxDepth: 128 });
  return isObject(value) ? value : {};
}

function answer(context: AppContext, project: Project, caller: Caller, body: string, reached: boolean, fresh: boolean): ReadAnswer {
  return {
    ...positioned(context, project, caller, reached),
    body,
    ...(fresh ? { headers: { 'Cache-Control': 'no-store, max-age=0' } } : {}),
  };
}
