import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { NO_WHY } from '../../api/acts.ts';
import { type Approval, askedChangesQuery, decideApproval } from '../../api/approvals.ts';
import { promote, rollback } from '../../api/publishing.ts';
import { differenceQuery } from '../../api/queries.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button, buttonClass, Held } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { useStanding } from '../../parts/standing.ts';
import { focusTold } from '../../parts/told.ts';
import { WhyField } from '../../parts/why-field.tsx';
import { ForPlayers } from './changes.tsx';
import { CheckedNow, stopping, Untested, useCheckedNow } from './check.tsx';
import type { MadeLive } from './published.tsx';
import styles from './publishes.module.css';
import { useIsSaidKnown, useStagedWhy } from './reason.tsx';
import { Saying } from './verdict.tsx';

/** What a second person agrees to, and the agreement: on the page, where all of it is read. */

interface AskedProps {
  readonly approval: Approval;
}

/** What is asked about, as whoever decides has to know it. */
export function WhatIsAsked({ approval }: AskedProps) {
  const read = useQuery(askedChangesQuery(useView(), approval));
  if (read.isPending) return <Waiting isLine what="what would change" />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  return <ForPlayers changes={read.data.changes} />;
}

/** What a look at stored data and the tests say of what is staged. */
export function CheckedAsked({ approval }: AskedProps) {
  const state = useQuery(askedChangesQuery(useView(), approval)).data?.state ?? null;
  if (approval.action === 'rollback') return <Untested />;
  return state !== null && <CheckedNow state={state} />;
}

interface ApprovingProps extends AskedProps {
  /** It was made live by who approved it. The page has nothing more of it by then. */
  readonly wentLive: (live: MadeLive) => void;
  /** What else may be done. */
  readonly children: ReactNode;
}

/** Approves, alone or with what is approved made live by the same person at once. What was refused stays while the approval is open. */
export function Approving({ approval, wentLive, children }: ApprovingProps) {
  const view = useView();
  const { project } = view;
  const { id, action, to, phase } = approval;
  const asked = useQuery(askedChangesQuery(view, approval));
  const changes = asked.data?.changes ?? [];
  const base = useQuery(differenceQuery(view)).data?.base;
  const refresh = useRefresh();
  const [why, setWhy] = useState(NO_WHY);
  const said = useStagedWhy(action === 'promote' ? changes : [], approval).why;
  const whyLive = { reason: said.reason === '' ? why.reason : said.reason, ticket: why.ticket.trim() === '' ? said.ticket : why.ticket };
  const mayPublish = useMayPublish();
  const { isLooking, isClean } = useFound(phase === 'asked' ? (asked.data?.state ?? null) : null);
  const intentOf = useIntent();
  const goLive = () => {
    if (base === undefined) return null;
    const intent = intentOf([id, action, base, whyLive]);
    if (action === 'promote') return promote({ project, base, why: whyLive, force: false, breakGlass: false }, intent);
    return rollback({ project, base, why: whyLive, to: to ?? 0, breakGlass: false }, intent);
  };
  const act = useMutation({
    mutationFn: async (isLive: boolean) => {
      await decideApproval({ project, approval: id, verdict: 'approve', why }, intentOf([id, 'approve', why]));
      const live = isLive ? await goLive() : null;
      return live === null ? null : { changes, hash: live.hash, approval: id };
    },
    onSuccess: async (live) => {
      if (live !== null) wentLive(live);
      await refresh();
      focusTold();
    },
    onError: refresh,
  });
  const saying = useMutation({
    mutationFn: () => decideApproval({ project, approval: id, verdict: 'comment', why }, intentOf([id, 'comment', why])),
    onSuccess: async () => {
      setWhy(NO_WHY);
      await refresh();
    },
  });
  const doing = act.isPending ? act.variables : null;
  // Nobody agrees to what was not shown, nor while what is shown still moves.
  const isReady = asked.isSuccess && (action === 'rollback' || !isLooking) && !act.isPending;
  // Nor by a press that was meant for what stood there before.
  const isStanding = useStanding();
  const isLiveOffered = mayPublish && (doing !== null || !isReady || action === 'rollback' || isClean);
  const isSaidKnown = useIsSaidKnown(approval);
  const isWhyNeeded = mayPublish && isSaidKnown && said.reason === '';
  const saysMore = (
    <div className={styles.second}>
      {isWhyNeeded && <p className={styles.warning}>Nobody said why. To make it live, say it here: the history tells it for good.</p>}
      {isWhyNeeded ? <WhyField isNeeded begins={false} why={why} change={setWhy} /> : <Saying why={why} change={setWhy} />}
      <div className={styles.actions}>
        <Button isSmall disabled={why.reason.trim() === '' || saying.isPending} onClick={() => saying.mutate()}>
          Only say it
        </Button>
      </div>
    </div>
  );
  return (
    <>
      {phase === 'asked' && (
        <>
          {isWhyNeeded ? (
            saysMore
          ) : (
            <details className={styles.more}>
              <summary className={classes(buttonClass('quiet', true), styles.flush)}>Say something…</summary>
              {saysMore}
            </details>
          )}
          <fieldset className={classes(styles.actions, styles.acts)} disabled={act.isPending}>
            {isLiveOffered && (
              <Button
                look="main"
                isSmall
                disabled={!isReady || !isStanding || base === undefined || whyLive.reason.trim() === ''}
                onClick={() => act.mutate(true)}
              >
                <Held widest="Approve and make it live">{doing === true ? 'Making it live…' : 'Approve and make it live'}</Held>
              </Button>
            )}
            <Button
              isSmall
              look={mayPublish ? 'plain' : 'main'}
              title={mayPublish ? 'Somebody else makes it live, or you do later' : undefined}
              disabled={!isReady || !isStanding}
              onClick={() => act.mutate(false)}
            >
              <Held widest="Approve, go live later">
                {doing === false ? 'Approving…' : mayPublish ? 'Approve, go live later' : 'Approve it'}
              </Held>
            </Button>
            {children}
          </fieldset>
        </>
      )}
      {act.isError && <Failed error={act.error} />}
      {saying.isError && <Failed error={saying.error} />}
    </>
  );
}

/** Whether what is staged was looked at, and nothing speaks against making it live. `state`: `null`: it is not known what is staged. */
function useFound(state: string | null) {
  const { look, tests, mayTest, isLooking } = useCheckedNow(state);
  const isTested = !mayTest || (tests.isSuccess && tests.data.failed === 0);
  return { isLooking, isClean: look.isSuccess && isTested && stopping(look.data.findings ?? []).length === 0 };
}
