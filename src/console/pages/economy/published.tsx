import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EconomyDay } from '../../api/economy.ts';
import { type Publish, publishesQuery } from '../../api/queries.ts';
import { useMoment } from '../../frame/then.tsx';
import { useMayReadStaged, useView } from '../../frame/view.ts';
import { Card, More } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';
import { approvalSentence, whoActed } from '../../words/approval.ts';
import type { Period } from '../../words/economy.ts';
import { plotText } from '../../words/plot.ts';
import { changesSaid } from '../../words/publish.ts';
import { aroundSaid } from '../../words/sums.ts';
import { PublishLink } from '../named.tsx';

/** What went live in the days that the economy is told of, for whoever may read it: newest first, and where it stands in the plots. */
export function usePublished({ from, to }: Period) {
  const { at, instead } = useMoment('revision');
  const mayRead = useMayReadStaged() && instead === null;
  const list = useInfiniteQuery({ ...publishesQuery(useView(), at), enabled: mayRead });
  const read = list.data?.pages.flatMap((page) => page.publishes) ?? [];
  const isWithin = (publish: Publish) => dayOf(publish) >= from && dayOf(publish) <= to;
  const publishes = read.filter((publish) => publish.target === 'live' && isWithin(publish));
  const days = [...new Set(publishes.map(dayOf))].join(' ');
  const marks = useMemo(() => (days === '' ? [] : days.split(' ').map((day) => Date.parse(day) / 1000)), [days]);
  // What was published before these days is not asked for.
  const [oldest] = read.slice(-1);
  const hasMore = list.hasNextPage && oldest !== undefined && dayOf(oldest) >= from;
  return { publishes, marks, hasMore, isLoading: list.isFetchingNextPage, load: () => void list.fetchNextPage() };
}

function dayOf({ at }: Publish): string {
  return at.slice(0, 10);
}

interface PublishedProps {
  readonly published: ReturnType<typeof usePublished>;
  readonly days: readonly EconomyDay[];
}

/** Each of them, with what flowed on a day before it and since. */
export function PublishedInDays({ published: { publishes, hasMore, isLoading, load }, days }: PublishedProps) {
  if (publishes.length === 0) return null;
  return (
    <Card title="Made live in these days">
      <Table
        name="Publishes"
        heads={[
          ...['When', 'What changed', 'Who'],
          {
            name: 'In and out, before and since',
            title: 'Of a day: the mean of up to seven on which something moved, without that of the publish',
          },
        ]}
      >
        {publishes.map((publish) => (
          <tr key={publish.revision}>
            <td className={table.tight}>
              <At at={publish.at} /> <PublishLink revision={publish.revision} />
            </td>
            <td>{changesSaid(publish.changes)}</td>
            <td>
              {whoActed(publish.actor)}
              {publish.approval !== undefined && <div className={table.soft}>{approvalSentence(publish.approval)}</div>}
            </td>
            <td className={table.soft}>{aroundSaid(days, dayOf(publish), plotText) ?? 'not known yet'}</td>
          </tr>
        ))}
      </Table>
      <More hasMore={hasMore} isLoading={isLoading} load={load} />
    </Card>
  );
}
