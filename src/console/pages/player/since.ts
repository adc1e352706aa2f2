import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Commit, commitsQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { sinceOf } from '../../words/time.ts';

/** What happened to a player around the moment of a restore. */

/** The commit that one came from, where the moment lies right before it: it says what moment that is in more than a number. */
export function useBehind(player: string, moment: string | undefined, before: string | undefined): Commit | undefined {
  const isAsked = useMay()('history', 'r') && moment !== undefined && before !== undefined;
  const read = useInfiniteQuery({ ...commitsQuery(useView(), { player, from: before, to: before }), enabled: isAsked });
  const commit = isAsked ? read.data?.pages[0]?.commits[0] : undefined;
  return commit !== undefined && String(commit.first - 1) === moment ? commit : undefined;
}

export interface Since {
  /** What happened to the player since the moment, and the commit right behind it. */
  readonly commits: readonly Commit[];
  readonly isAll: boolean;
  readonly isLoading: boolean;
  /** A commit may have given another player something that comes back: one names others, or too many are to be looked at. */
  readonly mayBeOthers: boolean;
}

export function useSince(player: string, to: string, before: string | undefined): Since {
  const mayRead = useMay()('history', 'r');
  const read = useInfiniteQuery({ ...commitsQuery(useView(), { player, from: sinceOf(to) }), enabled: mayRead });
  const behind = useBehind(player, to, before);
  const { isLoading, isError } = read;
  const page = read.data?.pages[0];
  return useMemo(() => {
    const found = page?.commits ?? [];
    const isKnown = behind === undefined || found.some(({ revision }) => revision === behind.revision);
    const isAll = page !== undefined && page.before === null;
    const mayBeOthers = page === undefined ? !mayRead || isError : !isAll || found.some(({ players }) => players.length > 1);
    return { commits: isKnown ? found : [...found, behind], isAll, isLoading, mayBeOthers };
  }, [page, behind, isLoading, isError, mayRead]);
}
