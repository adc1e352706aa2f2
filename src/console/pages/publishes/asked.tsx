import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Approval, approvalsQuery } from '../../api/approvals.ts';
import { useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';
import { approvalSentence, madeLiveSaid } from '../../words/approval.ts';
import type { DefinitionChange } from './changes.tsx';
import { SeeLive } from './see-live.tsx';
import { ToPublishes } from './to-publishes.tsx';

/** How another person comes to what waits: nobody is written to. */
export function CopyLink() {
  const { project } = useView();
  const address = new URL(`/p/${encodeURIComponent(project)}/publishes`, window.location.origin).href;
  return <CopyButton text={address} what="the link" name="Copy the link for the other person" />;
}

interface AskedProps {
  /** As it was asked for. */
  readonly approval: Approval;
  /** What it would change for players, in a sentence. */
  readonly changed: string;
  readonly changes: readonly DefinitionChange[];
  readonly close: () => void;
  /** What was seen on the way. */
  readonly children?: ReactNode;
}

const TITLES: Readonly<Record<Approval['phase'], string>> = {
  asked: 'It is asked for',
  approved: 'It is approved',
  declined: 'It was declined',
  withdrawn: 'It was withdrawn',
  void: 'It has to be asked for anew',
  used: 'It is live',
  bypassed: 'It is live',
};

/** It is asked for, which the page may show out of sight. What becomes of it while one reads is told in its place. */
export function AskedDialog({ approval: asked, changed, changes, close, children }: AskedProps) {
  const approval = useQuery(approvalsQuery(useView())).data?.approvals.find(({ id }) => id === asked.id) ?? asked;
  const isElsewhere = useLocation({ select: ({ pathname }) => !pathname.endsWith('/publishes') });
  const { phase } = approval;
  const isWaiting = phase === 'asked';
  return (
    <Dialog title={TITLES[phase]} close={close}>
      {isWaiting && children}
      <Done
        actions={
          <>
            {isWaiting && <CopyLink />}
            {phase === 'used' && <SeeLive changes={changes} close={close} />}
            {isElsewhere && <ToPublishes close={close} />}
          </>
        }
      >
        <p>
          <strong>{changed}</strong>
        </p>
        {isWaiting ? (
          <p>
            Players notice nothing yet. Another person approves it on the page Publishes, where it waits: nobody is written to, so tell
            them.
          </p>
        ) : (
          <p>{phase === 'used' ? `${madeLiveSaid(approval)}. Players have it from their next call on.` : approvalSentence(approval)}</p>
        )}
      </Done>
    </Dialog>
  );
}
