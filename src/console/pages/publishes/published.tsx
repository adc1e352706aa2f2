import type { ReactNode } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';
import { changesSaid } from '../../words/publish.ts';
import type { DefinitionChange } from './changes.tsx';
import { SeeLive } from './see-live.tsx';

/** Something was published, or will be: what that changes, and where one sees it. */

/** Whoever approved it made it live, too. */
export function ApprovedLive({ changes, close }: { readonly changes: readonly DefinitionChange[]; readonly close: () => void }) {
  return (
    <Published title="It is live" changed={changesSaid(changes)} changes={changes} close={close}>
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
  readonly close: () => void;
  readonly children: ReactNode;
}

export function Published({ title, changed, changes, close, children }: PublishedProps) {
  return (
    <Dialog title={title} close={close}>
      <Done actions={changes !== undefined && <SeeLive changes={changes} close={close} />}>
        <p>
          <strong>{changed}</strong>
        </p>
        <p>{children}</p>
      </Done>
    </Dialog>
  );
}
