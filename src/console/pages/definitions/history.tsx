import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { definitionHistoryQuery } from '../../api/definitions.ts';
import type * as api from '../../api/generated.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, Waiting } from '../../parts/page.tsx';
import { When } from '../../parts/time.tsx';
import { whoOf } from '../../words/commit.ts';
import type { DefinitionKind } from '../../words/definition.ts';
import { publishDeed } from '../../words/publish.ts';
import { whySaid } from '../../words/why.ts';
import { CommitLink } from '../named.tsx';
import { Fields } from '../publishes/changes.tsx';
import styles from './definitions.module.css';

const route = getRouteApi('/signed-in/p/$project/definitions/$kind/$id');

/** Who changed a definition, when and why; two versions may be compared. */
export function DefinitionHistory({ kind, id }: { readonly kind: DefinitionKind; readonly id: string }) {
  const view = useView();
  const list = useInfiniteQuery(definitionHistoryQuery(view, kind, id));
  const navigate = route.useNavigate();
  const [first, setFirst] = useState<number | null>(null);
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  const compare = (revision: number) => {
    if (first === null) return setFirst(revision);
    const [a, b] = [first, revision].sort((one, other) => one - other);
    void navigate({ search: (before) => ({ ...before, a: String(a), b: String(b) }) });
  };
  return (
    <Card
      title="History"
      actions={first === null ? <LiveBesideNext /> : <span className={styles.soft}>Compared with {first}: choose the other one.</span>}
    >
      {list.isPending && <Waiting what="the history" />}
      {list.isError && (
        <CardBody>
          <Failed error={list.error} again={() => void list.refetch()} />
        </CardBody>
      )}
      {list.isSuccess && changes.length === 0 && <Empty title={`Nothing changed it in ${view.target}`} />}
      <ol>
        {changes.map((change, place) => (
          <HistoryLine
            key={change.revision}
            change={change}
            before={changes[place + 1]?.revision}
            isFirst={first === change.revision}
            compare={() => compare(change.revision)}
          />
        ))}
      </ol>
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
    </Card>
  );
}

/** Leads to both texts of what is staged. */
export function LiveBesideNext() {
  return (
    <Link to="." search={(search: object) => ({ ...search, a: 'live', b: 'next' })}>
      Live beside next
    </Link>
  );
}

const BECAME = { add: 'new', change: 'changed', delete: 'removed', none: 'the same as before' } as const;

interface LineProps {
  readonly change: api.DefinitionChange;
  readonly before: number | undefined;
  readonly isFirst: boolean;
  readonly compare: () => void;
}

function HistoryLine({ change, before, isFirst, compare }: LineProps) {
  const { target } = useView();
  const { revision, at, action, actor, message: reason, ticket, opens = [], fields } = change;
  const why = whySaid({ reason, ticket });
  return (
    <li className={styles.change}>
      <p>
        <strong>{whoOf({ actor })}</strong> {publishDeed(action)} <Chip tone={target}>{target}</Chip> {BECAME[change.change]}
      </p>
      <div className={styles.meta}>
        <When at={at} />
        <CommitLink revision={revision} />
        {before !== undefined && (
          <Link to="." search={(search: object) => ({ ...search, a: String(before), b: String(revision) })}>
            Compare with the one before
          </Link>
        )}
        <Button isSmall onClick={compare} disabled={isFirst} aria-label={`Compare the version of ${revision}`}>
          Compare…
        </Button>
      </div>
      {why !== '' && <p className={styles.soft}>{why}</p>}
      {opens.map((sentence) => (
        <p key={sentence} className={styles.bad}>
          {sentence}
        </p>
      ))}
      {fields.length > 0 && (
        <details className={styles.fields}>
          <summary>
            {fields.length + (change.more ?? 0)} {fields.length === 1 && change.more === undefined ? 'field' : 'fields'}
          </summary>
          <Fields change={{ kind: '', id: '', fields, more: change.more ?? 0 }} />
        </details>
      )}
    </li>
  );
}
