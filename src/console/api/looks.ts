import { infiniteQueryOptions } from '@tanstack/react-query';
import * as api from './generated.ts';
import { answerOf } from './http.ts';

/** Who looked at the data of players. */

export interface LooksAsked {
  readonly player?: string | undefined;
  readonly person?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export type Look = api.Look;

const PAGE = 50;

export function looksQuery(project: string, { player, person, from, to }: LooksAsked) {
  return infiniteQueryOptions({
    queryKey: [project, 'looks', player, person, from, to],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listLooks({
          project,
          limit: PAGE,
          ...(player === undefined ? {} : { player }),
          ...(person === undefined ? {} : { person }),
          ...(from === undefined ? {} : { $from: from }),
          ...(to === undefined ? {} : { to }),
          ...(pageParam === null ? {} : { before: String(pageParam) }),
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}
