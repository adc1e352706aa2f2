import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LOOK } from '../../api/acts.ts';
import { askApproval, askedChangesQuery } from '../../api/approvals.ts';
import { lookAtRollback, promote, rollback } from '../../api/publishing.ts';
import { OF_PUBLISHING } from '../../api/reveal.ts';
import { schedulePromotion } from '../../api/schedule.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { At } from '../../parts/time.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { Zone } from '../../parts/zone.tsx';
import { changesSaid, isSaidWhole, rollbackSaid, type Undone } from '../../words/publish.ts';
import { ahead, TIME_FORMS, timeSaid, typedTime } from '../../words/schedule.ts';
import { timeAndAgo } from '../../words/time.ts';
import { FailedOrAsked } from '../revealing.tsx';
import { BreakGlass, useMayBreakGlass, useSecondPerson } from './approval.tsx';
import { Changes, type DefinitionChange, ForPlayers } from './changes.tsx';
import { CheckedNow, stopping, Untested, useCheckedNow } from './check.tsx';
import { Published } from './published.tsx';
import styles from './publishes.module.css';
import { useStagedWhy } from './reason.tsx';

interface ActProps {
  readonly base: number;
  readonly close: () => void;
}

interface PromoteProps extends ActProps {
  /** What is staged and what is live, by a name. */
  readonly state: string;
  /** How what is staged differs, as of `base`. */
  readonly changes: readonly DefinitionChange[];
  /** Past the second person, who has not agreed. */
  readonly isPastSecond?: boolean;
}

/** What an act changes for players, in a sentence and as it was shown: afterwards the page has nothing more of it. */
interface Told {
  readonly changed: string;
  readonly changes: readonly DefinitionChange[];
}

/** What an act did is told as soon as it is known: the page behind is read anew meanwhile, and has nothing more to show of it. */
function useTold(): () => void {
  const refresh = useRefresh();
  return () => void refresh();
}

/** Makes live what is staged: what changes and what the data says first, then why. */
export function PromoteDialog({ base, state, changes, isPastSecond = false, close }: PromoteProps) {
  const { project } = useView();
  const told = useTold();
  const { of } = useSecondPerson();
  const said = useStagedWhy(isPastSecond ? [] : changes, isPastSecond ? undefined : of('promote'));
  const { why } = said;
  const [force, setForce] = useState(false);
  const [isMeant, setMeant] = useState(false);
  const intentOf = useIntent();
  const { look, tests, isLooking } = useCheckedNow(state);
  const [at, setAt] = useState('');
  const time = typedTime(at);
  const planning = useMutation({
    mutationFn: (_changed: string) => schedulePromotion({ project, base, at: time ?? at, why }, intentOf(['at', base, time, why])),
    onSuccess: told,
  });
  const act = useMutation({
    mutationFn: (_told: Told) =>
      promote({ project, base, why, force, breakGlass: isPastSecond }, intentOf([base, why, force, isPastSecond])),
    onSuccess: told,
  });
  if (act.isSuccess)
    return (
      <Published title="It is live" {...act.variables} hash={act.data.hash} close={close}>
        Players have it from their next call on. The history says who did it and why, and undoes it.
      </Published>
    );
  if (planning.isSuccess) {
    const goesLive = planning.data.schedule?.at ?? at;
    return (
      <Published title="It is scheduled" changed={planning.variables} close={close}>
        It goes live by itself {ahead(goesLive, Date.now())}, at <At at={goesLive} /> (<Zone />
        ), if nothing that is staged or live changes before. The page Publishes shows it, and takes it back.
      </Published>
    );
  }
  const changed = changesSaid(changes);
  const findings = look.data?.findings ?? [];
  const failed = tests.data?.failed ?? 0;
  const isKnown = look.isSuccess && !isLooking;
  const isWrong = stopping(findings).length > 0 || failed > 0;
  const isPlanned = at.trim() !== '';
  const isTimed = !isPlanned || time !== null;
  const isReady = isTimed && why.reason.trim() !== '' && (!isWrong || (force && !isPlanned)) && (!isPastSecond || isMeant);
  return (
    <Dialog
      title={isPastSecond ? 'Make live what nobody approved?' : 'Make it live?'}
      sub={`For all players at once: ${changed}.`}
      close={close}
      foot={
        <Decision
          leave={close}
          act={isPlanned ? 'Schedule it' : isKnown ? 'Make it live' : 'Looking…'}
          acting={isPlanned ? 'Scheduling…' : 'Making it live…'}
          look={isPastSecond ? 'bad' : 'main'}
          isReady={isKnown && look.data.changes.length > 0 && isReady}
          isBusy={act.isPending || planning.isPending}
          go={() => (isPlanned ? planning.mutate(changed) : act.mutate({ changed, changes }))}
        />
      }
    >
      {isPastSecond && <BreakGlass isMeant={isMeant} mean={setMeant} />}
      {!isSaidWhole(changes) && <Changes isFramed changes={changes} />}
      <CheckedNow state={state} />
      <GivenUp documents={look.data?.nextDocuments} />
      <WhyField isNeeded {...said} />
      {!isPastSecond && (
        <details className={styles.more}>
          <summary>At another time…</summary>
          <MomentField
            label="When"
            placeholder="now"
            hint={
              time === null
                ? isPlanned
                  ? `Give ${TIME_FORMS}`
                  : `Empty: now. Else ${TIME_FORMS}, at most 90 days ahead`
                : timeSaid(time, Date.now())
            }
            isWrong={!isTimed}
            value={at}
            change={setAt}
          />
        </details>
      )}
      {isWrong && isPlanned && (
        <p className={styles.soft}>What is wrong has to be mended first: at its time nobody is there who makes it live all the same.</p>
      )}
      {isWrong && !isPlanned && (
        <label className={styles.force}>
          <input type="checkbox" checked={force} onChange={({ target }) => setForce(target.checked)} />
          <span>Make it live all the same: I have read what is wrong, and know what that does to players.</span>
        </label>
      )}
      {act.isError && <PublishFailed error={act.error} again={() => act.mutate(act.variables)} />}
      {planning.isError && <Failed error={planning.error} />}
    </Dialog>
  );
}

