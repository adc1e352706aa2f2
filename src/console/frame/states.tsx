import { Link, useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext } from 'react';
import { Failed } from '../parts/notice.tsx';
import { Empty } from '../parts/page.tsx';
import { Refused } from '../words/refusal.ts';

/** What stands in place of a page that cannot be shown. */

/** Whether the frame stands around it: a document has one main part. */
export const Framed = createContext(false);

function Place({ children }: { readonly children: ReactNode }) {
  const Part = useContext(Framed) ? 'div' : 'main';
  return <Part style={{ padding: 24 }}>{children}</Part>;
}

export function PageFailed({ error }: { readonly error: unknown }) {
  const router = useRouter();
  // The browser may remember that the page's code did not come, until it loads all anew.
  const isAway = error instanceof Refused && error.refusal.code === 'UNREACHABLE';
  const again = isAway ? () => window.location.reload() : () => void router.invalidate();
  return (
    <Place>
      <Failed error={error} again={again} />
    </Place>
  );
}

export function PageMissing() {
  return (
    <Place>
      <Empty isPage title="There is no such page">
        <p>
          The address may be cut off. <Link to="/">Begin at the projects</Link>.
        </p>
      </Empty>
    </Place>
  );
}
