import type { Written } from '../../contract/resources/member.ts';
import { type callLimits, WINDOW_NAMES } from '../../contract/resources/rate-limits.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { flagOf, objectFrom, objectOf } from '../../kernel/json-read.ts';
import type { WindowChange } from '../events.ts';
import type { CallLimit, EndpointModel } from '../model.ts';
import { type Counting, count, type Limit } from './counters.ts';
import { windowsOf } from './rules.ts';
import { secondsLeft } from './windows.ts';

type WrittenLimits = Written<typeof callLimits>;

/**
 * An endpoint's `rateLimits` (or `rateLimit`), in any form that a rule's limits have, or as windows by bare names: `{perMinute: 10}`.
 * `null`: no limit.
 */
export function callLimit(raw: Json | undefined): CallLimit | null {
  const written: WrittenLimits = objectOf(raw);
  if (flagOf(written.enabled) === false || written.mode === 'none') return null;
  const windows = windowsOf({ ...written, windows: { ...bareWindows(written), ...objectOf(written.windows) } });
  return windows.length === 0 ? null : { scope: written.scope === 'global' ? 'global' : 'per_player', windows };
}

function bareWindows(written: WrittenLimits): JsonObject {
  return objectFrom(WINDOW_NAMES.flatMap((window) => (written[window] === undefined ? [] : [[window, written[window]]])));
}

/** Counters of an endpoint's calls by this player. No rule's id begins with `@`. The player's id may be any text, so it comes last. */
export function callCounters(endpoint: EndpointModel, player: string): readonly Limit[] {
  if (endpoint.callLimit === null) return [];
  const { scope, windows } = endpoint.callLimit;
  const subject = scope === 'global' ? '*' : player;
  return windows.map(({ window, limit }) => {
    return { counter: `@call/${encodeURIComponent(endpoint.id)}/*/${window}/${subject}`, rule: endpoint.slug, window, limit, since: 0 };
  });
}

/** Counts one call. 429 `RATE_LIMIT` names endpoint and window, and no counter moves. */
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
