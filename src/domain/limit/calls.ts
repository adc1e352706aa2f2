import { WINDOW_NAMES } from '../../contract/resources/rate-limits.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { CallLimit, EndpointModel } from '../definition/model.ts';
import { flagOf } from '../definition/read.ts';
import type { WindowChange } from '../events.ts';
import { type Counting, count, type Limit } from './counters.ts';
import { windowsOf } from './rules.ts';
import { secondsLeft } from './windows.ts';

/**
 * An endpoint's `rateLimits` (or `rateLimit`): any form that a rule's limits have, or windows by bare names, `{perMinute: 10}`. `null`: nothing
 * that counts.
 */
export function callLimit(raw: Json | undefined): CallLimit | null {
  if (!isObject(raw) || flagOf(raw['enabled']) === false || raw['mode'] === 'none') return null;
  const windows = windowsOf({ ...raw, windows: bareWindows(raw) });
  return windows.length === 0 ? null : { scope: raw['scope'] === 'global' ? 'global' : 'per_player', windows };
}

function bareWindows(raw: JsonObject): JsonObject {
  const bare = Object.entries(raw).filter(([name]) => WINDOW_NAMES.some((window) => window === name));
  return { ...Object.fromEntries(bare), ...(isObject(raw['windows']) ? raw['windows'] : {}) };
}

/** Counters of an endpoint's calls by this player. No rule can have this id, and a player id may be any text. */
export function callCounters(endpoint: EndpointModel, player: string): readonly Limit[] {
  if (endpoint.callLimit === null) return [];
  const { scope, windows } = endpoint.callLimit;
  const subject = scope === 'global' ? '*' : player;
  return windows.map(({ window, limit }) => {
    return { counter: `@call/${encodeURIComponent(endpoint.id)}/*/${window}/${subject}`, rule: endpoint.slug, window, limit, since: 0 };
  });
}

/** Counts one call. 429 `RATE_LIMIT` names endpoint and window; then no counter moves. */
export function countCall(
  endpoint: EndpointModel,
  player: string,
  counting: Pick<Counting, 'now' | 'windowOf'>,
): readonly WindowChange[] | Refusal {
  const changes: WindowChange[] = [];
  for (const counter of callCounters(endpoint, player)) {
    const { change, over } = count(counting, counter, 1);
    if (over) {
      return refusal('RATE_LIMIT', `The endpoint "${endpoint.slug}" may not be called more often`, {
        error: { rule: endpoint.slug, endpoint: endpoint.slug, window: counter.window, limit: counter.limit },
        retryAfter: secondsLeft(counter.window, change.start, counting.now),
      });
    }
    changes.push(change);
  }
  return changes;
}
