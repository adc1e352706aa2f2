import { queryOptions } from '@tanstack/react-query';
import { publishWhyOf, type Why } from './acts.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { View } from './view.ts';

/** A promotion at a chosen time. */

/** How often it is asked for while one waits: its job looks every minute. */
const EVERY_MS = 20_000;

/** The one that waits, or what became of the last one. */
export function scheduleQuery({ project }: View) {
  return queryOptions({
    queryKey: [project, 'schedule'],
    queryFn: () => answerOf(api.readPromotionSchedule({ project })),
    refetchInterval: ({ state }) => (state.data?.schedule?.phase === 'waiting' ? EVERY_MS : false),
  });
}

interface Planned {
  readonly project: string;
  /** The revision that was looked at. */
  readonly base: number;
  readonly at: string;
  readonly why: Why;
}

export function schedulePromotion({ project, base, at, why }: Planned, intent: string) {
  return answerOf(api.schedulePromotion({ project, ...publishWhyOf(why), xNsBase: base, idempotencyKey: intent, body: { at } }));
}

/** `schedule`: the one that was looked at. Another one that waits by then goes on waiting. */
export function unschedulePromotion(project: string, schedule: string, why: Why, intent: string) {
  return answerOf(api.unschedulePromotion({ project, schedule, ...publishWhyOf(why), idempotencyKey: intent }));
}
