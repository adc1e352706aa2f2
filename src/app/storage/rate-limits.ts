import type * as contract from '../../contract/answers.ts';
import type { WindowName } from '../../contract/resources/rate-limits.ts';
import { closedUsage } from '../../domain/access/calls.ts';
import type { PublishTarget, Space } from '../../domain/events.ts';
import { callCounters } from '../../domain/limit/calls.ts';
import { type Counting, counterOf, dailyCounter, type Limit, usedIn } from '../../domain/limit/counters.ts';
import { rulesOf } from '../../domain/limit/rules.ts';
import { windowEnd } from '../../domain/limit/windows.ts';
import type { CollectionModel, EffectiveDefinitions, RuleModel } from '../../domain/model.ts';
import type { WindowState } from '../../domain/states.ts';
import { windowSubject } from '../../domain/subjects.ts';
import { accepted } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { accessAt, requireStorable } from '../access.ts';
import type { ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { provenDirectly, provenForTarget } from '../security/players.ts';

/** `player`: whose used amounts to add to the limits; needs a secret key, or that player. */
export type RateLimits = (caller: Caller, target: PublishTarget, player: string | null) => Promise<ReadAnswer<contract.RateLimits>>;
type Limits = contract.RateLimits['collections'][string];
type UsedAmounts = Pick<contract.RateLimits, 'platformId' | 'used' | 'usedTruncated'>;

/** Counters that an answer shows: a rule for all collections has one for each of them. */
const MAX_USED = 2000;

/** The rate limits in force, and what a player has used of them. They come from definitions and state tables. */
export function createRateLimits(context: AppContext): RateLimits {
  return async (claimed, target, player) => {
    const project = await projectOf(context, claimed);
    const caller = await (player === null ? provenForTarget(context, project, claimed, target) : provenDirectly(context, project, claimed));
    const access = accessAt(project, caller, target);
    const { definitions, space } = access;
    if (player !== null) {
      accepted(closedUsage(access, caller, player));
      requireStorable(player);
    }
    const endpointRateLimits: Record<string, Json> = {};
    for (const { id, definition } of definitions.endpoints) {
      const limits = definition['rateLimits'] ?? definition['rateLimit'];
      if (limits !== undefined) endpointRateLimits[id] = limits;
    }
    const collections: Record<string, Limits> = {};
    for (const collection of definitions.collections) collections[collection.id] = collectionLimits(collection);
    const used = player === null ? {} : await usedBy(project, space, definitions, player, context.scheduler.now());
    const listing = { source: 'store', endpointRateLimits, rules: definitions.rawRules, collections };
    return { ...positioned(context, project, caller), result: { ok: true, projectId: caller.projectId, ...listing, ...used } };
  };
}

function collectionLimits({ definition, schema }: CollectionModel): Limits {
  const fields = schema.growth.map(({ path, windows }) => [path, Object.fromEntries(windows.map(({ window, limit }) => [window, limit]))]);
  return {
    rateLimits: definition['rateLimits'] ?? null,
    rateLimitAction: definition['rateLimitAction'] ?? null,
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
  };
}

/** A limit, with its rule. */
interface LimitInForce extends Limit {
  readonly about: JsonObject;
}

/** What a player has used: at most {@link MAX_USED} windows, in the order of the listing; `usedTruncated` if there are more. */
export async function usedBy(
  project: Project,
  space: Space,
  definitions: EffectiveDefinitions,
  player: string,
  now: number,
): Promise<UsedAmounts> {
  const all = [...limitsInForce(definitions, player, now)];
  const shown = all.slice(0, MAX_USED);
  const states = await Promise.all(shown.map(({ counter }) => windowOf(project, space, counter)));
  const used = shown.map((limit, index) => usedOf(limit, states[index] ?? null, now));
  return { platformId: player, used, ...(all.length > shown.length ? { usedTruncated: true as const } : {}) };
}

function* limitsInForce(definitions: EffectiveDefinitions, player: string, now: number): Generator<LimitInForce> {
  for (const collection of definitions.collections) {
    const counting = { collection, key: player, player, now, windowOf: () => null };
    const { dailyLimit } = collection;
    if (dailyLimit !== null) {
      const scope = dailyLimit.per === 'player' ? 'per_player' : 'global';
      const about = { rule: 'daily', collection: collection.id, field: '*', scope, action: 'reject' };
      yield { counter: dailyCounter(counting, dailyLimit.per), rule: 'daily', window: 'perDay', limit: dailyLimit.count, since: 0, about };
    }
    for (const rule of rulesOf(definitions.rules, collection)) yield* windowsOf(rule, counting);
  }
  for (const endpoint of definitions.endpoints) {
    const about = { rule: endpoint.slug, endpoint: endpoint.id, scope: endpoint.callLimit?.scope ?? 'per_player', action: 'reject' };
    for (const limit of callCounters(endpoint, player)) yield { ...limit, about };
  }
}

function* windowsOf(rule: RuleModel, counting: Counting): Generator<LimitInForce> {
  const { id, name, field, scope, action, since } = rule;
  const about = { rule: id, name, collection: counting.collection.id, field, scope, action };
  for (const { window, limit } of rule.windows) yield { counter: counterOf(rule, counting, window), rule: id, window, limit, since, about };
}

function usedOf(
  { about, window, limit, since }: LimitInForce,
  state: WindowState | null,
  now: number,
): NonNullable<UsedAmounts['used']>[number] {
  const { start, used, flagged } = usedIn(state, window, now, since);
  return { ...about, window, limit, used, remaining: Math.max(limit - used, 0), flagged, resetsAt: resetsAt(window, start) };
}

function resetsAt(window: WindowName, start: number): string {
  return new Date(windowEnd(window, start)).toISOString();
}

/** A window; a `next` space continues live's count. */
async function windowOf(project: Project, space: Space, counter: string): Promise<WindowState | null> {
  const own = (await project.read(windowSubject(space, counter))).state;
  return own ?? (space === 'live' ? null : (await project.read(windowSubject('live', counter))).state);
}
