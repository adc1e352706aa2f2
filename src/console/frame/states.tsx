import { Link, useRouter } from '@tanstack/react-router';
import { Failed } from '../parts/notice.tsx';
import { Empty } from '../parts/page.tsx';

/** What stands in place of a page that cannot be shown. */

export function PageFailed({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <main style={{ padding: 24 }}>
      <Failed error={error} again={() => void router.invalidate()} />
    </main>
  );
}

export function PageMissing() {
  return (
    <main style={{ padding: 24 }}>
      <Empty title="There is no such page">
        <p>
          The address may be cut off. <Link to="/">Begin at the projects</Link>.
        </p>
      </Empty>
    </main>
  );
}
