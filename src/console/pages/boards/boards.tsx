import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { boardsQuery } from '../../api/boards.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';

/** The leaderboards of a project. */
export function BoardsPage() {
  const mayRead = useMay()('queries', 'r');
  return (
    <Page name="Boards" title="Boards" sub="Who stands where, and why.">
      <Card title="Leaderboards">
        {mayRead ? <Boards /> : <Empty title="Your role does not see queries">An owner can give you one that does.</Empty>}
      </Card>
    </Page>
  );
}

function Boards() {
  const view = useView();
  const read = useQuery(boardsQuery(view));
  if (read.isPending) return <Waiting what="the leaderboards" />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  if (read.data.length === 0)
    return (
      <Empty title="There is no leaderboard">
        A query with <code>type: leaderboard</code> is one. It is made under{' '}
        <Link to="/p/$project/definitions" params={{ project: view.project }} search={{ kind: 'query' }}>
          Definitions
        </Link>
        , or pushed with <code>savepoint push</code>.
      </Empty>
    );
  return (
    <Table name="Leaderboards" heads={['Board', 'Id']}>
      {read.data.map(({ id, name }) => (
        <tr key={id}>
          <td>
            <Link to="/p/$project/boards/$query" params={{ project: view.project, query: id }}>
              {name || id}
            </Link>
          </td>
          <td className={table.mono}>{id}</td>
        </tr>
      ))}
    </Table>
  );
}
