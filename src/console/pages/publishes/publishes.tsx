import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { differenceQuery, type Publish, publishesQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, Page, Waiting } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { whoOf } from '../../words/commit.ts';
import { became, definitionName, publishDeed } from '../../words/publish.ts';
import { Changes, Fields } from './changes.tsx';
import { PromoteDialog, RollbackDialog } from './dialogs.tsx';
import { PublishesMoved } from './moved.tsx';
import styles from './publishes.module.css';

/** Who may see and change all that is staged needs these. */
const STAGED = ['endpoints', 'collections', 'workflows', 'queries', 'game_values', 'rate_limits'];

/** What is staged, and what was published. */
export function PublishesPage() {
  const mayDo = useMay();
  const mayRead = STAGED.every((scope) => mayDo(scope, 'r'));
  return (
    <Page name="Publishes" title="Publishes" sub="What is staged for players, and what was made live: by whom, when and why.">
      {mayRead ? (
        <>
          <PublishesMoved />
          <Staged />
          <History />
        </>
      ) : (
        <Card title="Publishes">
          <Empty title="Your role does not see definitions">An owner can give you one that does.</Empty>
        </Card>
      )}
    </Page>
  );
}

function useMayPublish(): boolean {
  const mayDo = useMay();
  return STAGED.every((scope) => mayDo(scope, 'w'));
}

function Staged() {
  const read = useQuery(differenceQuery(useView()));
  const mayPublish = useMayPublish();
  const [isPromoting, setPromoting] = useState(false);
  const isStaged = (read.data?.difference.changes.length ?? 0) > 0;
  return (
    <Card
      title={
        <>
          Staged <Chip tone="next">next</Chip>
        </>
      }
      actions={
        isStaged &&
        mayPublish && (
          <Button look="main" isSmall onClick={() => setPromoting(true)}>
            Promote…
          </Button>
        )
      }
    >
      {read.isPending && <Waiting what="what is staged" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && !isStaged && (
        <Empty title="Nothing is staged">
          Developers stage with <code>savepoint push</code>. Then it can be tried on next, compared here, and promoted to live.
        </Empty>
      )}
      {read.isSuccess && isStaged && <Changes changes={read.data.difference.changes} />}
      {isPromoting && read.isSuccess && (
        <PromoteDialog base={read.data.base} changes={read.data.difference.changes} close={() => setPromoting(false)} />
      )}
    </Card>
  );
}

function History() {
  const view = useView();
  const list = useInfiniteQuery(publishesQuery(view));
  const base = useQuery(differenceQuery(view)).data?.base;
  const mayPublish = useMayPublish();
  const [goal, setGoal] = useState<number | null>(null);
  const publishes = list.data?.pages.flatMap((page) => page.publishes) ?? [];
  const newest = publishes.find(({ target }) => target === 'live')?.revision;
  return (
    <Card title="History">
      {list.isPending && <Waiting what="the history" />}
      {list.isError && (
        <CardBody>
          <Failed error={list.error} again={() => void list.refetch()} />
        </CardBody>
      )}
      {list.isSuccess && publishes.length === 0 && (
        <Empty title="Nothing was published yet">
          A game’s definitions come with <code>savepoint push</code>, from the folder of the game.
        </Empty>
      )}
      <ol>
        {publishes.map((publish) => (
          <PublishRow
            key={publish.revision}
            publish={publish}
            rollBack={
              mayPublish && base !== undefined && publish.target === 'live' && publish.revision !== newest
                ? () => setGoal(publish.revision)
                : undefined
            }
          />
        ))}
      </ol>
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
      {goal !== null && base !== undefined && <RollbackDialog to={goal} base={base} close={() => setGoal(null)} />}
    </Card>
  );
}

/** Definitions that a row names. */
const NAMED = 5;

function PublishRow({ publish, rollBack }: { readonly publish: Publish; readonly rollBack: (() => void) | undefined }) {
  const { project } = useView();
  const { revision, at, action, target, message, changes } = publish;
  const actor = publish.actor as unknown as Parameters<typeof whoOf>[0]['actor'];
  const names = changes
    .slice(0, NAMED)
    .map((change) => `${definitionName(change)} ${change.action === undefined ? '' : became(change.action)}`);
  const hasFields = changes.some(({ fields }) => (fields?.length ?? 0) > 0);
  const summary = `${names.join(', ')}${changes.length > NAMED ? ` and ${changes.length - NAMED} more` : ''}`;
  return (
    <li className={styles.publish}>
      <p>
        <strong>{whoOf({ actor })}</strong> {publishDeed(action)} <Chip tone={target}>{target}</Chip>
      </p>
      <div className={styles.meta}>
        <Ago at={at} />
        <Link to="/p/$project/find/$held" params={{ project, held: String(revision) }}>
          {revision}
        </Link>
        {rollBack !== undefined && (
          <Button isSmall onClick={rollBack} aria-label={`Roll back to publish ${revision}`}>
            Roll back to this…
          </Button>
        )}
      </div>
      {message !== undefined && <p className={styles.why}>“{message}”</p>}
      {hasFields ? (
        <details className={styles.what}>
          <summary>{summary}</summary>
          {changes.map((change) => (
            <div key={`${change.kind} ${change.id}`}>
              <p>{definitionName(change)}</p>
              <Fields change={change} />
            </div>
          ))}
        </details>
      ) : (
        <p className={styles.what}>{summary}</p>
      )}
    </li>
  );
}
