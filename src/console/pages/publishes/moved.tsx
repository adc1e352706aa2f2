import { useInfiniteQuery, useIsMutating, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '../../api/live.ts';
import { publishesQuery } from '../../api/queries.ts';
import { sessionQuery } from '../../api/session.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { NewNote, NotFollowed } from '../../parts/live.tsx';
import { newestPublish, publishedText } from '../../words/live.ts';

interface MovedProps {
  /** Nothing on the page is lost or moves away when it is read anew: what came is shown at once. */
  readonly isAtOnce?: boolean;
  /** Learns whether what the page shows is old. */
  readonly tell?: (isOld: boolean) => void;
}

/** Tells who staged or published since the page was read; shows it when one wants it. */
export function PublishesMoved({ isAtOnce = false, tell }: MovedProps) {
  const view = useView();
  const refresh = useRefresh();
  const { person } = useSuspenseQuery(sessionQuery).data;
  const shown = useInfiniteQuery(publishesQuery(view)).data?.pages[0]?.publishes[0]?.revision;
  const [newest, setNewest] = useState<ReturnType<typeof newestPublish>>(null);
  const state = useLive({ ...view, target: 'live' }, ['publishes?limit=1'], view.at === undefined, ({ value }) =>
    setNewest(newestPublish(value)),
  );
  const came = shown !== undefined && newest !== null && newest.revision > shown ? newest : null;
  const isOld = came !== null;
  // What comes while something is done here is mostly that.
  const isActing = useIsMutating() > 0;
  useEffect(() => tell?.(isOld), [tell, isOld]);
  const isShowing = came !== null && isAtOnce;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that comes
  useEffect(() => {
    if (isShowing) void refresh();
  }, [isShowing, came?.revision]);
  return (
    <>
      <NewNote what={came === null || isAtOnce || isActing ? null : publishedText(came, person.id)} show={() => void refresh()} />
      <NotFollowed state={state} />
    </>
  );
}
