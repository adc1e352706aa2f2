import { infiniteQueryOptions } from '@tanstack/react-query';
import type { TimelineFilters } from '../frame/search.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { View } from './view.ts';

export type TimelineItem = api.TimelineItem;
export type Report = api.PlayerReport;

const PAGE = 30;

/** What happened to one player, newest first: at a moment that pages follow, up to then. */
export function timelineQuery({ project, at }: View, player: string, asked: TimelineFilters) {
  const { from, what, endpoint } = asked;
  const to = asked.to ?? at;
  return infiniteQueryOptions({
    queryKey: [project, 'timeline', player, what, endpoint, from, to],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.showTimeline({
          project,
          player,
          ...(what === undefined ? {} : { what }),
          ...(endpoint === undefined ? {} : { endpoint }),
          ...(from === undefined ? {} : { $from: from }),
          ...(to === undefined ? {} : { to }),
          limit: PAGE,
          ...(pageParam === null ? {} : { before: pageParam }),
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ before }) => before,
  });
}
