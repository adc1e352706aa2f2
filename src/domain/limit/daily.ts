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
  const { id } = counting.collection;
  const saves = `${limit.count} ${limit.count === 1 ? 'save' : 'saves'} a day${limit.per === 'player' ? ' of each player' : ' of all together'}`;
  return refusal(
    'RATE_LIMIT_DAILY',
    `The daily limit of the collection "${id}" was reached: ${saves}; the next day begins at midnight, UTC`,
    {
      error: { rule: 'daily', window: 'perDay', limit: limit.count, collection: id },
      retryAfter: secondsLeft('perDay', change.start, counting.now),
    },
  );
}
