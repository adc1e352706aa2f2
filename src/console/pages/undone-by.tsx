import { useInfiniteQuery } from '@tanstack/react-query';
import { type Commit, commitsQuery } from '../api/queries.ts';
import { useMay, useView } from '../frame/view.ts';
import { Chip } from '../parts/chip.tsx';
import { Ago } from '../parts/time.tsx';
import { CORRECTIONS, deedOf, undoneAt, whoOf } from '../words/commit.ts';
import styles from './commits.module.css';
import { CommitLink } from './named.tsx';

/** By what something was put right already. */

/** By which commit it was undone, and by whom; nothing where it is not, or was not at the moment that pages follow. */
export function UndoneBy({ commit }: { readonly commit: Commit }) {
  const { at: moment } = useView();
  const undone = undoneAt(commit.undone, moment);
  if (undone === undefined) return null;
  const { revision, at } = undone;
  return (
    <p className={styles.undone}>
      <Chip tone="past">undone</Chip> by {whoOf(undone)}, commit <CommitLink revision={revision} />, <Ago at={at} />
    </p>
  );
}

/** The commit of a revision; `undefined`: it is not known yet, or may not be read. */
export function useCommit(revision: number | null): Commit | undefined {
  const at = String(revision ?? 0);
  const isAsked = useMay()('history', 'r') && revision !== null;
  return useInfiniteQuery({ ...commitsQuery(useView(), { from: at, to: at }), enabled: isAsked }).data?.pages[0]?.commits[0];
}

/** Corrections that are named. */
const NAMED = 3;

/** Where nothing of a commit is left to be undone: by what, as far as the log tells it. */
export function PutRightBy({ revision, leave }: { readonly revision: number; readonly leave: () => void }) {
  const commit = useCommit(revision);
  const player = commit?.players[0] ?? '';
  const since = { player, from: String(revision + 1), kind: CORRECTIONS.join(',') };
  const read = useInfiniteQuery({ ...commitsQuery(useView(), since), enabled: player !== '' && commit?.undone === undefined });
  if (commit === undefined) return null;
  if (commit.undone !== undefined) return <UndoneBy commit={commit} />;
  const own = new Set(commit.documents.map(placeOf));
  const found = read.data?.pages[0]?.commits.filter(({ documents }) => documents.some((each) => own.has(placeOf(each)))) ?? [];
  if (found.length === 0) return null;
  return (
    <div>
      <p>Put right since, in the same documents:</p>
      <ul>
        {found.slice(0, NAMED).map((each) => (
          <li key={each.revision}>
            {whoOf(each)} {deedOf(each)}, commit <CommitLink revision={each.revision} leave={leave} />, <Ago at={each.at} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function placeOf({ space, collection, key }: Commit['documents'][number]): string {
  return `${space}/${collection}/${key}`;
}
