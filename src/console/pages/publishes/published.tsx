import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { publishesQuery } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';
import { changedSince, changesSaid } from '../../words/publish.ts';
import type { DefinitionChange } from './changes.tsx';
import { SeeLive } from './see-live.tsx';

/** Something was published, or will be: what that changes, and where one sees it. */

/** What whoever approved it made live, too. */
export interface MadeLive {
  readonly changes: readonly DefinitionChange[];
  /** Of what is live by that. */
  readonly hash: string;
}

export function ApprovedLive({ changes, hash, close }: MadeLive & { readonly close: () => void }) {
  return (
    <Published title="It is live" changed={changesSaid(changes)} changes={changes} hash={hash} close={close}>
      Players have it from their next call on. The history says who asked, who approved, and why.
    </Published>
  );
}

interface PublishedProps {
  readonly title: string;
  /** What it changes for players, in a sentence. */
  readonly changed: string;
  /** What is live by now; left out: nothing is yet. */
  readonly changes?: readonly DefinitionChange[];
  readonly hash?: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Stays true while one reads: where live is another by now, it says whose. */
export function Published({ title, changed, changes, hash = '', close, children }: PublishedProps) {
  const publishes = useInfiniteQuery(publishesQuery(useView())).data?.pages.flatMap((page) => page.publishes) ?? [];
  const other = changedSince(publishes, hash);
  return (
    <Dialog title={title} close={close}>
      <Done actions={changes !== undefined && <SeeLive changes={changes} close={close} />}>
        <p>
          <strong>{changed}</strong>
        </p>
        <p>{other === null ? children : `Since then ${other} has changed what is live: the history says how.`}</p>
      </Done>
    </Dialog>
  );
}
