import { queryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LOOK, NO_WHY } from '../api/acts.ts';
import { lookAtUndo, type Policy, type UndoAsked, undo } from '../api/corrections.ts';
import { commitsQuery } from '../api/queries.ts';
import { ofKind } from '../api/reveal.ts';
import { useIntent, useRefresh } from '../frame/acting.ts';
import { useMay, useView } from '../frame/view.ts';
import { Decision } from '../parts/decision.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Why } from '../parts/field.tsx';
import { Done } from '../parts/notice.tsx';
import { Waiting } from '../parts/page.tsx';
import { Refused } from '../words/refusal.ts';
import { staysText, undoCosts } from '../words/restore.ts';
import { Corrected, type Correction, isNothing } from './corrected.tsx';
import { CommitLink } from './named.tsx';
import { useShared, WhoPays } from './policies.tsx';
import { FailedOrAsked } from './revealing.tsx';
import { PutRightBy } from './undone-by.tsx';

interface UndoProps {
  readonly commit: { readonly revision: number; readonly players: readonly string[] };
  readonly close: () => void;
}

function lookQuery(asked: UndoAsked) {
  return queryOptions({
    queryKey: [asked.project, 'look', 'undo', asked.revision, asked.policy],
    queryFn: () => lookAtUndo(asked),
    ...LOOK,
  });
}

/** Undoes one commit: what would be done first, then why. */
export function UndoDialog({ commit: { revision, players }, close }: UndoProps) {
  const { project } = useView();
  const refresh = useRefresh();
  const [policy, setPolicy] = useState<Policy>('reverse');
  const [why, setWhy] = useState(NO_WHY);
  const intentOf = useIntent();
  const look = useQuery(lookQuery({ project, revision, policy }));
  // It says whom it concerns, whatever is chosen then.
  const whole = useQuery(lookQuery({ project, revision, policy: 'reverse' }));
  const player = players.length === 1 ? players[0] : undefined;
  const shared = useShared();
  const act = useMutation({
    mutationFn: () => undo({ project, revision, policy }, why, intentOf([revision, policy, why])),
    onSuccess: refresh,
  });
  const isUndone = look.error instanceof Refused && look.error.refusal.code === 'ALREADY_UNDONE';
  const isReady = look.isSuccess && !isNothing(look.data) && why.reason.trim() !== '';
  if (act.isSuccess)
    return (
      <Dialog title={`Commit ${revision} is undone`} close={close}>
        <Done>
          {act.data.revision === null ? (
            <p>It was undone before, by the same request.</p>
          ) : (
            <p>
              The commit <CommitLink revision={act.data.revision} leave={close} /> did it, and stands among what happened, where it can be
              undone in its turn.
            </p>
          )}
        </Done>
        <Corrected correction={act.data} isDone />
      </Dialog>
    );
  return (
    <Dialog
      title={`Undo commit ${revision}?`}
      sub="It becomes a commit of its own, which can be undone in its turn."
      close={close}
      foot={<Decision leave={close} act="Undo it" acting="Undoing…" isReady={isReady} isBusy={act.isPending} go={() => act.mutate()} />}
    >
      {look.isPending && <Waiting what="what would be done" />}
      {look.isError && (
        <FailedOrAsked error={look.error} of={ofKind('undone commit', String(revision))} whose="commit" again={() => void look.refetch()} />
      )}
      {isUndone && <PutRightBy revision={revision} leave={close} />}
      {look.isSuccess &&
        (isNothing(look.data) ? (
          <>
            <p>Nothing is left of it that could be undone.</p>
            <PutRightBy revision={revision} leave={close} />
          </>
        ) : (
          <Corrected correction={look.data} />
        ))}
      {look.isSuccess && !isNothing(look.data) && <Stays revision={revision} player={player} taken={pathsOf(look.data)} />}
      {whole.isSuccess && undoCosts(whole.data, shared) && <WhoPays of="undo" policy={policy} choose={setPolicy} />}
      <Why {...why} change={setWhy} />
      {act.isError && (
        <FailedOrAsked error={act.error} of={ofKind('undone commit', String(revision))} whose="commit" again={() => act.mutate()} />
      )}
    </Dialog>
  );
}

/** The places of documents that it changes. */
function pathsOf({ documents }: Correction): readonly string[] {
  return documents.flatMap(({ changes }) => changes.map(({ path }) => path));
}

interface StaysProps {
  readonly revision: number;
  readonly player: string | undefined;
  /** What the undo changes. */
  readonly taken: readonly string[];
}

/** What happened since, which an undo leaves as it is. */
function Stays({ revision, player, taken }: StaysProps) {
  const view = useView();
  const isAsked = useMay()('history', 'r') && player !== undefined;
  const since = useInfiniteQuery({ ...commitsQuery(view, { player: player ?? '', from: String(revision + 1) }), enabled: isAsked });
  const [page] = since.data?.pages ?? [];
  return (
    <p>
      Only what this commit did is taken back.{' '}
      {page === undefined ? 'What happened since stays.' : staysText(page.commits, page.before === null, taken)}
    </p>
  );
}
