import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { publishesQuery } from '../../api/queries.ts';
import { useView } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
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
  /** What was approved. */
  readonly approval: string;
}

/** Told where the button was pressed, on the page, which has nothing more of it: whoever reads a screen by ear is taken there. */
export function ApprovedLive({ changes, hash, close }: Omit<MadeLive, 'approval'> & { readonly close: () => void }) {
  const other = useOther(hash);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <div ref={place} tabIndex={-1} data-told>
      <Done
        actions={
          <>
            <SeeLive changes={changes} />
            <Button isSmall look="quiet" onClick={close}>
              Hide
            </Button>
          </>
        }
      >
        <p>
          It is live: <strong>{changesSaid(changes)}</strong>.
        </p>
        <p>{other ?? 'Players have it from their next call on.'}</p>
      </Done>
    </div>
  );
}

/** Where live is another than `hash` by now: whose. */
function useOther(hash: string): string | null {
  const publishes = useInfiniteQuery(publishesQuery(useView())).data?.pages.flatMap((page) => page.publishes) ?? [];
  const other = changedSince(publishes, hash);
  return other === null ? null : `Since then ${other} has changed what is live: the history says how.`;
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
  const other = useOther(hash);
  return (
    <Dialog title={title} close={close}>
      <Done actions={changes !== undefined && <SeeLive changes={changes} close={close} />}>
        <p>
          <strong>{changed}</strong>
        </p>
        <p>{other ?? children}</p>
      </Done>
    </Dialog>
  );
}
