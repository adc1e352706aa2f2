import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { WindowChange } from '../events.ts';
import { type Counting, count, dailyCounter } from './counters.ts';
import { secondsLeft } from './windows.ts';

/** Counts one write against the daily limit; empty without one. 429 `RATE_LIMIT_DAILY`. */
export function countDaily(counting: Counting): readonly WindowChange[] | Refusal {
  const limit = counting.collection.dailyLimit;
  if (limit === null) return [];
  const daily = { counter: dailyCounter(counting, limit.per), rule: 'daily', window: 'perDay', limit: limit.count, since: 0 } as const;
  const { change, over } = count(counting, daily, 1);
  if (!over) return [change];
  return refusal('RATE_LIMIT_DAILY', undefined, {
    error: { rule: 'daily', window: 'perDay', limit: limit.count },
    retryAfter: secondsLeft('perDay', change.start, counting.now),
  });
}
