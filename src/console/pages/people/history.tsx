import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { peopleHistoryQuery } from '../../api/people.ts';
import { sessionQuery } from '../../api/session.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, NothingSoFar, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { At } from '../../parts/time.tsx';
import { changeOfPerson, changerOf } from '../../words/person-change.ts';
import { whySaid } from '../../words/why.ts';

/** Who let whom in, gave and took which role, signed whom out and made a link, and why. */
export function PeopleHistory() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const list = useInfiniteQuery(peopleHistoryQuery);
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  return (
    <Card title="What changed">
      {list.isPending && <Waiting what="what changed" />}
      {list.isError && (
        <CardBody>
          <Failed error={list.error} again={() => void list.refetch()} />
        </CardBody>
      )}
      {list.isSuccess &&
        changes.length === 0 &&
        (list.hasNextPage ? <NothingSoFar /> : <Empty title="Nothing has changed here yet">It begins when somebody is let in.</Empty>)}
      {changes.length > 0 && (
        <Table name="What changed among people" heads={['When', 'Who did what']}>
          {changes.map((change) => (
            <tr key={change.revision}>
              <td>
                <At at={change.at} />
              </td>
              <td>
                <strong>{changerOf(change)}</strong> {changeOfPerson(change, session.projects)}
                {whySaid(change) !== '' && <div className={table.soft}>{whySaid(change)}</div>}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </Card>
  );
}
