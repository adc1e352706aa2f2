import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { LOOK, NO_WHY } from '../../api/acts.ts';
import { correct, lookAtChange, type WantedChange } from '../../api/corrections.ts';
import type { DocumentAsked } from '../../api/queries.ts';
import { useIntent, useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { Decision } from '../../parts/decision.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Why } from '../../parts/field.tsx';
import { Done, Failed } from '../../parts/notice.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Refused } from '../../words/refusal.ts';
import { Corrected, isNothing } from '../corrected.tsx';
import { CommitLink } from '../named.tsx';

export interface CorrectProps {
  readonly asked: DocumentAsked;
  /** That was seen; 0: there must be no document. */
  readonly version: number;
  /** `null`: nothing is to be done yet. */
  readonly change: WantedChange | null;
  readonly title: string;
  readonly sub: ReactNode;
  readonly words: { readonly act: string; readonly acting: string; readonly done: string };
  readonly close: () => void;
  readonly children?: ReactNode;
}

/** One document corrected: what it would come to, why, and in one commit or not at all. */
export function CorrectDialog({ asked, version, change, title, sub, words, close, children }: CorrectProps) {
  const { project, target } = useView();
  const refresh = useRefresh();
  const intentOf = useIntent();
  const [why, setWhy] = useState(NO_WHY);
  const asking = change === null ? null : { project, ...asked, target, version, change };
  const look = useQuery({
    queryKey: [project, 'look', 'correct', asking],
    queryFn: () => (asking === null ? Promise.reject(new Error('nothing is asked')) : lookAtChange(asking)),
    enabled: asking !== null,
    ...LOOK,
  });
  const act = useMutation({
    mutationFn: (what: NonNullable<typeof asking>) => correct(what, why, intentOf([what, why])),
    onSuccess: refresh,
  });
  if (act.isSuccess) return <Corrects title={words.done} asked={asked} revision={act.data.revision} close={close} />;
  const failure = act.error ?? (asking === null ? null : look.error);
  const isStale = version > 0 && failure instanceof Refused && failure.refusal.code === 'STALE_SAVE';
  const isReady = asking !== null && look.isSuccess && !isNothing(look.data) && why.reason.trim() !== '';
  const again = () => {
    act.reset();
    void refresh();
  };
  return (
    <Dialog
      title={title}
      sub={sub}
      close={close}
      foot={
        <Decision
          leave={close}
          act={words.act}
          acting={words.acting}
          isReady={isReady}
          isBusy={act.isPending}
          go={() => asking !== null && act.mutate(asking)}
        >
          {isStale && <Button onClick={again}>Load it anew</Button>}
        </Decision>
      }
    >
      {children}
      {asking !== null && look.isPending && <Waiting what="what it would do" />}
      {asking !== null &&
        look.isSuccess &&
        (isNothing(look.data) ? <p>That is what it is already.</p> : <Corrected correction={look.data} />)}
      <Why {...why} change={setWhy} />
      {failure !== null && <Failed error={failure} />}
    </Dialog>
  );
}

interface CorrectsProps {
  readonly title: string;
  readonly asked: CorrectProps['asked'];
  readonly revision: number | null;
  readonly close: () => void;
}

/** What was done. A kept answer names no commit. */
function Corrects({ title, asked: { collection, key }, revision, close }: CorrectsProps) {
  return (
    <Dialog title={title} close={close}>
      <Done>
        <p>
          {collection}/{key}: players who look at it see it at once.{' '}
          {revision !== null && (
            <>
              The commit <CommitLink revision={revision} leave={close} /> did it, and can be undone there.
            </>
          )}
        </p>
      </Done>
    </Dialog>
  );
}
