import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { publishesQuery } from '../../api/queries.ts';
import { useMoment } from '../../frame/then.tsx';
import { useMayReadStaged, useView } from '../../frame/view.ts';
import { useStanding } from '../../parts/standing.ts';
import { Ago } from '../../parts/time.tsx';
import { lastChange } from '../../words/last-change.ts';
import { PublishLink } from '../named.tsx';
import styles from './publishes.module.css';

type Asked = Parameters<typeof lastChange>[2];

/** Says of a thing what the last publish changed there, among the newest publishes. They are asked for once the page stands. */
export function useLastChange(): (of: Asked) => ReactNode {
  const view = useView();
  const { at, instead } = useMoment('revision');
  const isStanding = useStanding();
  const mayRead = useMayReadStaged() && instead === null;
  const { data } = useInfiniteQuery({ ...publishesQuery(view, at), enabled: mayRead && isStanding });
  const publishes = data?.pages.flatMap((page) => page.publishes) ?? [];
  return (of) => {
    const found = lastChange(publishes, view.target, of);
    if (found === null) return null;
    return (
      <span className={styles.last}>
        {found.said}, <PublishLink revision={found.publish.revision} />, <Ago at={found.publish.at} />
      </span>
    );
  };
}
