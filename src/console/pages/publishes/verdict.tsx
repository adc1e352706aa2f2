import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NO_WHY, promote, rollback, type Why } from '../../api/acts.ts';
import { type Approval, askedChangesQuery, decideApproval, type Verdict } from '../../api/approvals.ts';
import { differenceQuery } from '../../api/queries.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button, type Look } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { WhyField } from '../../parts/why-field.tsx';
import { type DefinitionChange, ForPlayers } from './changes.tsx';
import { CheckedNow, stopping, useCheckedNow } from './check.tsx';
import type { MadeLive } from './published.tsx';
import { useStagedWhy } from './reason.tsx';

/** What a second person decides, and says. */

const VERDICTS: Readonly<Record<Verdict, { readonly title: string; readonly sub: string; readonly act: string; readonly look: Look }>> = {
  approve: {
    title: 'Approve this?',
    sub: 'You agree to exactly what is shown here. Players have it once it is made live, by whoever may publish.',
    act: 'Approve it',
    look: 'main',
  },
  decline: {
    title: 'Decline this?',
    sub: 'It does not go live. Whoever asked reads why, changes what is staged, and asks again.',
    act: 'Decline it',
    look: 'bad',
  },
  comment: { title: 'Say something about it', sub: 'Everybody who looks at it reads it, now and later.', act: 'Say it', look: 'main' },
  withdraw: {
    title: 'Withdraw what was asked for?',
    sub: 'Nobody approves it any more, until somebody asks again. What is staged and live stays as it is.',
    act: 'Withdraw it',
    look: 'bad',
  },
};

/** What is asked about, as whoever decides has to know it. */
export function WhatIsAsked({ approval }: { readonly approval: Approval }) {
  const read = useQuery(askedChangesQuery(useView(), approval));
  if (read.isPending) return <Waiting what="what would change" />;
  if (read.isError) return <Failed error={read.error} again={() => void read.refetch()} />;
  return <ForPlayers changes={read.data.changes} />;
}

/** The same before it is agreed to; of what is staged, what a look at stored data and the tests say, too. */
function WhatIsAgreedTo({ approval }: { readonly approval: Approval }) {
  const state = useQuery(askedChangesQuery(useView(), approval)).data?.state ?? null;
  return (
    <>
      <WhatIsAsked approval={approval} />
      {state !== null && <CheckedNow state={state} />}
    </>
  );
}

interface VerdictProps {
  readonly approval: Approval;
  readonly verdict: Verdict;
  /** It was made live by who approved it. The page behind has nothing more of it by then. */
  readonly wentLive: (live: MadeLive) => void;
  readonly close: () => void;
}

/** How a verdict is given: alone, or with what is approved made live by the same person at once. */
interface Given {
  readonly isLive: boolean;
  readonly changes: readonly DefinitionChange[];
}

export function VerdictDialog({ approval, verdict, wentLive, close }: VerdictProps) {
  const view = useView();
  const { project } = view;
  const { id, action, to } = approval;
  const isGiven = verdict === 'approve';
  const asked = useQuery({ ...askedChangesQuery(view, approval), enabled: isGiven });
  const changes = asked.data?.changes ?? [];
  const base = useQuery({ ...differenceQuery(view), enabled: isGiven }).data?.base;
  const refresh = useRefresh();
  const [why, setWhy] = useState(NO_WHY);
  const said = useStagedWhy(action === 'promote' ? changes : [], approval).why;
  const whyLive = { reason: said.reason === '' ? why.reason : said.reason, ticket: why.ticket.trim() === '' ? said.ticket : why.ticket };
  const mayPublish = useMayPublish();
  const isClean = useIsClean(action === 'promote' ? (asked.data?.state ?? null) : null);
  const intentOf = useIntent();
  const goLive = () => {
    if (base === undefined) return null;
    const intent = intentOf([id, action, base, whyLive]);
    if (action === 'promote') return promote({ project, base, why: whyLive, force: false, breakGlass: false }, intent);
    return rollback({ project, base, why: whyLive, to: to ?? 0, breakGlass: false }, intent);
  };
  const act = useMutation({
    mutationFn: async ({ isLive }: Given) => {
      await decideApproval({ project, approval: id, verdict, why }, intentOf([id, verdict, why]));
      return isLive ? await goLive() : null;
    },
    onSuccess: async (live, { changes: done }) => {
      if (live !== null) wentLive({ changes: done, hash: live.hash });
      await refresh();
      close();
    },
    onError: refresh,
  });
  const { title, sub, act: name, look } = VERDICTS[verdict];
  // Nobody agrees to what was not shown.
  const isReady = isGiven ? asked.isSuccess : verdict !== 'comment' || why.reason.trim() !== '';
  const mayGoLive = isReady && base !== undefined && whyLive.reason.trim() !== '' && (action === 'rollback' || isClean);
  return (
    <Dialog
      title={title}
      sub={sub}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          {isGiven && mayPublish && (
            <Button disabled={!mayGoLive || act.isPending} onClick={() => act.mutate({ isLive: true, changes })}>
              Approve and make it live
            </Button>
          )}
          <Button look={look} disabled={!isReady || act.isPending} onClick={() => act.mutate({ isLive: false, changes })}>
            {act.isPending ? 'One moment…' : name}
          </Button>
        </>
      }
    >
      {isGiven && <WhatIsAgreedTo approval={approval} />}
      <Saying
        why={why}
        change={setWhy}
        isNeeded={verdict === 'comment'}
        hint={isGiven && mayPublish && said.reason === '' ? 'Nobody said why: needed where you make it live, too' : null}
      />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}

/** Whether what is staged was looked at, and nothing speaks against making it live. `state`: `null`: it is not known what is staged. */
function useIsClean(state: string | null): boolean {
  const { look, tests, mayTest } = useCheckedNow(state);
  const isTested = !mayTest || (tests.isSuccess && tests.data.failed === 0);
  return look.isSuccess && isTested && stopping(look.data.findings ?? []).length === 0;
}

interface SayingProps {
  readonly why: Why;
  readonly change: (why: Why) => void;
  readonly isNeeded?: boolean;
  readonly hint?: string | null;
}

/** What is said with it. */
export function Saying({ why, change, isNeeded = false, hint = null }: SayingProps) {
  return (
    <WhyField
      label={isNeeded ? 'What to say' : 'What to say (may be left out)'}
      hint={hint ?? 'Everybody who looks at it reads it, now and in the history'}
      why={why}
      change={change}
    />
  );
}
