import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { differenceQuery, type Publish, publishesQuery } from '../../api/queries.ts';
import { OfNow, useMoment } from '../../frame/then.tsx';
import { useIsPast, useMayPublish, useMayReadStaged, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { useIsDialogOpen } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, More, Page, Waiting } from '../../parts/page.tsx';
import { When } from '../../parts/time.tsx';
import { approvalSentence, isOpen, isOver } from '../../words/approval.ts';
import { changeSaid, definitionName, isStagedSince, isToldInLine, rollbackAsked, type Standing, standings } from '../../words/publish.ts';
import { whySaid } from '../../words/why.ts';
import { PublishLink, WhySaid } from '../named.tsx';
import { AskDialog, SecondPerson, useMayAsk, useMayBreakGlass, useSecondPerson } from './approval.tsx';
import { Changes, Fields } from './changes.tsx';
import { CheckCard, Tested, useMayTest } from './check.tsx';
import { Deed } from './deed.tsx';
import { type Goal, PromoteDialog, RollbackDialog } from './dialogs.tsx';
import { PublishesMoved } from './moved.tsx';
import { ApprovedLive, type MadeLive } from './published.tsx';
import styles from './publishes.module.css';
import { Scheduled } from './scheduled.tsx';
import { Sources } from './sources.tsx';
import { TakeBackDialog } from './take-back.tsx';

/** What is staged, and what was published. */
export function PublishesPage() {
  const mayRead = useMayReadStaged();
  const mayPublish = useMayPublish();
  const isPast = useIsPast();
  const [isOld, setOld] = useState(false);
  const isDialogOpen = useIsDialogOpen();
  /** What was approved here, and made live with it. */
  const [live, setLive] = useState<MadeLive | null>(null);
  const isLastAct = useIsLastAct(live?.approval ?? '');
  return (
    <Page name="Publishes" title="Publishes" sub="What is staged for players, and what was made live: by whom, when and why.">
      {mayRead && isPast && <Until />}
      {mayRead && !isPast && (
        <>
          <PublishesMoved isAtOnce={!isDialogOpen} tell={setOld} />
          {live !== null && isLastAct && <ApprovedLive key={live.hash} {...live} close={() => setLive(null)} />}
          <RollbackAsked wentLive={setLive} />
          <Scheduled mayPublish={mayPublish} />
          <Staged isOld={isOld} wentLive={setLive} />
          <Checked />
          <History />
        </>
      )}
      {!mayRead && (
        <Card title="Publishes">
          <Empty title="Your role does not see definitions">An owner can give you one that does.</Empty>
        </Card>
      )}
    </Page>
  );
}

/** Whether nothing else was asked for since an approval led to something, and nothing staged: what that did is told as long. */
function useIsLastAct(approval: string): boolean {
  const publishes = useInfiniteQuery(publishesQuery(useView())).data?.pages.flatMap((page) => page.publishes) ?? [];
  const { newest } = useSecondPerson();
  return newest?.id === approval && newest.phase !== 'asked' && !isStagedSince(publishes, approval);
}

/** What was published up to the moment that is looked at. */
function Until() {
  const { at, instead } = useMoment('revision');
  return (
    <>
      <OfNow>What was published up to then. What is staged, and what may be done about it, is of now alone.</OfNow>
      {instead ?? <History until={at} />}
    </>
  );
}

type Doing = 'promote' | 'past' | 'ask' | 'drop';

interface StagedProps {
  /** Somebody changed it since it was read; nothing is done with it until that is shown. */
  readonly isOld: boolean;
  readonly wentLive: (live: MadeLive) => void;
}

