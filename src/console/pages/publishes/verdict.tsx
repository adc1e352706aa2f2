import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { NO_WHY, type Why } from '../../api/acts.ts';
import { type Approval, decideApproval, type Verdict } from '../../api/approvals.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { approvalSentence, isOpen } from '../../words/approval.ts';

/** What else than an approval is decided on, or said about, what somebody asked for. */

export type OtherVerdict = Exclude<Verdict, 'approve'>;

const VERDICTS: Readonly<
  Record<OtherVerdict, { readonly title: string; readonly sub: string; readonly act: string; readonly look: 'main' | 'bad' }>
> = {
  decline: {
    title: 'Decline this?',
    sub: 'It does not go live. Whoever asked reads why, changes what is staged, and asks again.',
    act: 'Decline it',
    look: 'bad',
  },
  comment: { title: 'Say something about it', sub: 'Everybody who looks at it reads it, now and later.', act: 'Say it', look: 'main' },
  withdraw: {
    title: 'Withdraw the request for approval?',
    sub: 'Nobody approves it any more, until somebody asks again. What is staged and live stays as it is.',
    act: 'Withdraw the request',
    look: 'bad',
  },
};

interface VerdictProps {
  readonly approval: Approval;
  readonly verdict: OtherVerdict;
  readonly close: () => void;
}

export function VerdictDialog({ approval, verdict, close }: VerdictProps) {
  const { project } = useView();
  const { id, phase } = approval;
  const refresh = useRefresh();
  const [why, setWhy] = useState(NO_WHY);
  const [opened] = useState(phase);
  const intentOf = useIntent();
  const act = useMutation({
    mutationFn: () => decideApproval({ project, approval: id, verdict, why }, intentOf([id, verdict, why])),
    onSuccess: async () => {
      await refresh();
      close();
    },
    onError: refresh,
  });
  // Another person decided first. What is said is read as long as it is open.
  const isOver = verdict === 'comment' ? !isOpen(approval) : phase !== opened;
  if (isOver && act.isIdle)
    return (
      <Dialog title="It was decided meanwhile" close={close}>
        <p>{approvalSentence(approval)}</p>
      </Dialog>
    );
  const { title, sub, act: name, look } = VERDICTS[verdict];
  return (
    <Dialog
      title={title}
      sub={sub}
      close={close}
      foot={
        <Decision
          leave={close}
          act={name}
          acting="One moment…"
          look={look}
          isReady={verdict !== 'comment' || why.reason.trim() !== ''}
          isBusy={act.isPending}
          go={() => act.mutate()}
        />
      }
    >
      <Saying why={why} change={setWhy} isNeeded={verdict === 'comment'} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

interface SayingProps {
  readonly why: Why;
  readonly change: (why: Why) => void;
  readonly isNeeded?: boolean;
}

/** What is said with it. */
export function Saying({ why, change, isNeeded = false }: SayingProps) {
  return (
    <WhyField
      label={isNeeded ? 'What to say' : 'What to say (may be left out)'}
      hint="Everybody who looks at it reads it, now and in the history"
      why={why}
      change={change}
    />
  );
}
