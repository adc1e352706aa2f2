import { useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';

/** How another person comes to what waits: nobody is written to. */
export function CopyLink() {
  const { project } = useView();
  const address = new URL(`/p/${encodeURIComponent(project)}/publishes`, window.location.origin).href;
  return <CopyButton text={address} what="the link" name="Copy the link for the other person" />;
}