function Staged({ isOld, wentLive }: StagedProps) {
  const read = useQuery(differenceQuery(useView()));
  const { project, target } = useView();
  const mayPublish = useMayPublish();
  const mayTest = useMayTest();
  const mayBreakGlass = useMayBreakGlass();
  const mayAsk = useMayAsk();
  const { isRequired, isKnown, error, of } = useSecondPerson();
  const [doing, setDoing] = useState<Doing | null>(null);
  const changes = read.data?.difference.changes ?? [];
  const isStaged = changes.length > 0;
  const approval = of('promote');
  const isAsked = approval !== undefined && isOpen(approval);
  const isFree = isKnown && (!isRequired || approval?.phase === 'approved');
  const close = () => setDoing(null);
  const rollback = of('rollback');
  // What waits stands above, and nothing here.
  if (read.isSuccess && !isStaged && isRequired && rollback !== undefined && isOpen(rollback)) return null;
  const promoteButton = mayPublish && (
    <Button look="main" isSmall disabled={isOld} onClick={() => setDoing('promote')}>
      Make it live…
    </Button>
  );
  const acts = (
    <>
      {mayAsk && !isAsked && (
        <Button look="main" isSmall onClick={() => setDoing('ask')}>
          Ask for approval…
        </Button>
      )}
      {mayBreakGlass && !isFree && (
        <Button isSmall look="quiet" onClick={() => setDoing('past')}>
          Make it live without approval…
        </Button>
      )}
      {isRequired && isFree && promoteButton}
    </>
  );
  return (
    <Card
      title={
        <>
          Staged <Chip tone="next">next</Chip>
        </>
      }
      actions={
        isStaged && (
          <div className={styles.actions}>
            {mayPublish && (
              <Button look="quiet" isSmall disabled={isOld} onClick={() => setDoing('drop')}>
                Take back what is staged…
              </Button>
            )}
            {mayTest && (
              <Link
                to="/p/$project/calls/try"
                params={{ project }}
                search={{ target: 'next', back: target }}
                className={buttonClass('plain', true)}
              >
                Try it on next…
              </Link>
            )}
            {!isRequired && isFree && promoteButton}
          </div>
        )
      }
    >
      {read.isPending && <Waiting what="what is staged" />}
      {(read.isError || error !== null) && (
        <CardBody>
          <Failed error={read.error ?? error} again={() => void read.refetch()} />
        </CardBody>
      )}
      {read.isSuccess && !isStaged && (
        <Empty title="Nothing is staged">
          What is saved to next arrives here: prices, chances and tables under{' '}
          <Link to="/p/$project/values" params={{ project }}>
            Values
          </Link>
          , all else under{' '}
          <Link to="/p/$project/definitions" params={{ project }}>
            Definitions
          </Link>
          . Then it can be tried on next, compared, and made live. Developers push with <code>savepoint push</code>.
        </Empty>
      )}
      {isStaged && isRequired && (
        <div className={styles.gate}>
          {approval === undefined || isOver(approval) ? (
            <>
              <p>In this project nothing goes live without a second person. Nobody was asked about this yet.</p>
              {read.isSuccess && <Tested state={read.data.state} />}
              <div className={styles.actions}>{acts}</div>
            </>
          ) : (
            <SecondPerson
              key={approval.id}
              approval={approval}
              authors={changes.flatMap(({ stagedBy }) => stagedBy.map(({ by }) => by))}
              wentLive={wentLive}
            >
              {acts}
            </SecondPerson>
          )}
        </div>
      )}
      {isStaged && !(isRequired && isAsked) && <Changes changes={changes} />}
      {isStaged && <Sources changes={changes} before="live" after="next" target="next" />}
      {doing === 'drop' && read.isSuccess && <TakeBackDialog base={read.data.base} changes={changes} close={close} />}
      {doing === 'ask' && read.isSuccess && <AskDialog base={read.data.base} changes={changes} close={close} />}
      {(doing === 'promote' || doing === 'past') && read.isSuccess && (
        <PromoteDialog base={read.data.base} state={read.data.state} changes={changes} isPastSecond={doing === 'past'} close={close} />
      )}
    </Card>
  );
}

/** Of what somebody asked for the same stands beside it, looked at anew. */
function Checked() {
  const read = useQuery(differenceQuery(useView()));
  const mayLook = useMayPublish();
  const { isRequired, of } = useSecondPerson();
  const approval = of('promote');
  const isAsked = isRequired && approval !== undefined && isOpen(approval);
  if (!read.isSuccess || read.data.difference.changes.length === 0 || isAsked) return null;
  return <CheckCard state={read.data.state} mayLook={mayLook} />;
}

/** A roll back that waits for a second person, or that one approved. */
function RollbackAsked({ wentLive }: Pick<StagedProps, 'wentLive'>) {
  const view = useView();
  const base = useQuery(differenceQuery(view)).data?.base;
  const publishes = useInfiniteQuery(publishesQuery(view)).data?.pages.flatMap((page) => page.publishes) ?? [];
  const mayPublish = useMayPublish();
  const [goal, setGoal] = useState<Goal | null>(null);
  const approval = useSecondPerson().of('rollback');
  const to = approval !== undefined && isOpen(approval) ? approval.to : null;
  const undo = standings(publishes).find((standing) => standing.undo !== null)?.undo ?? null;
  const asked: Goal | null = to === null ? null : undo?.to === to ? undo : { to };
  return (
    <>
      {approval !== undefined && asked !== null && (
        <Card title={rollbackAsked(asked.to, asked.undone)}>
          <div className={styles.gate}>
            <SecondPerson key={approval.id} approval={approval} authors={[]} wentLive={wentLive}>
              {approval.phase === 'approved' && mayPublish && base !== undefined && (
                <Button look="main" isSmall onClick={() => setGoal(asked)}>
                  {asked.undone === undefined ? 'Roll back…' : 'Undo…'}
                </Button>
              )}
            </SecondPerson>
          </div>
        </Card>
      )}
      {goal !== null && base !== undefined && <RollbackDialog {...goal} base={base} close={() => setGoal(null)} />}
    </>
  );
}

