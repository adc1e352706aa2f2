import { useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';

interface AskedProps {
  /** What it would change for players, in a sentence. */
  readonly changed: string;
  readonly close: () => void;
}

/** How another person comes to what waits: nobody is written to. */
export function CopyLink() {
  const { project } = useView();
  const address = new URL(`/p/${encodeURIComponent(project)}/publishes`, window.location.origin).href;
  return <CopyButton text={address} what="the link" name="Copy the link for the other person" />;
}

/** It is asked for, which the page may show out of sight. */
export function AskedDialog({ changed, close }: AskedProps) {
  return (
    <Dialog title="It is asked for" close={close}>
      <Done actions={<CopyLink />}>
        <p>
          <strong>{changed}</strong>
        </p>
        <p>
          Players notice nothing yet. Another person approves it on the page Publishes, where it waits: nobody is written to, so tell them.
        </p>
      </Done>
    </Dialog>
  );
}
