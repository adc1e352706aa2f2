import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { momentQuery } from '../api/moment.ts';
import { Failed } from '../parts/notice.tsx';
import { Waiting } from '../parts/page.tsx';
import { isRevision } from '../words/time.ts';
import styles from './shell.module.css';
import { useIsPast, useView } from './view.ts';

/** Pages under a moment of the past: they follow it, or say that they do not. */

/** Says under a moment of the past what a page shows that is not of then; nothing where now is looked at. */
export function OfNow({ children }: { readonly children: ReactNode }) {
  return useIsPast() ? <p className={styles.ofNow}>{children}</p> : null;
}

/** When the project began, where the moment that is looked at is a time before that; else `null`. */
export function useBeginning(): string | null {
  const { project, at } = useView();
  const isTime = at !== undefined && !isRevision(at);
  const begun = useQuery({ ...momentQuery(project, '0'), enabled: isTime }).data?.time;
  return isTime && begun !== undefined && Date.parse(at) < Date.parse(begun) ? begun : null;
}

/**
 * The moment as a page needs it that goes by times, or by revisions, whichever the address has: a revision has the time at which it was
 * stored, and a time the last revision before it. `at` undefined: now. `instead`: what stands in place of the page until it is known.
 */
export function useMoment(form: 'revision' | 'time'): { readonly at: string | undefined; readonly instead: ReactNode } {
  const { project, at } = useView();
  const isAsked = at !== undefined && isRevision(at) !== (form === 'revision');
  const read = useQuery({ ...momentQuery(project, at ?? ''), enabled: isAsked });
  if (!isAsked) return { at, instead: null };
  if (read.isError) return { at, instead: <Failed error={read.error} again={() => void read.refetch()} /> };
  if (read.data === undefined) return { at, instead: <Waiting what="when that was" /> };
  return { at: form === 'time' ? read.data.time : String(read.data.revision), instead: null };
}
