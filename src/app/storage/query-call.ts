import { queryAccess } from '../../domain/access/calls.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { QueryModel } from '../../domain/model.ts';
import { type QueryPlan, queryPlan } from '../../domain/query/plan.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import { pageLimit } from '../../kernel/page-limit.ts';
import { wholeNumberIn } from '../../kernel/whole-number.ts';
import { accessAt } from '../access.ts';
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
  abortSignal?(): AbortSignal;
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
  const access = accessAt(project, caller, call.target);
  const query = accepted(queryAccess(access, caller, call.id));
  const plan = queryPlan(query);
  if (typeof plan === 'string') throw refusal('QUERY_FAILED', `Query ${query.id}: ${plan}`);
  return { access, query, plan, page: pageRequestOf(plan, call) };
}

const EMPTY_PAGE = { limit: 0, offset: 0, player: null, around: null };

/** What a caller asks of a leaderboard, within the definition's limit. */
function pageRequestOf(plan: QueryPlan, call: QueryCall): PageRequest {
  if (plan.type !== 'leaderboard') return EMPTY_PAGE;
  if (call.player !== null && !DOCUMENT_KEY.test(call.player)) throw refusal('INVALID_PLATFORMID');
  if (call.around !== null && call.player === null) {
    throw refusal('INVALID_REQUEST', '`around` shows the rows around a player: name one in `platformId`');
  }
  const around = wholeNumberIn(call.around);
  // A wrong number is refused and not read as 0: a client that asks for page after page would get the first one for ever.
  for (const name of ['offset', 'around'] as const)
    if (call[name] !== null && wholeNumberIn(call[name]) === null)
      throw refusal('INVALID_REQUEST', `\`${name}\` must be a whole number from 0`);
  return {
    limit: pageLimit(call.limit, plan.limit, plan.limit),
    offset: Math.min(wholeNumberIn(call.offset) ?? 0, plan.limit),
    player: call.player,
    around: around === null ? null : Math.min(around, Math.max(Math.floor((plan.limit - 1) / 2), 0)),
  };
}
