import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { lookAtUndo, type Policy, undo } from '../api/acts.ts';
import { LOOK, useIntent, useRefresh } from '../frame/acting.ts';
import { useView } from '../frame/view.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choices, Why } from '../parts/field.tsx';
import { Done, Failed } from '../parts/notice.tsx';
import { Waiting } from '../parts/page.tsx';
import { Corrected, isNothing } from './corrected.tsx';

const POLICIES = [
  { value: 'reverse', name: 'Take back', means: '– whoever got something gives back what is left of it' },
  { value: 'give', name: 'Nobody pays', means: '– what was lost is made anew' },
] as const satisfies readonly { readonly value: Policy; readonly name: string; readonly means: string }[];

interface UndoProps {
  readonly commit: { readonly revision: number };
  readonly close: () => void;
}

/** Undoes one commit: what would be done first, then why. */
export function UndoDialog({ commit: { revision }, close }: UndoProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [policy, setPolicy] = useState<Policy>('reverse');
  const [why, setWhy] = useState({ reason: '', ticket: '' });
  const intentOf = useIntent();
  const look = useQuery({
    queryKey: [project, 'look', 'undo', revision, policy],
    queryFn: () => lookAtUndo({ project, revision, policy }),
    ...LOOK,
  });
  const act = useMutation({
    mutationFn: () => undo({ project, revision, policy }, why, intentOf([revision, policy, why])),
    onSuccess: refresh,
  });
  const isReady = look.isSuccess && !isNothing(look.data) && why.reason.trim() !== '';
  if (act.isSuccess)
    return (
      <Dialog title={`Commit ${revision} is undone`} close={close}>
        <Done>
          {act.data.revision === null ? (
            <p>It was undone before, by the same request.</p>
          ) : (
            <p>
              The commit{' '}
              <Link to="/p/$project/find/$held" params={{ project, held: String(act.data.revision) }} onClick={close}>
                {act.data.revision}
              </Link>{' '}
              did it. Undo that to take it back.
            </p>
          )}
        </Done>
        <Corrected correction={act.data} />
      </Dialog>
    );
  return (
    <Dialog
      title={`Undo commit ${revision}?`}
      sub="It becomes a commit of its own, which can be undone in its turn."
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" disabled={!isReady || act.isPending} onClick={() => act.mutate()}>
            {act.isPending ? 'Undoing…' : 'Undo it'}
          </Button>
        </>
      }
    >
      {look.isPending && <Waiting what="what would be done" />}
      {look.isError && <Failed error={look.error} />}
      {look.isSuccess && (isNothing(look.data) ? <p>Nothing is left of it that could be undone.</p> : <Corrected correction={look.data} />)}
      <Choices label="Who pays" value={policy} choose={setPolicy} options={POLICIES} />
      <Why {...why} change={setWhy} />
      {act.isError && <Failed error={act.error} />}
    </Dialog>
  );
}
