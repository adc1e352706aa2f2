import type { QueryModel } from '../../domain/definition/model.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { type QueryPlan, queryPlan } from '../../domain/query/plan.ts';
import { refusal } from '../../kernel/errors.ts';
import { type AccessContext, accessFrom, noSuch, requirePermission, requireRevision, type SharedAccess } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { Project } from '../project/project.ts';
import type { PageRequest } from './query-runs.ts';

/** What a call of a query asks for, and whether its caller may. */

/** A query as a caller asks for it, with the texts of its URL. */
export interface QueryCall {
  readonly id: string;
  readonly target: PublishTarget;
  readonly fresh: boolean;
  readonly limit: string | null;
  readonly offset: string | null;
  /** Key of the row whose rank is asked for, and the number of rows around it in place of a page. For leaderboards only. */
  readonly player: string | null;
  readonly around: string | null;
  /** Aborts when nobody waits for the answer any more. Called only if there is something to stop. */
  left?(): AbortSignal;
}

/** What a query is run with, whoever may run it. */
export interface SharedQuery {
  readonly access: SharedAccess;
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  readonly page: PageRequest;
}

/** What the caller asks for, if it may. Throws the refusals of access, and 500 QUERY_FAILED for a definition that cannot be run. */
export function runnable(project: Project, caller: Caller, call: QueryCall): SharedQuery {
  const access = accessFrom(project.authority, project.definitions, caller, call.target);
  const query = allowed(access, caller, call);
  requireRevision(caller, 'read');
  const plan = queryPlan(query);
  if (typeof plan === 'string') throw refusal('QUERY_FAILED', `Query ${query.id}: ${plan}`);
  return { access, query, plan, page: pageRequestOf(plan, call) };
}

/** An unknown query is 404 before the secret key is checked. */
function allowed(at: AccessContext, caller: Caller, call: QueryCall): QueryModel {
  if (caller.extraSecret === 'invalid') throw refusal('SECRET_KEY_INVALID');
  const query = at.definitions.query(call.id);
  if (!query) throw noSuch('query', call.id, at.target);
  const secret = caller.isSecret ? at.key : caller.extraSecret;
  if (query.requiresSecretKey && !secret) throw refusal('SECRET_KEY_REQUIRED');
  if (secret && (caller.isSecret || query.requiresSecretKey)) requirePermission(secret, 'queries', 'x');
  return query;
}

const EMPTY_PAGE = { limit: 0, offset: 0, player: null, around: null };

/** What a caller asks of a leaderboard, within the definition's limit. */
function pageRequestOf(plan: QueryPlan, call: QueryCall): PageRequest {
  if (plan.type !== 'leaderboard') return EMPTY_PAGE;
  if (call.player !== null && !DOCUMENT_KEY.test(call.player)) throw refusal('INVALID_PLATFORMID');
  if (call.around !== null && call.player === null) {
    throw refusal('INVALID_REQUEST', '`around` shows the rows around a player: name one in `platformId`');
  }
  const around = whole(call.around);
  // A wrong number is refused and not read as 0: a client that asks for page after page would get the first one for ever.
  for (const name of ['offset', 'around'] as const)
    if (call[name] !== null && whole(call[name]) === null) throw refusal('INVALID_REQUEST', `\`${name}\` must be a whole number from 0`);
  return {
    limit: Math.min(whole(call.limit) ?? plan.limit, plan.limit),
    offset: Math.min(whole(call.offset) ?? 0, plan.limit),
    player: call.player,
    around: around === null ? null : Math.min(around, Math.max(Math.floor((plan.limit - 1) / 2), 0)),
  };
}

function whole(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
