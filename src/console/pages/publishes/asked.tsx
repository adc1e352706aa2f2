import { useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';

interface AskedProps {
  /** What it would change for players, in a sentence. */
  readonly changed: string;
  readonly close: () => void;
}

/** It is asked for: how another person comes to it. */
export function AskedDialog({ changed, close }: AskedProps) {
  const { project } = useView();
  const address = new URL(`/p/${encodeURIComponent(project)}/publishes`, window.location.origin).href;
  return (
    <Dialog title="It is asked for" close={close}>
      <Done actions={<CopyButton text={address} what="the link" name="Copy the link for the other person" />}>
        <p>
          <strong>{changed}</strong>
        </p>
        <p>Live is what it was. Another person approves it on the page Publishes, where it waits: nobody is written to, so tell them.</p>
      </Done>
    </Dialog>
  );
}
