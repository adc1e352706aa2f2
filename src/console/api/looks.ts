import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { LooksAsked } from '../words/look.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import type { Commit } from './queries.ts';
import { given } from './view.ts';

/** Who looked at the data of players. */

export type Look = api.Look;

const PAGE = 50;

/** Looks that name no player are those of every player, so one is no filter of them. */
export function looksQuery(project: string, { player: named, of, person, from, to }: LooksAsked) {
  const player = of === 'many' ? undefined : named;
  return infiniteQueryOptions({
    queryKey: [project, 'looks', player, of, person, from, to],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listLooks({
          project,
          limit: PAGE,
          ...given({ player, $of: of, person, $from: from, to }),
          ...(pageParam === null ? {} : { before: String(pageParam) }),
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ before }) => before,
  });
}

/** How many looks at lists and files there were, up to a page; such looks name no player. */
export function manyLooksQuery(project: string, { person, from, to }: LooksAsked) {
  return queryOptions({
    queryKey: [project, 'looks at many', person, from, to],
    queryFn: async (): Promise<{ readonly looks: number; readonly isMore: boolean }> => {
      const { looks, before } = await answerOf(api.listLooks({ project, limit: PAGE, $of: 'many', ...given({ person, $from: from, to }) }));
      return { looks: looks.length, isMore: before !== null };
    },
  });
}

/** What people do for a player and give a reason for. */
const ACTS = 'document.correct,player.restore,commit.undo,grant,button,support';

/** Pages of acts that are read. */
const ACT_PAGES = 4;

/** Acts of people on one player, with why, among which a look may belong to one. */
export function actsQuery(project: string, player: string, from: string, to: string) {
  return queryOptions({
    queryKey: [project, 'acts', player, from, to],
    queryFn: async () => {
      const acts: Commit[] = [];
      for (let page = 0, before: number | null = null; page === 0 || (before !== null && page < ACT_PAGES); page += 1) {
        const after: { readonly before?: string } = before === null ? {} : { before: String(before) };
        const read: api.Commits = await answerOf(api.listCommits({ project, player, kind: ACTS, $from: from, to, limit: PAGE, ...after }));
        acts.push(...read.commits);
        before = read.before;
      }
      return acts;
    },
  });
}