/** `until`: up to this revision, with nothing to be done about it. */
function History({ until }: { readonly until?: string | undefined }) {
  const view = useView();
  const list = useInfiniteQuery(publishesQuery(view, until));
  const base = useQuery({ ...differenceQuery(view), enabled: until === undefined }).data?.base;
  const mayPublish = useMayPublish();
  const [goal, setGoal] = useState<Goal | null>(null);
  const publishes = list.data?.pages.flatMap((page) => page.publishes) ?? [];
  const rollback = useSecondPerson().of('rollback');
  const mayBreakGlass = useMayBreakGlass();
  // One that waits is decided on first, or an owner goes past it.
  const isAsked = rollback?.phase === 'asked' && !mayBreakGlass;
  const mayRollBack = mayPublish && base !== undefined && until === undefined && !isAsked;
  const listed = standings(publishes, until === undefined ? undefined : Number(until));
  return (
    <Card title="History">
      {list.isPending && <Waiting what="the history" />}
      {list.isError && (
        <CardBody>
          <Failed error={list.error} again={() => void list.refetch()} />
        </CardBody>
      )}
      {list.isSuccess && publishes.length === 0 && (
        <Empty title={until === undefined ? 'Nothing was published yet' : 'Nothing had been published then'}>
          A game’s definitions come with <code>savepoint push</code>, from the folder of the game.
        </Empty>
      )}
      <ol>
        {listed.map((standing) => (
          <PublishRow
            key={standing.publish.revision}
            standing={standing}
            isReading={list.isFetching}
            begin={mayRollBack ? setGoal : undefined}
          />
        ))}
      </ol>
      <More hasMore={list.hasNextPage} isLoading={list.isFetchingNextPage} load={() => void list.fetchNextPage()} />
      {goal !== null && base !== undefined && <RollbackDialog {...goal} base={base} close={() => setGoal(null)} />}
    </Card>
  );
}

/** Definitions that a row names. */
const NAMED = 5;

interface RowProps {
  readonly standing: Standing<Publish>;
  /** Whether the history is being read anew: how it stands may be another by now. */
  readonly isReading: boolean;
  /** Begins the undo. Left out: whoever reads may not. */
  readonly begin: ((goal: Goal) => void) | undefined;
}

function PublishRow({ standing: { publish, undone, again, undid, undo }, isReading, begin }: RowProps) {
  const { revision, at, target, message: reason, ticket, changes, approval } = publish;
  const why = whySaid({ reason, ticket });
  const named = changes.slice(0, NAMED).map((change) => changeSaid(target, change));
  const isTold = changes.length <= NAMED && changes.every(isToldInLine);
  const summary = `${named.join('; ')}${changes.length > NAMED ? ` and ${changes.length - NAMED} more` : ''}`;
  return (
    <li className={styles.publish}>
      <p>
        <Deed publish={publish} undid={undid} />
      </p>
      <div className={styles.meta}>
        <When at={at} />
        <PublishLink revision={revision} />
        {undo !== null && begin !== undefined && (
          <Button isSmall onClick={() => begin(undo)} disabled={isReading} aria-label={`Undo… (publish ${revision})`}>
            Undo…
          </Button>
        )}
      </div>
      {undone !== null && (
        <p className={styles.undone}>
          Undone by <PublishLink revision={undone} />
        </p>
      )}
      {again !== null && (
        <p className={styles.why}>
          Live is again what this made of it, since <PublishLink revision={again} />
        </p>
      )}
      {why !== '' && (
        <p className={styles.why}>
          <WhySaid why={{ reason, ticket }} />
        </p>
      )}
      {approval !== undefined && (
        <p className={classes(styles.why, approval.phase === 'bypassed' ? styles.bypassed : styles.soft)}>{approvalSentence(approval)}</p>
      )}
      {isTold ? (
        <p className={styles.what}>{summary}</p>
      ) : (
        <details className={styles.what}>
          <summary>{summary}</summary>
          {changes.map((change) => (
            <div key={`${change.kind} ${change.id}`}>
              <p>{definitionName(change)}</p>
              <Fields change={change} />
            </div>
          ))}
        </details>
      )}
    </li>
  );
}
