import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { differenceQuery, publishesQuery } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/notice.tsx';
import { standings } from '../../words/publish.ts';
import { type Goal, RollbackDialog } from './dialogs.tsx';

interface UndoPublishProps {
  readonly revision: number;
  readonly close: () => void;
}

/** Undoes a publish over the page where somebody reads of it, while it is the newest. */
export function UndoPublish({ revision, close }: UndoPublishProps) {
  const view = useView();
  // What is kept of the history may be of before it.
  const read = useInfiniteQuery({ ...publishesQuery(view), refetchOnMount: 'always' });
  const base = useQuery({ ...differenceQuery(view), refetchOnMount: 'always' });
  /** As it was looked at: once it is undone the history offers something else. */
  const goal = useRef<Goal | null>(null);
  const publishes = read.data?.pages.flatMap((page) => page.publishes) ?? [];
  const isRead = read.isSuccess && !read.isFetching && base.isSuccess && !base.isFetching;
  if (isRead) goal.current ??= standings(publishes).find(({ undo }) => undo?.undone.revision === revision)?.undo ?? null;
  const error = read.error ?? base.error;
  if (goal.current !== null && base.data !== undefined) return <RollbackDialog {...goal.current} base={base.data.base} close={close} />;
  if (!isRead && error === null) return null;
  return (
    <Dialog title="It cannot be undone here" close={close}>
      {error === null ? (
        <p>Something else went live since: the history on the page Publishes says what, and what can be undone.</p>
      ) : (
        <Failed error={error} />
      )}
    </Dialog>
  );
}