/** What live is rolled back to. */
export interface Goal {
  readonly to: number;
  /** When that publish was, where that is known. */
  readonly at?: string | undefined;
  /** The one publish that is undone; else all since `to` are. */
  readonly undone?: Undone | undefined;
}

/** Makes live what it was right after an earlier publish; where the project asks for a second person, asks one first. */
export function RollbackDialog({ to, at, undone, base, close }: Goal & ActProps) {
  const view = useView();
  const { project } = view;
  const queries = useQueryClient();
  const refresh = useRefresh();
  const told = useTold();
  const { isRequired, of } = useSecondPerson();
  const mayBreakGlass = useMayBreakGlass();
  const approval = of('rollback');
  const said = useStagedWhy([], approval?.to === to ? approval : undefined);
  const { why } = said;
  const [isPastSecond, setPastSecond] = useState(false);
  const [isMeant, setMeant] = useState(false);
  const intentOf = useIntent();
  const look = useQuery({ queryKey: [project, 'look', 'rollback', to, base], queryFn: () => lookAtRollback(project, to), ...LOOK });
  const isApproved = !isRequired || (approval?.phase === 'approved' && approval.to === to);
  const isAsked = approval?.phase === 'asked';
  const act = useMutation({
    mutationFn: (_told: Told) => rollback({ project, to, base, why, breakGlass: isPastSecond }, intentOf([to, base, why, isPastSecond])),
    onSuccess: told,
  });
  const asking = useMutation({
    mutationFn: () => askApproval({ project, action: 'rollback', to, base, why }, intentOf(['ask', to, base, why])),
    // The page shows what waits once the dialog is gone.
    onSuccess: async ({ approval: asked }) => {
      await Promise.all([refresh(), queries.prefetchQuery(askedChangesQuery(view, asked))]);
      close();
    },
  });
  const isUndo = undone !== undefined;
  if (act.isSuccess)
    return (
      <Published title={isUndo ? 'It is undone' : 'It is rolled back'} {...act.variables} hash={act.data.hash} close={close}>
        Players have it from their next call on. The history says who did it and why, and undoes it.
      </Published>
    );
  const { title, sub } = rollbackSaid(to, { when: at === undefined ? undefined : timeAndAgo(at, Date.now()), undone });
  const changes = look.data?.changes ?? [];
  const isSomething = changes.length > 0;
  const changed = changesSaid(changes);
  const isWhole = why.reason.trim() !== '' && (!isPastSecond || isMeant);
  return (
    <Dialog
      title={isPastSecond ? 'Roll back what nobody approved?' : title}
      sub={sub}
      close={close}
      foot={
        isApproved || isPastSecond ? (
          <Decision
            leave={close}
            act={isUndo ? 'Undo it' : 'Roll it back'}
            acting="One moment…"
            look={isPastSecond ? 'bad' : 'main'}
            isReady={isSomething && isWhole}
            isBusy={act.isPending}
            go={() => act.mutate({ changed, changes })}
          />
        ) : (
          <Decision
            leave={close}
            act="Ask for approval"
            acting="Asking…"
            isReady={isSomething && why.reason.trim() !== '' && !isAsked}
            isBusy={asking.isPending}
            go={() => asking.mutate()}
          >
            {mayBreakGlass && (
              <Button look="quiet" onClick={() => setPastSecond(true)}>
                Without approval…
              </Button>
            )}
          </Decision>
        )
      }
    >
      {isPastSecond && <BreakGlass isMeant={isMeant} mean={setMeant} />}
      {look.isPending && <Waiting isLine what="what would change" />}
      {look.isError && <PublishFailed error={look.error} again={() => void look.refetch()} />}
      {look.isSuccess && !isSomething && <p>Live is what it was then.</p>}
      {isSomething && <ForPlayers changes={changes} />}
      {(isSomething || look.isPending) && <Untested />}
      {isAsked && !isPastSecond && asking.isIdle && (
        <p className={styles.soft}>A roll back to publish {approval.to} waits for approval already: decide on that first.</p>
      )}
      <GivenUp documents={look.data?.nextDocuments} />
      <WhyField isNeeded isAsked={!(isApproved || isPastSecond)} {...said} />
      {act.isError && <PublishFailed error={act.error} again={() => act.mutate(act.variables)} />}
      {asking.isError && <Failed error={asking.error} />}
    </Dialog>
  );
}

/** What makes a personal field unique, or is to be compared with what stands there, is done for a reason. */
function PublishFailed(props: { readonly error: unknown; readonly again: () => void }) {
  return <FailedOrAsked of={OF_PUBLISHING} whose="publishing" {...props} />;
}

function GivenUp({ documents = 0 }: { readonly documents?: number | undefined }) {
  if (documents === 0) return null;
  return (
    <p className={styles.soft}>
      {documents} {documents === 1 ? 'document' : 'documents'} of who tried next are given up: the data of next begins anew.
    </p>
  );
}
