import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { aroundQuery, boardQuery, boardsQuery, type Leaderboard, type RankedRow } from '../../api/boards.ts';
import { ofKind } from '../../api/reveal.ts';
import { useRefresh } from '../../frame/acting.ts';
import { OfNow } from '../../frame/then.tsx';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Card, Empty, More, Page, Waiting } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { Table } from '../../parts/table.tsx';
import { amountText } from '../../words/amount.ts';
import { orderOf } from '../../words/board.ts';
import { isNumeric } from '../../words/collection.ts';
import { cut, valueText } from '../../words/value.ts';
import { FailedOrAsked, HidePersonal } from '../revealing.tsx';
import styles from './boards.module.css';
import { Why } from './why.tsx';

const route = getRouteApi('/signed-in/p/$project/boards/$query');
/** Columns of the documents that a row shows. */
const COLUMNS = 5;

/** One leaderboard: from its first row on, or around a player; and why a row stands where it does. */
export function BoardPage() {
  const { query } = route.useParams();
  const { player, why } = route.useSearch();
  const view = useView();
  const mayDo = useMay();
  const boards = useQuery({ ...boardsQuery(view), enabled: mayDo('queries', 'r') });
  const name = boards.data?.find(({ id }) => id === query)?.name || query;
  return (
    <Page
      name={name}
      title={name}
      sub={
        <Link to="/p/$project/boards" params={{ project: view.project }}>
          All leaderboards
        </Link>
      }
    >
      {mayDo('queries', 'x') ? (
        <>
          <OfNow>Boards are always those of now: nobody keeps what they were.</OfNow>
          <AroundForm key={player ?? ''} player={player} />
          {why !== undefined && <Why key={`why ${why}`} query={query} row={why} />}
          {player === undefined ? <FromFirst query={query} /> : <Around query={query} player={player} />}
        </>
      ) : (
        <Card title="Rows">
          <Empty title="Your role does not run queries">An owner can give you a role with the permission “queries: x”.</Empty>
        </Card>
      )}
    </Page>
  );
}

function AroundForm({ player }: { readonly player: string | undefined }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(player ?? '');
  const go = (key: string | undefined) => void navigate({ search: (before) => ({ ...before, player: key, why: undefined }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(typed.trim() || undefined);
  };
  return (
    <form className={styles.around} onSubmit={submit}>
      <Field label="Around a player or key" value={typed} maxLength={256} onChange={({ target }) => setTyped(target.value)} />
      <Button type="submit">Show</Button>
      {player !== undefined && <Button onClick={() => go(undefined)}>From the first</Button>}
    </form>
  );
}

function FromFirst({ query }: { readonly query: string }) {
  const list = useInfiniteQuery(boardQuery(useView(), query));
  if (list.isPending)
    return (
      <Card title="Rows">
        <Waiting what="the board" />
      </Card>
    );
  if (list.isError) return <RefusedBoard query={query} error={list.error} />;
  const [first] = list.data.pages;
  if (first == null) return <NoBoard />;
  const rows = list.data.pages.flatMap((page) => page?.entries ?? []);
  const isEnd = !list.hasNextPage && rows.length < first.total;
  return (
    <Rows query={query} board={first} rows={rows}>
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} label="Show further rows">
        {isEnd && <span>The board shows its first {rows.length}. Whoever stands further down is found around their id.</span>}
      </More>
    </Rows>
  );
}

function Around({ query, player }: { readonly query: string; readonly player: string }) {
  const read = useQuery(aroundQuery(useView(), query, player));
  if (read.isPending)
    return (
      <Card title="Rows">
        <Waiting what="the rows around the player" />
      </Card>
    );
  if (read.isError) return <RefusedBoard query={query} error={read.error} />;
  if (read.data === null) return <NoBoard />;
  if (read.data.player == null)
    return (
      <Card title="Rows">
        <Empty title={`${player} has no row on this board`}>
          A row begins when the number that the board is of is stored in the document.
        </Empty>
      </Card>
    );
  return <Rows query={query} board={read.data} rows={read.data.entries} player={player} />;
}

/** A board that tells of personal values is refused whole until a reason is given. */
function RefusedBoard({ query, error }: { readonly query: string; readonly error: Error }) {
  const refresh = useRefresh();
  return <FailedOrAsked error={error} of={ofKind('board', query)} whose="leaderboard" again={() => void refresh()} />;
}

function NoBoard() {
  return (
    <Card title="Rows">
      <Empty title="This query is no leaderboard">It counts or adds up, and has no rows.</Empty>
    </Card>
  );
}

interface RowsProps {
  readonly query: string;
  readonly board: Leaderboard;
  readonly rows: readonly RankedRow[];
  readonly player?: string;
  readonly children?: ReactNode;
}

function Rows({ query, board, rows, player, children }: RowsProps) {
  const order = orderOf(rows);
  const columns = board.columns.slice(0, COLUMNS).flatMap(({ key, label }) => {
    if (key === undefined) return [];
    return [{ key, label: label ?? key, isNumber: isNumeric(rows.map(({ data }) => Object(data)[key])) }];
  });
  return (
    <Card
      title={`${amountText(board.total)} ${board.total === 1 ? 'row' : 'rows'}`}
      actions={
        <>
          <span className={styles.soft}>
            by {board.fieldLabel ?? board.field ?? 'a value'}
            {order !== null && `, the ${order} first`}
          </span>
          <HidePersonal of={ofKind('board', query)} />
        </>
      }
    >
      {rows.length === 0 ? (
        <Empty title="Nobody stands on this board yet">The first row comes with the first document that has the number.</Empty>
      ) : (
        <Table
          name="Rows of the board"
          heads={[
            { name: 'Rank', isNumber: true },
            'Key',
            { name: 'Value', isNumber: true },
            ...columns.map(({ key, label, isNumber }) => ({ id: `column ${key}`, name: label, isNumber })),
            { name: 'Why', isHidden: true },
          ]}
        >
          {rows.map((row) => (
            <BoardRow key={row.key} row={row} columns={columns} isMeant={row.key === player} />
          ))}
        </Table>
      )}
      {children}
    </Card>
  );
}

interface RowProps {
  readonly row: RankedRow;
  readonly columns: readonly { readonly key: string; readonly isNumber: boolean }[];
  readonly isMeant: boolean;
}

function BoardRow({ row, columns, isMeant }: RowProps) {
  const { project } = useView();
  const { rank, key, value, data } = row;
  return (
    <tr className={isMeant ? styles.meant : undefined}>
      <td className={table.number}>{amountText(rank)}</td>
      <td>
        <Link to="/p/$project/find/$held" params={{ project, held: key }}>
          {key}
        </Link>
      </td>
      <td className={table.number}>{amountText(value)}</td>
      {columns.map((column) => (
        <td key={column.key} className={column.isNumber ? table.number : undefined}>
          {cut(valueText(Object(data)[column.key]))}
        </td>
      ))}
      <td className={table.tight}>
        <Link to="." search={(before) => ({ ...before, why: key })} aria-label={`Why ${key} is number ${rank}`}>
          Why?
        </Link>
      </td>
    </tr>
  );
}
