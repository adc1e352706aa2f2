import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Approval, askedChangesQuery, publishesSinceQuery } from '../../api/approvals.ts';
import { testsQuery } from '../../api/publishes.ts';
import { sessionQuery } from '../../api/session.ts';
import { isTold, keepTold } from '../../api/told.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { codeOf } from '../../parts/code.ts';
import { Later } from '../../parts/later.tsx';
import { When } from '../../parts/time.tsx';
import { approvalSentence, isNews, madeLiveSaid, whoActed, whyNotApprove } from '../../words/approval.ts';
import { changesSaid, publishOf } from '../../words/publish.ts';
import { CopyLink } from './copy-link.tsx';
import styles from './publishes.module.css';
import { SeeLive } from './see-live.tsx';
import { ToPublishes } from './to-publishes.tsx';

/**
 * Above every page: what a person asked another one for, that it waits, and what the other did with it; and what others ask the person to
 * approve.
 */

interface AskedProps {
  readonly own: Approval | null;
  readonly due: readonly Approval[];
}

export function Asked({ own, due }: AskedProps) {
  const [undoing, setUndoing] = useState<number | null>(null);
  return (
    <>
      {due.map((approval) => (
        <Due key={approval.id} approval={approval} />
      ))}
      {own !== null && <OwnAsked approval={own} undo={setUndoing} />}
      {undoing !== null && <Later code={UNDO} props={{ revision: undoing, close: () => setUndoing(null) }} />}
    </>
  );
}

const UNDO = codeOf('undo publish', () => import('./undo-publish.tsx').then(({ UndoPublish }) => UndoPublish));

interface DueProps {
  readonly approval: Approval;
}

interface OwnProps extends DueProps {
  /** Begins the undo of a publish, by its revision. */
  readonly undo: (publish: number) => void;
}

/** Puts a step of an approval away; `null`: it is not told. Each is told until it is put away, for a day at most. */
function useLeave(approval: Approval): (() => void) | null {
  const [putAway, setPutAway] = useState<string | null>(null);
  const step = `${approval.id}:${approval.phase}`;
  if (!isNews(approval, Date.now()) || putAway === step || isTold(step)) return null;
  return () => {
    keepTold(step);
    setPutAway(step);
  };
}

/** Another person asks for this one's approval. */
function Due({ approval }: DueProps) {
  const { person } = useSuspenseQuery(sessionQuery).data;
  const leave = useLeave(approval);
  const isOnPublishes = useIsOnPublishes();
  const isAsked = leave !== null && !isOnPublishes;
  const asked = useQuery({ ...askedChangesQuery(useView(), approval), enabled: isAsked }).data;
  if (!isAsked || asked === undefined) return null;
  const authors = asked.changes.flatMap((change) => ('stagedBy' in change ? change.stagedBy.map(({ by }) => by) : []));
  if (whyNotApprove(approval, authors, { person: person.id, mayApprove: true }) !== null) return null;
  return (
    <Band leave={leave} actions={<ToPublishes name="Look" />}>
      {whoActed(approval.asked.by)} asks for your approval{approval.action === 'rollback' && ' of an undo'}:{' '}
      <strong>{changesSaid(asked.changes)}</strong>
    </Band>
  );
}

function OwnAsked({ approval, undo }: OwnProps) {
  const leave = useLeave(approval);
  const isOnPublishes = useIsOnPublishes();
  if (leave === null) return null;
  if (approval.phase === 'used') return <WentLive approval={approval} leave={leave} undo={undo} />;
  // There the same stands where it is decided.
  return !isOnPublishes && <NotLive approval={approval} leave={leave} />;
}

function useIsOnPublishes(): boolean {
  return useLocation({ select: ({ pathname }) => pathname.endsWith('/publishes') });
}

interface StepProps extends DueProps {
  readonly leave: () => void;
}

/** It waits, or comes to nothing, or is to be made live by hand. */
function NotLive({ approval, leave }: StepProps) {
  const view = useView();
  const isWaiting = approval.phase === 'asked';
  const asked = useQuery({ ...askedChangesQuery(view, approval), enabled: isWaiting }).data;
  // They ran where it was asked.
  const tests = useQuery({ ...testsQuery(view, asked?.state ?? ''), enabled: false }).data;
  if (!isWaiting)
    return (
      <Band leave={leave} actions={<ToPublishes />}>
        {approvalSentence(approval)}
      </Band>
    );
  if (asked === undefined) return null;
  return (
    <Band
      leave={leave}
      actions={
        <>
          <ToPublishes />
          <CopyLink />
        </>
      }
    >
      Asked for {approval.action === 'rollback' ? 'the undo' : 'approval'}: <strong>{changesSaid(asked.changes)}</strong>
      {tests !== undefined && tests.total > 0 && ` (${tests.passed} of ${tests.total} tests pass)`}. Whoever may approve is told above every
      page, and decides on Publishes.
    </Band>
  );
}

/** Another person made it live: leads there, until something else is published. */
function WentLive({ approval, leave, undo }: StepProps & OwnProps) {
  const view = useView();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const mayPublish = useMayPublish();
  const isOnPublishes = useIsOnPublishes();
  const publishes = useQuery(publishesSinceQuery(view, approval)).data ?? [];
  const publish = publishOf(publishes, approval.id, person.id);
  if (publish === null) return null;
  // Whoever asked for an undo has it, and the history of Publishes undoes the newest.
  const isUndoOffered = mayPublish && approval.action === 'promote' && !isOnPublishes;
  return (
    <Band
      isLive
      leave={leave}
      actions={
        <>
          <SeeLive changes={publish.changes} />
          {isUndoOffered && (
            <Button isSmall onClick={() => undo(publish.revision)}>
              Undo…
            </Button>
          )}
        </>
      }
    >
      {madeLiveSaid(approval)}: <strong>{changesSaid(publish.changes)}</strong>{' '}
      <span className={styles.soft}>
        <When at={publish.at} />
      </span>
    </Band>
  );
}

interface BandProps {
  readonly isLive?: boolean;
  readonly leave: () => void;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

function Band({ isLive = false, leave, actions, children }: BandProps) {
  return (
    <div className={classes(styles.band, isLive && styles.isLive)} tabIndex={-1} data-told>
      <p>{children}</p>
      <div className={styles.actions}>
        {actions}
        <Button isSmall look="quiet" onClick={leave}>
          Hide
        </Button>
      </div>
    </div>
  );
}
