import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Commit } from '../../api/queries.ts';
import { type TimelineItem, timelineQuery } from '../../api/timeline.ts';
import type { TimelineFilters } from '../../frame/search.ts';
import { useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { CardBody, Empty, More, Waiting } from '../../parts/page.tsx';
import { At } from '../../parts/time.tsx';
import { leftOutOf } from '../../words/timeline.ts';
import { CallRow } from '../calls/call-row.tsx';
import commits from '../commits.module.css';
import { CommitRow } from '../commits.tsx';
import { UndoDialog } from '../undo.tsx';
import styles from './player.module.css';
import { ReportRow } from './reports.tsx';

/** What happened to a player, newest first: commits, requests that were refused or failed, and what the game reported. */
export function WhatHappened({ player, asked }: { readonly player: string; readonly asked: TimelineFilters }) {
  const [undoing, setUndoing] = useState<Commit | null>(null);
  const list = useInfiniteQuery(timelineQuery(useView(), player, asked));
  if (list.isPending) return <Waiting what="what happened" />;
  if (list.data === undefined) return <Failed error={list.error} again={() => void list.refetch()} />;
  const items = list.data.pages.flatMap((page) => page.items);
  const last = list.data.pages.at(-1);
  const leftOut = leftOutOf(last?.leftOut ?? []);
  return (
    <>
      {items.length === 0 && !list.hasNextPage ? (
        <Nothing isFiltered={Object.values(asked).some((value) => value !== undefined)} />
      ) : (
        <ol className={commits.list}>
          {items.map((item) => (
            <Row key={keyOf(item)} item={item} player={player} undo={setUndoing} />
          ))}
        </ol>
      )}
      {list.isError && <Failed error={list.error} again={() => void list.refetch()} />}
      {leftOut !== null && (
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

interface RowProps {
  readonly item: TimelineItem;
  readonly player: string;
  readonly undo: (commit: Commit) => void;
}

function Row({ item: { commit, call, report }, player, undo }: RowProps) {
  if (commit !== undefined) return <CommitRow commit={commit} about={player} acts="all" undo={() => undo(commit)} />;
  if (call !== undefined) return <CallRow request={call} about={player} />;
  return report === undefined ? null : <ReportRow report={report} />;
}

function keyOf({ at, commit, call, report }: TimelineItem): string {
  if (commit !== undefined) return String(commit.revision);
  return call?.id ?? `${at} ${report?.revision}`;
}
