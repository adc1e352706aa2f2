import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLive } from '../../api/live.ts';
import { publishesQuery } from '../../api/queries.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useView } from '../../frame/view.ts';
import { NewNote, NotFollowed } from '../../parts/live.tsx';
import { newestPublish } from '../../words/live.ts';

/** Tells that somebody staged or published since the page was read; shows it when one wants it. */
export function PublishesMoved() {
  const view = useView();
  const refresh = useRefresh();
  const shown = useInfiniteQuery(publishesQuery(view)).data?.pages[0]?.publishes[0]?.revision;
  const [newest, setNewest] = useState(0);
  const state = useLive({ ...view, target: 'live' }, ['publishes?limit=1'], view.at === undefined, ({ value }) =>
    setNewest(newestPublish(value) ?? 0),
  );
  const hasNew = shown !== undefined && newest > shown;
  return (
    <>
      <NewNote what={hasNew ? 'Somebody staged or published since this was read.' : null} show={() => void refresh()} />
      <NotFollowed state={state} />
    </>
  );
}
