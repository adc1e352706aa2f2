import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { aroundQuery, type Leaderboard, type RankedRow, type RowOfBoard, setByQuery } from '../../api/boards.ts';
import { commitOfChange } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import { At } from '../../parts/time.tsx';
import { amountText } from '../../words/amount.ts';
import { whyRanked } from '../../words/board.ts';
import { deedOf, whoOf } from '../../words/commit.ts';
import { CommitLink } from '../named.tsx';
import { isAskedWhy } from '../revealing.tsx';
import styles from './boards.module.css';

const route = getRouteApi('/signed-in/p/$project/boards/$query');

/** Why a row stands where it does: its value, who set it, its neighbours, and the rule of ties. */
export function Why({ query, row: key }: { readonly query: string; readonly row: string }) {
  const navigate = route.useNavigate();
  const read = useQuery(aroundQuery(useView(), query, key, 1));
  const row = read.data?.entries.find((each) => each.key === key);
  // The board below asks why.
  if (isAskedWhy(read.error)) return null;
  return (
    <Card
      title={`Why ${key} stands there`}
      actions={
        <Button isSmall look="quiet" onClick={() => void navigate({ search: (before) => ({ ...before, why: undefined }) })}>
          Close
        </Button>
      }
    >
      {read.isPending && <Waiting what="why" />}
      {read.isError && <Failed error={read.error} again={() => void read.refetch()} />}
      {read.isSuccess && row === undefined && (
        <Empty title="It has no row on this board any more">Its number was taken away meanwhile.</Empty>
      )}
      {read.data != null && row !== undefined && (
        <CardBody>
          <Reasons query={query} board={read.data} row={row} />
        </CardBody>
      )}
    </Card>
  );
}

interface ReasonsProps {
  readonly query: string;
  readonly board: Leaderboard;
  readonly row: RankedRow;
}

function Reasons({ query, board, row }: ReasonsProps) {
  const field = board.field ?? 'a value';
  const [source, ...others] = board.performance.sources;
  const isStored = source !== undefined && others.length === 0 && source.source === 'index';
  return (
    <ul className={styles.reasons}>
      <li>
        It is number {amountText(row.rank)} of {amountText(board.total)}, with {field} <strong>{amountText(row.value)}</strong>.
      </li>
      {whyRanked(board.entries, row.key).map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
      {isStored ? (
        <SetBy of={{ query, collection: source.collectionId, key: row.key, field, value: row.value }} />
      ) : (
        <li>The value is worked out from the document each time, so no single commit set it.</li>
      )}
      <li className={styles.soft}>
        All rows of now count. A board has no season: one that begins anew is a query of its own, over a field of its own.
      </li>
    </ul>
  );
}

function SetBy({ of }: { readonly of: RowOfBoard }) {
  const view = useView();
  const mayRead = useMay()('history', 'r');
  const read = useQuery({ ...setByQuery(view, of), enabled: mayRead });
  if (!mayRead) return <li className={styles.soft}>Who set the value, a role with the permission “history” sees.</li>;
  if (read.isPending) return <li>Looking for the commit that set it…</li>;
  if (read.isError)
    return (
      <li>
        <Failed error={read.error} again={() => void read.refetch()} />
      </li>
    );
  const { change, looked, isWhole } = read.data;
  if (change === null)
    return (
      <li>
        {isWhole
          ? 'No change of the document set it: it is the default of the schema.'
          : `It was set before the last ${looked} changes of the document, whose history has it.`}
      </li>
    );
  const said = commitOfChange(of, change);
  return (
    <li>
      <strong>{whoOf(said)}</strong> {deedOf(said)} and set it, <At at={change.at} />, in commit <CommitLink revision={change.commit} />.
      From then on it counts among equal values.
    </li>
  );
}
