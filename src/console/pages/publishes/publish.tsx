import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ComparedWith, comparePublishesQuery, publishQuery } from '../../api/publishes.ts';
import { differenceQuery, type Publish, publishesQuery } from '../../api/queries.ts';
import { useIsPast, useMay, useMayPublish, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Select } from '../../parts/field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Page, Waiting } from '../../parts/page.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { approvalSentence, whoActed } from '../../words/approval.ts';
import { lastDays } from '../../words/economy.ts';
import { changedLive, shownAfter } from '../../words/publish.ts';
import { isRevision } from '../../words/time.ts';
import { whySaid } from '../../words/why.ts';
import { PublishLink, WhySaid } from '../named.tsx';
import { Changes, type DefinitionChange } from './changes.tsx';
import { Deed } from './deed.tsx';
import { RollbackDialog } from './dialogs.tsx';
import styles from './publishes.module.css';
import { Sources } from './sources.tsx';
import { WhatChanged } from './what-changed.tsx';

const route = getRouteApi('/signed-in/p/$project/publishes/$revision');

/** One publish: who, when and why, what it changed by field and as source, and live after it compared with live after another. */
export function PublishPage() {
  const view = useView();
  const { revision: named } = route.useParams();
  const isNumber = isRevision(named);
  const revision = Number(named);
  const read = useQuery({ ...publishQuery(view, revision), enabled: isNumber });
  return (
    <Page
      name={`Publish ${named}`}
      title={`Publish ${named}`}
      sub={
        <Link to="/p/$project/publishes" params={{ project: view.project }}>
          All publishes
        </Link>
      }
    >
      {isNumber && read.isPending && <Waiting what="the publish" />}
      {read.isError && <Failed error={read.error} again={() => void read.refetch()} />}
      {(!isNumber || read.data === null) && (
        <Card title="Publish">
          <Empty title="Nothing was published at this revision">The list of publishes has those that were.</Empty>
        </Card>
      )}
      {read.data != null && (
        <>
          <About publish={read.data.publish} before={read.data.before} />
          <Compared publish={read.data.publish} />
        </>
      )}
    </Page>
  );
}

function About({ publish, before }: { readonly publish: Publish; readonly before: number }) {
  const { revision, target, at, message: reason, ticket, approval, changes, undoneBy } = publish;
  const why = whySaid({ reason, ticket });
  return (
    <Card title="What it changed">
      <CardBody>
        <p>
          <Deed publish={publish} />{' '}
          <span className={styles.soft}>
            <At at={at} />, <Ago at={at} />
          </span>
        </p>
        {undoneBy !== undefined && (
          <p className={styles.undone}>
            Undone by <PublishLink revision={undoneBy} />
          </p>
        )}
        <p>{why === '' ? <span className={styles.soft}>Nobody said why.</span> : <WhySaid why={{ reason, ticket }} />}</p>
        {approval !== undefined && (
          <p className={classes(approval.phase === 'bypassed' ? styles.bypassed : styles.soft)}>{approvalSentence(approval)}</p>
        )}
        {target === 'live' && <EconomyAround at={at} />}
      </CardBody>
      <WhatChanged publish={publish} before={before} />
      <Sources changes={changes} before={String(before)} after={String(revision)} target={target} />
    </Card>
  );
}

/** What flowed before and since: whether a price did what it was to do. */
function EconomyAround({ at }: { readonly at: string }) {
  const { project } = useView();
  if (!useMay()('economy', 'r')) return null;
  const day = at.slice(0, 10);
  return (
    <p>
      <Link to="/p/$project/economy" params={{ project }} search={{ from: lastDays(8, day).from }}>
        The economy since it, and in the week before
      </Link>
    </p>
  );
}

interface RollBackProps {
  readonly publish: Publish;
  /** How live differs from what it was after it. */
  readonly differing: readonly DefinitionChange[];
}

/** Makes live again what it was after the publish, where that is another. The newest publish is undone in the history. */
function RollBack({ publish, differing }: RollBackProps) {
  const base = useQuery(differenceQuery(useView())).data?.base;
  const mayPublish = useMayPublish();
  const isPast = useIsPast();
  const [isAsking, setAsking] = useState(false);
  const isOffered = !isPast && mayPublish && changedLive(publish) && differing.length > 0;
  return (
    <>
      {isOffered && (
        <Button isSmall onClick={() => setAsking(true)}>
          Roll back to here…
        </Button>
      )}
      {isAsking && base !== undefined && (
        <RollbackDialog to={shownAfter(publish)} at={publish.at} base={base} close={() => setAsking(false)} />
      )}
    </>
  );
}

const SIDES: Readonly<Record<string, string>> = { live: 'now', next: 'what is staged' };
/** Under a moment of the past. */
const SIDES_THEN: Readonly<Record<string, string>> = { live: 'live then', next: 'what was staged then' };

function Compared({ publish }: { readonly publish: Publish }) {
  const { revision } = publish;
  const view = useView();
  const { to } = route.useSearch();
  const isPast = useIsPast();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(publishesQuery(view));
  const other: ComparedWith = to === undefined ? 'live' : to === 'next' ? to : Number(to);
  const [from, until] = typeof other === 'number' && other < revision ? [other, revision] : [revision, other];
  const read = useQuery(comparePublishesQuery(view, from, until));
  const others = (list.data?.pages.flatMap((page) => page.publishes) ?? []).filter((each) => each.revision !== revision);
  const isListed = typeof other === 'string' || others.some((each) => each.revision === other);
  return (
    <Card
      title={`Live after publish ${from}, and ${(isPast ? SIDES_THEN : SIDES)[until] ?? `after ${until}`}`}
      actions={other === 'live' && read.isSuccess && <RollBack publish={publish} differing={read.data.changes} />}
    >
      <CardBody>
        <Select
          label="Compare live after this publish with"
          value={to ?? ''}
          onChange={({ target }) =>
            void navigate({ search: (before) => ({ ...before, to: target.value === '' ? undefined : target.value }), replace: true })
          }
        >
          <option value="">{isPast ? 'what was live then' : 'what is live now'}</option>
          <option value="next">{isPast ? 'what was staged then' : 'what is staged now'}</option>
          {!isListed && <option value={to}>publish {to}</option>}
          {others.map((each) => (
            <option key={each.revision} value={each.revision}>
              {`publish ${each.revision}: ${whoActed(each.actor)}${each.message === undefined ? '' : `, “${each.message}”`}`}
            </option>
          ))}
        </Select>
      </CardBody>
      {read.isPending && <Waiting what="what differs" />}
      {read.isError && (
        <CardBody>
          <Failed error={read.error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && read.data.changes.length === 0 && <Empty title="Nothing differs" />}
      {read.isSuccess && <Changes changes={read.data.changes} />}
    </Card>
  );
}
