import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Approval, askedChangesQuery, publishesSinceQuery } from '../../api/approvals.ts';
import { testsQuery } from '../../api/publishes.ts';
import { sessionQuery } from '../../api/session.ts';
import { isTold, keepTold } from '../../api/told.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { When } from '../../parts/time.tsx';
import { approvalSentence, isNews, madeLiveSaid } from '../../words/approval.ts';
import { changesSaid, publishOf } from '../../words/publish.ts';
import { CopyLink } from './copy-link.tsx';
import styles from './publishes.module.css';
import { SeeLive } from './see-live.tsx';
import { ToPublishes } from './to-publishes.tsx';

/** What a person asked another one for, above every page: that it waits, and what the other did with it. */

interface OwnProps {
  readonly approval: Approval;
}

/** Each step is told until it is put away, for a day at most. */
export function OwnAsked({ approval }: OwnProps) {
  const [putAway, setPutAway] = useState<string | null>(null);
  const isOnPublishes = useIsOnPublishes();
  const step = `${approval.id}:${approval.phase}`;
  if (!isNews(approval, Date.now()) || putAway === step || isTold(step)) return null;
  const leave = () => {
    keepTold(step);
    setPutAway(step);
  };
  if (approval.phase === 'used') return <WentLive approval={approval} leave={leave} />;
  // There the same stands where it is decided.
  return !isOnPublishes && <NotLive approval={approval} leave={leave} />;
}

function useIsOnPublishes(): boolean {
  return useLocation({ select: ({ pathname }) => pathname.endsWith('/publishes') });
}

interface StepProps extends OwnProps {
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
    <Band leave={leave} actions={<CopyLink />}>
      Asked for {approval.action === 'rollback' ? 'the undo' : 'approval'}: <strong>{changesSaid(asked.changes)}</strong>
      {tests !== undefined && tests.total > 0 && ` (${tests.passed} of ${tests.total} tests pass)`}. Whoever may approve sees it in their
      console.
    </Band>
  );
}

/** Another person made it live: leads there, until something else is published. */
function WentLive({ approval, leave }: StepProps) {
  const view = useView();
  const { project } = view;
  const { person } = useSuspenseQuery(sessionQuery).data;
  const mayPublish = useMayPublish();
  const refresh = useRefresh();
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
            <Link
              to="/p/$project/publishes"
              params={{ project }}
              search={{ at: undefined, target: undefined }}
              state={{ toUndo: publish.revision }}
              // The history may be of before it.
              onClick={() => void refresh()}
              className={buttonClass('plain', true)}
            >
              Undo…
            </Link>
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
    <div className={classes(styles.band, isLive && styles.isLive)}>
      <p>{children}</p>
      <div className={styles.actions}>
        {actions}
        <Button isSmall look="quiet" onClick={leave}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
