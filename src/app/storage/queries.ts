import { LRUCache } from 'lru-cache';
import type { QueryModel } from '../../domain/definition/model.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { Space } from '../../domain/events.ts';
import { type QueryPlan, queryPlan } from '../../domain/query/plan.ts';
import { AUTHORITY, collectionSubject, DEFINITIONS } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import { createGate } from '../../kernel/gate.ts';
import { stringifyJson } from '../../kernel/json.ts';
import { type Grounds, grounds, noSuch, requirePermission, requireRevision } from '../access.ts';
import type { App, Caller, ReadAnswer } from '../app.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { Project } from '../project/project.ts';
import { type Asked, boardOf, runQuery } from './query-runs.ts';

/**
 * Queries answer from the views. A result is kept and given again only while none of its sources has changed since it was made
 * (decision 21): this node's head knows the revision of every collection's last change, so that costs one comparison. It is not given
 * for ever: expressions may go by the clock.
 */

interface Kept {
  readonly body: string;
  /** Revision of the last change of any source, when this was made. */
  readonly changedAt: number;
  /** Unix ms. */
  readonly madeAt: number;
}

interface Made {
  readonly body: string;
  readonly reached: boolean;
  readonly madeAt: number;
}

type Run = Parameters<App['queries']['run']>[1];

/** Runs over all documents that a node does at once: each takes a connection, and the processor. */
const SCANS = 3;

export function createQueries(context: AppContext): App['queries'] {
  const kept = new LRUCache<string, Kept>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (one) => one.body.length + 200 });
  const running = new Map<string, Promise<Made>>();
  const gate = createGate(SCANS);

  return {
    async run(caller, run) {
      const project = await projectOf(context, caller);
      const ground = grounds(project.authority, project.definitions, caller, run.target);
      const query = allowed(ground, caller, run);
      requireRevision(caller, 'read');
      const plan = queryPlan(query);
      if (typeof plan === 'string') throw refusal('QUERY_FAILED', `Query ${query.id}: ${plan}`);
      const asked = askedOf(plan, run);
      const changedAt = lastChange(project, ground, plan);
      const name = [
        caller.projectId,
        ground.space,
        ground.definitions.hash,
        query.hash,
        asked.limit,
        asked.offset,
        asked.player,
        asked.around,
      ].join(' ');
      const known = kept.get(name);
      const isGood = known?.changedAt === changedAt && isCurrent(known, plan, context.scheduler.now());
      // A run for each request is dear, so players share what is kept; it holds no longer than what it was made of.
      if (isGood && !(run.fresh && holdsSecret(caller))) {
        return answer(context, project, caller, { body: fromCache(known, plan), reached: true });
      }
      const make = async (): Promise<Made> => {
        const reached = await viewsReached(context, project, boardOf(plan, ground) === null ? 'documents' : 'leaderboards', changedAt);
        const madeAt = context.scheduler.now();
        const work = () => runQuery({ context, projectId: project.id, ground, query, plan, asked });
        return { body: stringifyJson(await (boardOf(plan, ground) === null ? gate(work) : work())), reached, madeAt };
      };
      const share = `${name} ${changedAt}`;
      const shared = running.get(share) ?? make().finally(() => running.delete(share));
      running.set(share, shared);
      const made = await shared;
      if (made.reached) kept.set(name, { body: made.body, changedAt, madeAt: made.madeAt });
      return answer(context, project, caller, made);
    },
  };
}

/** 404 comes before the secret check (runtime-storage 16.1). */
function allowed(at: Grounds, caller: Caller, run: Run): QueryModel {
  if (caller.extraSecret === 'invalid') throw refusal('SECRET_KEY_INVALID');
  const query = at.definitions.query(run.id);
  if (!query) throw noSuch('query', run.id);
  const secret = caller.isSecret ? at.key : caller.extraSecret;
  if (query.requiresSecretKey && !secret) throw refusal('SECRET_KEY_REQUIRED');
  if (secret && (caller.isSecret || query.requiresSecretKey)) requirePermission(secret, 'queries', 'x');
  return query;
}

function holdsSecret({ isSecret, extraSecret }: Caller): boolean {
  return isSecret || (extraSecret !== null && extraSecret !== 'invalid');
}

const NOTHING_ASKED = { limit: 0, offset: 0, player: null, around: null };

/** What a caller may choose of a leaderboard, within the definition's limit (decision 18). */
function askedOf(plan: QueryPlan, run: Run): Asked {
  if (plan.type !== 'leaderboard') return NOTHING_ASKED;
  if (run.player !== null && !DOCUMENT_KEY.test(run.player)) throw refusal('INVALID_PLATFORMID');
  const around = run.player === null ? null : whole(run.around);
  return {
    limit: Math.min(whole(run.limit) ?? plan.limit, plan.limit),
    offset: Math.min(whole(run.offset) ?? 0, plan.limit),
    player: run.player,
    around: around === null ? null : Math.min(around, Math.max(Math.floor((plan.limit - 1) / 2), 0)),
  };
}

function whole(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** A `next` query shows live rows where next has none, so it changes with either. */
function lastChange(project: Project, at: Grounds, plan: QueryPlan): number {
  const spaces: readonly Space[] = at.space === 'live' ? ['live'] : ['live', at.space];
  const collections = [...plan.sources, ...plan.joins].map(
    ({ collectionId }) => at.definitions.collection(collectionId)?.id ?? collectionId,
  );
  const changes = collections.flatMap((collection) =>
    spaces.map((space) => project.set.collectionChangedAt(collectionSubject(space, collection))),
  );
  // A publish can change what a query shows, a setting whether defaults are filled in; a board just published is empty until the views have seen it.
  return Math.max(project.set.residentChangedAt(DEFINITIONS), project.set.residentChangedAt(AUTHORITY), ...changes);
}

/**
 * Until when a result is given again, unix ms: for its `ttl`, 2 s at least (runtime-storage 16.7). Who is online comes out of
 * telemetry, which changes no source, so results that show it are kept no longer than that.
 */
function expiry({ madeAt }: Kept, { ttl, withProfiles }: QueryPlan): number {
  return Math.min(madeAt + (withProfiles ? SHORTEST_KEPT_MS : Math.max(ttl * 1000, SHORTEST_KEPT_MS)), LAST_INSTANT);
}

/** One that was made later than now was made by a clock that has been set back since: it would be given for as long as that was. */
function isCurrent(kept: Kept, plan: QueryPlan, now: number): boolean {
  return kept.madeAt <= now && now < expiry(kept, plan);
}

const SHORTEST_KEPT_MS = 2_000;
/** What a date can hold. */
const LAST_INSTANT = 8.64e15;

/** The kept text with three more members. */
function fromCache(kept: Kept, plan: QueryPlan): string {
  const [cachedAt, expiresAt] = [kept.madeAt, expiry(kept, plan)].map((at) => new Date(at).toISOString());
  return `${kept.body.slice(0, -1)},"fromCache":true,"cachedAt":"${cachedAt}","expiresAt":"${expiresAt}"}`;
}

function answer(context: AppContext, project: Project, caller: Caller, { body, reached }: Pick<Made, 'body' | 'reached'>): ReadAnswer {
  return {
    ...positioned(context, project, caller, reached),
    body,
    headers: { 'Cache-Control': 'no-store, max-age=0' },
  };
}
