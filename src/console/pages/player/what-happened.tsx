import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { folded, goingOn } from '../../../contract/told-as-one.ts';
import { type Commit, LOOK_EVERY_MS, NEWER } from '../../api/queries.ts';
import { newerTimelineQuery, type TimelineItem, timelineQuery } from '../../api/timeline.ts';
import { useView } from '../../frame/view.ts';
import { NewNote, NotFollowed } from '../../parts/live.tsx';
import { Failed } from '../../parts/notice.tsx';
import { CardBody, Empty, More, Waiting } from '../../parts/page.tsx';
import { useDrawn } from '../../parts/standing.ts';
import { At } from '../../parts/time.tsx';
import { newText } from '../../words/commit.ts';
import { keyOf, newerAmong } from '../../words/happened.ts';
import { sourcesLeftOut } from '../../words/left-out.ts';
import { isAway } from '../../words/refusal.ts';
import type { TimelineFilters } from '../../words/timeline.ts';
import { CallRow, CallsRow } from '../calls/call-row.tsx';
import commits from '../commits.module.css';
import { CommitRow, ROWS_OF_SCREEN } from '../commits.tsx';
import { UndoDialog } from '../undo.tsx';
import styles from './player.module.css';
import { ReportRow } from './reports.tsx';

/**
 * What happened to a player, newest first: commits, requests that were refused or failed, and what the game reported. What comes meanwhile
 * is told, and shown when one asks for it.
 */
export function WhatHappened({ player, asked }: { readonly player: string; readonly asked: TimelineFilters }) {
  const [undoing, setUndoing] = useState<Commit | null>(null);
  const view = useView();
  const list = useInfiniteQuery({
    ...timelineQuery(view, player, asked),
    refetchInterval: ({ state }) => (isAway(state.error) ? LOOK_EVERY_MS : false),
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const isFollowed = view.at === undefined && asked.to === undefined && items.length > 0;
  const drawn = useDrawn(folded(items), ROWS_OF_SCREEN);
  const newer = useQuery({ ...newerTimelineQuery(view, player, asked, items), enabled: isFollowed });
  if (list.isPending) return <Waiting what="what happened" />;
  if (list.data === undefined) return <Failed error={list.error} again={() => void list.refetch()} />;
  const last = list.data.pages.at(-1);
  const open = list.hasNextPage ? goingOn(items) : null;
  const leftOut = sourcesLeftOut(last?.leftOut ?? []);
  return (
    <>
      <NewNote
        isInCard
        what={isFollowed ? newText(newerAmong(newer.data ?? [], items), NEWER, 'line') : null}
        show={() => void list.refetch()}
      />
      <NotFollowed state={isAway(list.error) || (isFollowed && newer.isError) ? 'lost' : 'off'} />
      {items.length === 0 && !list.hasNextPage ? (
        <Nothing isFiltered={Object.values(asked).some((value) => value !== undefined)} />
      ) : (
        <ol className={commits.list}>
          {drawn.map((group) => (
            <Rows key={keyOf(group[0])} group={group} isGoingOn={open?.has(group[0]) ?? false} player={player} undo={setUndoing} />
          ))}
        </ol>
      )}
      {list.isError && !isAway(list.error) && <Failed error={list.error} again={() => void list.refetch()} />}
      {leftOut !== '' && (
        <CardBody>
          <span className={styles.soft}>{leftOut}</span>
        </CardBody>
      )}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()}>
        {list.hasNextPage && typeof last?.reached === 'string' && (
          <span>
            Everything since <At at={last.reached} /> is told.
          </span>
        )}
      </More>
      {undoing !== null && <UndoDialog commit={undoing} close={() => setUndoing(null)} />}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="Nothing like that happened to this player">
      Take a filter away, or ask for a longer time. Refused requests and reports are kept for some days.
    </Empty>
  ) : (
    <Empty title="Nothing has happened to this player">It begins with the first call, session or report.</Empty>
  );
}

interface RowsProps {
  /** One thing, or neighbours that are told as one. */
  readonly group: readonly [TimelineItem, ...TimelineItem[]];
  /** There may be more of it behind the end of the list. */
  readonly isGoingOn: boolean;
  readonly player: string;
  readonly undo: (commit: Commit) => void;
}

function Rows({ group, isGoingOn, player, undo }: RowsProps) {
  const [{ commit, call, report }] = group;
  if (commit !== undefined) return <CommitRow commit={commit} about={player} acts="all" undo={() => undo(commit)} />;
  if (report !== undefined) return <ReportRow report={report} />;
  if (call === undefined) return null;
  if (group.length === 1) return <CallRow request={call} about={player} />;
  return <CallsRow requests={[call, ...group.slice(1).flatMap((each) => each.call ?? [])]} isGoingOn={isGoingOn} about={player} />;
}
