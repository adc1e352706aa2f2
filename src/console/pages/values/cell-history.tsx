import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Publish, publishesQuery } from '../../api/queries.ts';
import { type ValueChange, valueHistoryQuery } from '../../api/value-changes.ts';
import { useMayReadStaged, useView } from '../../frame/view.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Empty, More, Waiting } from '../../parts/page.tsx';
import { When } from '../../parts/time.tsx';
import { approvalSentence } from '../../words/approval.ts';
import { type CellSaid, cellHistory } from '../../words/cell-history.ts';
import { type Standing, standings } from '../../words/publish.ts';
import { type Column, cellLabel, givenName, isAdded, type Row, type Sheet } from '../../words/sheet.ts';
import { cut, valueText } from '../../words/value.ts';
import { Deed } from '../publishes/deed.tsx';
import styles from './values.module.css';

interface CellHistoryProps {
  readonly sheet: Sheet;
  readonly row: Row;
  readonly column: Column;
  readonly place: number;
  readonly close: () => void;
}

/** Who changed a cell, when, from what to what, and by which publish. */
export function CellHistoryDialog({ sheet, row, column, place, close }: CellHistoryProps) {
  const view = useView();
  const list = useInfiniteQuery(valueHistoryQuery(view, sheet));
  const label = cellLabel(sheet, row, column, place);
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  const isRow = sheet.kind === 'table';
  // By whom it was asked for and approved, and which publish it undid, stands among the publishes.
  const published = useInfiniteQuery({ ...publishesQuery(view), enabled: useMayReadStaged() });
  const known = new Map(
    standings(published.data?.pages.flatMap((page) => page.publishes) ?? []).map((each) => [each.publish.revision, each]),
  );
  const found = cellHistory(changes, {
    name: givenName(sheet, row),
    column: isRow ? column.key : null,
    place: isRow && !isAdded(row) ? row.id : null,
  });
  return (
    <Dialog title={`History of ${label}`} sub={`In ${view.target}, newest first.`} close={close}>
      {list.isPending && <Waiting what="the history" />}
      {list.isError && <Failed error={list.error} again={() => void list.refetch()} />}
      {list.isSuccess && found.length === 0 && (
        <Empty title="Nothing in this part of the history changed it">
          {list.hasNextPage
            ? 'Look further back.'
            : `${isRow ? 'It' : 'Under this name it'} has been as it is since it came to ${view.target}.`}
        </Empty>
      )}
      <ol className={styles.history}>
        {found.map(({ change, said }) => (
          <HistoryLine key={change.revision} kind={sheet.kind} change={change} said={said} standing={known.get(change.revision)} />
        ))}
      </ol>
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </Dialog>
  );
}

interface LineProps {
  readonly kind: Sheet['kind'];
  readonly change: ValueChange;
  readonly said: CellSaid;
  /** The publish among the others, as far as they are read. */
  readonly standing: Standing<Publish> | undefined;
}

function HistoryLine({ kind, change: { revision, at, action, actor, message, restored, change }, said, standing }: LineProps) {
  const { project, target } = useView();
  return (
    <li>
      <p>
        {said.as === 'whole' &&
          (change === 'add' ? `It came with the ${kind}, which was new` : `It went with the ${kind}, which was removed`)}
        {said.as === 'hidden' && 'So much changed that this cell may be among it'}
        {said.as === 'cell' && (
          <>
            <span className={styles.from}>{cut(valueText(said.before))}</span> →{' '}
            <span className={styles.to}>{cut(valueText(said.after))}</span>
          </>
        )}
      </p>
      <p className={styles.meta}>
        <span>
          <Deed publish={standing?.publish ?? { action, target, actor, restored }} undid={standing?.undid ?? null} />
        </span>
        <When at={at} />
        <Link to="/p/$project/find/$held" params={{ project, held: String(revision) }}>
          publish {revision}
        </Link>
      </p>
      {standing?.publish.approval !== undefined && <p className={styles.why}>{approvalSentence(standing.publish.approval)}</p>}
      {message !== undefined && <p className={styles.why}>“{message}”</p>}
    </li>
  );
}
