import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type Approval, approvalQuery, approvalsQuery, askApproval } from '../../api/approvals.ts';
import { differenceQuery } from '../../api/queries.ts';
import { STAGED, sessionQuery } from '../../api/session.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useMay, useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { classes } from '../../parts/classes.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { When } from '../../parts/time.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { type ActorSaid, approvalSentence, isOpen, whoActed, whyNotApprove } from '../../words/approval.ts';
import { changesSaid } from '../../words/publish.ts';
import { whySaid } from '../../words/why.ts';
import { Approving, CheckedAsked, WhatIsAsked } from './approving.tsx';
import type { DefinitionChange } from './changes.tsx';
import { CopyLink } from './copy-link.tsx';
import type { MadeLive } from './published.tsx';
import styles from './publishes.module.css';
import { useStagedWhy } from './reason.tsx';
import { type OtherVerdict, VerdictDialog } from './verdict.tsx';

/** A second person before anything goes live: what waits for one, and the decision. */

/** Whether a project asks for a second person, and the newest that was asked, of all and by what is to be done. */
export function useSecondPerson() {
  const read = useQuery(approvalsQuery(useView()));
  const of = (action: Approval['action']) => read.data?.approvals.find((approval) => approval.action === action);
  const newest = read.data?.approvals[0];
  return { isRequired: read.data?.required ?? false, isKnown: read.isSuccess, newest, error: read.error, of };
}

/** An owner alone goes past the second person. */
export function useMayBreakGlass(): boolean {
  return useMay()('approve', 'x');
}

interface SecondPersonProps {
  readonly approval: Approval;
  /** Who staged what it is about. */
  readonly authors: readonly ActorSaid[];
  /** Whoever approved it made it live, too. */
  readonly wentLive: (live: MadeLive) => void;
  /** What may be done besides. */
  readonly children?: ReactNode;
}

const TONES: Readonly<Partial<Record<Approval['phase'], Tone>>> = { asked: 'past', approved: 'live', declined: 'bad', void: 'bad' };
const PHASES = {
  asked: 'waits',
  approved: 'approved',
  declined: 'declined',
  withdrawn: 'withdrawn',
  void: 'void',
  used: 'used',
  bypassed: 'nobody approved',
} as const satisfies Readonly<Record<Approval['phase'], string>>;

/** What was asked, what became of it, what was said, and what this person may do about it. */
export function SecondPerson({ approval, authors, wentLive, children }: SecondPersonProps) {
  const view = useView();
  const mayDo = useMay();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const [verdict, setVerdict] = useState<OtherVerdict | null>(null);
  const read = useQuery(approvalQuery(view, approval.id));
  const open = isOpen(approval);
  const mayDecide = mayDo('approve', 'w');
  const barred = whyNotApprove(approval, authors, { person: person.id, mayApprove: mayDecide });
  const mayAsk = useMayAsk();
  // Whoever asked takes it back, and whoever decides declines it: each reads one of the two.
  const isAsker = approval.asked.by.person === person.id;
  const isWaiting = approval.phase === 'asked';
  const isDeciding = isWaiting && barred === null;
  const others = (
    <>
      {open && mayDecide && !isAsker && (
        <Button isSmall onClick={() => setVerdict('decline')}>
          {isWaiting ? 'Decline…' : 'Take the approval back…'}
        </Button>
      )}
      {open && mayAsk && !isDeciding && (
        <Button isSmall look="quiet" onClick={() => setVerdict('comment')}>
          Say something…
        </Button>
      )}
      {open && mayAsk && (isAsker || !mayDecide) && (
        <Button isSmall look="quiet" onClick={() => setVerdict('withdraw')}>
          Withdraw the request…
        </Button>
      )}
    </>
  );
  return (
    <div className={styles.second} tabIndex={-1} data-told>
      <p>
        <Chip tone={TONES[approval.phase] ?? 'plain'}>{PHASES[approval.phase]}</Chip> {approvalSentence(approval)}{' '}
        <span className={styles.soft}>
          <When at={(approval.ended ?? approval.decided ?? approval.asked).at} />
        </span>
      </p>
      {open && <WhatIsAsked approval={approval} />}
      {read.data?.comments.map(({ revision, by, at, text, ticket, with: of }) => (
        <p key={revision} className={styles.said}>
          {/* Who asked, and when, stands above. */}
          {of !== 'request' && <strong>{whoActed(by)} </strong>}
          {whySaid({ reason: text, ticket })}
          {of !== 'request' && (
            <span className={styles.soft}>
              {' '}
              <When at={at} />
            </span>
          )}
        </p>
      ))}
      {isWaiting && <CheckedAsked approval={approval} />}
      {isWaiting && barred !== null && <p className={styles.soft}>{barred}</p>}
      {open && barred === null && (
        <Approving approval={approval} wentLive={wentLive}>
          {others}
          {children}
        </Approving>
      )}
      {!isDeciding && (
        <div className={classes(styles.actions, isWaiting && styles.flush)}>
          {!isWaiting && children}
          {isWaiting && isAsker && <CopyLink />}
          {others}
          {isWaiting && children}
        </div>
      )}
      {open && (
        <details className={classes(styles.more, styles.soft)}>
          <summary>What ends this request</summary>
          <p>
            Any change of what is staged, or of what is live: it is asked for anew then. For developers: it is of the difference{' '}
            <Hash hash={approval.difference} what="the hash of the difference" /> to live{' '}
            <Hash hash={approval.base} what="the hash of live" />
          </p>
        </details>
      )}
      {verdict !== null && <VerdictDialog approval={approval} verdict={verdict} close={() => setVerdict(null)} />}
    </div>
  );
}

