import { useInfiniteQuery } from '@tanstack/react-query';
import { publishesQuery } from '../../api/queries.ts';
import { useMoment } from '../../frame/then.tsx';
import { STAGED, useMay, useView } from '../../frame/view.ts';
import { useStanding } from '../../parts/standing.ts';
import { Ago } from '../../parts/time.tsx';
import { lastChange } from '../../words/last-change.ts';
import { PublishLink } from '../named.tsx';
import styles from './publishes.module.css';

/** What the last publish changed of one thing, among the newest publishes. It is asked once the page stands. */
export function LastChange({ of }: { readonly of: Parameters<typeof lastChange>[2] }) {
  const view = useView();
  const mayDo = useMay();
  const { at, instead } = useMoment('revision');
  const isStanding = useStanding();
  const mayRead = STAGED.every((scope) => mayDo(scope, 'r')) && instead === null;
  const { data } = useInfiniteQuery({ ...publishesQuery(view, at), enabled: mayRead && isStanding });
  const found = lastChange(data?.pages.flatMap((page) => page.publishes) ?? [], view.target, of);
  if (found === null) return null;
  const { revision, at: time } = found.publish;
  return (
    <span className={styles.last}>
      {found.said} <PublishLink revision={revision} /> <Ago at={time} />
    </span>
  );
}
