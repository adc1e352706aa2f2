import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { newerFrom } from '../words/happened.ts';
import type { TimelineFilters } from '../words/timeline.ts';
import { isAttended } from './attended.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import { LOOK_EVERY_MS } from './queries.ts';
import { given, type View } from './view.ts';

export type TimelineItem = api.TimelineItem;
export type Report = api.PlayerReport;

const PAGE = 30;

/** What happened to one player, newest first: at a moment that pages follow, up to then. */
export function timelineQuery({ project, at }: View, player: string, asked: TimelineFilters) {
  const { from, what, endpoint, field } = asked;
  const to = asked.to ?? at;
  return infiniteQueryOptions({
    queryKey: [project, 'timeline', player, what, endpoint, field, from, to],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.showTimeline({
          project,
          player,
          ...given({ what, endpoint, field, $from: from, to }),
          limit: PAGE,
          ...(pageParam === null ? {} : { before: pageParam }),
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ before }) => before,
  });
}

/** What happened lately, of which the page tells what it does not show yet. Nobody is at the page: nothing is asked. */
export function newerTimelineQuery({ project }: View, player: string, asked: TimelineFilters, shown: readonly TimelineItem[]) {
  const from = newerFrom(shown) ?? '';
  const { what, endpoint, field } = asked;
  return queryOptions({
    queryKey: [project, 'newer timeline', player, what, endpoint, field, from],
    queryFn: async ({ client, queryKey }): Promise<readonly TimelineItem[]> => {
      if (!isAttended()) return client.getQueryData<readonly TimelineItem[]>(queryKey) ?? [];
      const { items } = await answerOf(
        api.showTimeline({ project, player, ...given({ what, endpoint, field }), $from: from, limit: PAGE }),
      );
      return items;
    },
    refetchInterval: LOOK_EVERY_MS,
    staleTime: LOOK_EVERY_MS,
    gcTime: 0,
  });
}