/** Whoever changes any of what can be staged may ask. */
export function useMayAsk(): boolean {
  const mayDo = useMay();
  return STAGED.some((scope) => mayDo(scope, 'w'));
}

function Hash({ hash, what }: { readonly hash: string; readonly what: string }) {
  return (
    <span className={styles.together}>
      <code title={hash}>{hash.slice(0, 10)}</code> <CopyButton text={hash} what={what} />
    </span>
  );
}

/** Says where something is staged and asked for what goes with it, and what it ends. `isHeld`: as it was before that is done. */
export function AlsoAsked({ isHeld = false }: { readonly isHeld?: boolean }) {
  const now = { staged: useQuery(differenceQuery(useView())).data?.difference.changes ?? [], approval: useSecondPerson().of('promote') };
  const shown = useRef(now);
  if (!isHeld) shown.current = now;
  const { staged, approval } = shown.current;
  return (
    <>
      {staged.length > 0 && (
        <p>
          Staged already, and asked for with it: <strong>{changesSaid(staged)}</strong>.
        </p>
      )}
      {approval !== undefined && isOpen(approval) && (
        <p className={styles.warning}>What {whoActed(approval.asked.by)} asked for ends with it, as it is another then.</p>
      )}
    </>
  );
}

interface AskProps {
  readonly base: number;
  readonly changes: readonly DefinitionChange[];
  readonly close: () => void;
}

/** Asks somebody else to agree to what is staged. */
export function AskDialog({ base, changes, close }: AskProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const said = useStagedWhy(changes);
  const { why } = said;
  const intentOf = useIntent();
  const act = useMutation({
    mutationFn: () => askApproval({ project, action: 'promote', to: null, base, why }, intentOf([base, why])),
    // What waits stands where the button was.
    onSuccess: async () => {
      await refresh();
      close();
    },
  });
  return (
    <Dialog
      title="Ask for approval?"
      sub="Whoever may approve sees it in their console, and approves or declines it on this page."
      close={close}
      foot={
        <Decision
          leave={close}
          act="Ask for it"
          acting="Asking…"
          isReady={why.reason.trim() !== ''}
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      <WhyField isAsked {...said} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

interface GlassProps {
  readonly isMeant: boolean;
  readonly mean: (isMeant: boolean) => void;
}

/** Loud: an owner goes past the second person. */
export function BreakGlass({ isMeant, mean }: GlassProps) {
  return (
    <div className={styles.glass} role="alert">
      <p>
        <strong>Nobody else has agreed to this.</strong> You go past the second person, as an owner. For emergencies only: the history and
        the log tell it for good with your name and your reason, and whoever runs the server is told for a week.
      </p>
      <label className={styles.force}>
        <input type="checkbox" checked={isMeant} onChange={({ target }) => mean(target.checked)} />
        <span>It is an emergency, and I answer for it.</span>
      </label>
    </div>
  );
}
