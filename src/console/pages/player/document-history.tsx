import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { actsQuery } from '../../api/looks.ts';
import { type Commit, commitOfChange, type DocumentAsked, type DocumentChange, historyQuery } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, Empty, More, Waiting } from '../../parts/page.tsx';
import { When } from '../../parts/time.tsx';
import { deedOf, isCorrection } from '../../words/commit.ts';
import { cut, signed, valueText } from '../../words/value.ts';
import { CommitLink, Deed, WhoLink, WhySaid } from '../named.tsx';
import styles from './player.module.css';

/** Fields that a change lists before the others are asked for. */
const FEW = 6;

interface HistoryProps {
  readonly asked: DocumentAsked;
  /** Of a large document either takes a node a while, and one looks for what is compared first. */
  readonly isLater: boolean;
}

/** What happened to a document, newest first. Two moments are chosen here to be compared. */
export function DocumentHistory({ asked, isLater }: HistoryProps) {
  const view = useView();
  const list = useInfiniteQuery({ ...historyQuery(view, asked), enabled: ({ state }) => !isLater || state.data !== undefined });
  const { a, b } = useSearch({ strict: false });
  const navigate = useNavigate();
  const pick = (side: 'a' | 'b', revision: number) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, [side]: String(revision), ...(side === 'b' && a === undefined ? { a: '0' } : {}) }),
    });
  const pages = list.data?.pages.map((page) => page.changes) ?? [];
  const acts = useActs(pages);
  if (list.isPending)
    return (
      <Card title="History">
        <Waiting what="the history" />
      </Card>
    );
  if (list.isError) return <Failed error={list.error} again={() => void list.refetch()} />;
  const changes = pages.flat();
  const redacted = list.data.pages.at(-1)?.redacted;
  return (
    <Card title="History" actions={<span className={styles.soft}>Choose A and B to compare two moments</span>}>
      {changes.length === 0 ? (
        <Empty title="Nothing has happened to it">It begins with the first write.</Empty>
      ) : (
        <ol className={styles.changes}>
          {changes.map((change) => (
            <Change key={change.revision} change={change} asked={asked} a={a} b={b} pick={pick} act={acts.get(change.commit)} />
          ))}
        </ol>
      )}
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()}>
        {redacted !== undefined && <span>What was stored at revision {redacted} was redacted.</span>}
      </More>
    </Card>
  );
}

/** What people did with a player's document and said why, by commit: what was written tells it of no change. */
function useActs(pages: readonly (readonly DocumentChange[])[]): ReadonlyMap<number, Commit> {
  const { project } = useView();
  const { player } = useParams({ strict: false });
  return useQueries({
    queries: pages.flatMap((changes) => {
      const told = changes.filter(({ cause }) => isCorrection({ cause }) || cause.startsWith('button.'));
      const [newest, oldest] = [told[0], told.at(-1)];
      if (player === undefined || newest === undefined || oldest === undefined) return [];
      return [actsQuery(project, player, String(oldest.revision), String(newest.commit))];
    }),
    combine: (read) => new Map(read.flatMap(({ data = [] }) => data.map((act) => [act.revision, act]))),
  });
}

interface ChangeProps {
  readonly change: DocumentChange;
  readonly asked: DocumentAsked;
  readonly a: string | undefined;
  readonly b: string | undefined;
  /** The commit of it, where somebody said why. */
  readonly act: Commit | undefined;
  readonly pick: (side: 'a' | 'b', revision: number) => void;
}

function Change({ change, asked, a, b, pick, act }: ChangeProps) {
  const [isWhole, setWhole] = useState(false);
  const { commit: revision, at, action, version, fields, more = 0, ledger } = change;
  const said = commitOfChange(asked, change);
  const shown = isWhole ? (fields ?? []) : (fields ?? []).slice(0, FEW);
  return (
    <li className={styles.change}>
      <div className={styles.changeHead}>
        <span>
          <strong>
            <WhoLink commit={said} />
          </strong>{' '}
          {act === undefined ? deedOf(said) : <Deed commit={act} />}
        </span>
        <Chip tone={action === 'deleted' ? 'bad' : 'plain'}>
          {action}, version {version}
        </Chip>
        <span className={styles.soft}>
          <When at={at} /> · <CommitLink revision={revision} />
        </span>
        <span className={styles.picks}>
          {(['a', 'b'] as const).map((side) => {
            const isPicked = (side === 'a' ? a : b) === String(revision);
            return (
              <Button
                key={side}
                isSmall
                look={isPicked ? 'main' : 'plain'}
                aria-pressed={isPicked}
                aria-label={`Compare revision ${revision} as ${side.toUpperCase()}`}
                onClick={() => pick(side, revision)}
              >
                {side.toUpperCase()}
              </Button>
            );
          })}
        </span>
      </div>
      {act?.why !== undefined && (
        <p className={styles.soft}>
          <WhySaid why={act.why} />
        </p>
      )}
      {fields === undefined && <p className={styles.soft}>What changed was redacted.</p>}
      <div className={styles.differences}>
        {shown.map((field) => (
          <div key={field.path} className={styles.difference}>
            <span>{field.label || 'the whole document'}</span>
            <span>
              <span className={styles.from}>{cut(valueText(field.before))}</span> →{' '}
              <span className={styles.to}>{cut(valueText(field.after))}</span>
            </span>
          </div>
        ))}
      </div>
      {!isWhole && (fields?.length ?? 0) > FEW && (
        <div>
          <Button isSmall look="quiet" onClick={() => setWhole(true)}>
            Show all {(fields?.length ?? 0) + more} fields
          </Button>
        </div>
      )}
      {isWhole && more > 0 && <p className={styles.soft}>And {more} fields more.</p>}
      {ledger.map((entry) => (
        <p key={entry.eventId} className={styles.soft}>
          Money: {entry.field} {signed(entry.delta)} ({entry.source}
          {entry.reason !== undefined && `: ${entry.reason}`})
        </p>
      ))}
    </li>
  );
}
