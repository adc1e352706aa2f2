import { useView } from '../../frame/view.ts';
import { CopyButton } from '../../parts/copy.tsx';

/** How another person comes to what waits: their console tells them, and a link can be sent. */
export function CopyLink() {
  const { project } = useView();
  const address = new URL(`/p/${encodeURIComponent(project)}/publishes`, window.location.origin).href;
  return <CopyButton text={address} what="the link" name="Copy link" />;
}
