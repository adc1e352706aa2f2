import { Link, useRouter } from '@tanstack/react-router';
import { Failed } from '../parts/notice.tsx';
import { Empty } from '../parts/page.tsx';
import { Refused } from '../words/refusal.ts';

/** What stands in place of a page that cannot be shown. */

export function PageFailed({ error }: { readonly error: unknown }) {
  const router = useRouter();
  // The browser may remember that the page's code did not come, until it loads all anew.
  const isAway = error instanceof Refused && error.refusal.code === 'UNREACHABLE';
  const again = isAway ? () => window.location.reload() : () => void router.invalidate();
  return (
    <main style={{ padding: 24 }}>
      <Failed error={error} again={again} />
    </main>
  );
}

export function PageMissing() {
  return (
    <main style={{ padding: 24 }}>
      <Empty isPage title="There is no such page">
        <p>
          The address may be cut off. <Link to="/">Begin at the projects</Link>.
        </p>
      </Empty>
    </main>
  );
}
