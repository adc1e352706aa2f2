import { Link } from '@tanstack/react-router';
import { useView } from '../../frame/view.ts';
import { buttonClass } from '../../parts/button.tsx';

interface ToPublishesProps {
  /** It is what a dialog offers first, and stands in its foot. */
  readonly isMain?: boolean;
  readonly name?: string;
  readonly close?: () => void;
}

/** Leads on to Publishes, of live and next. */
export function ToPublishes({ isMain = false, name = 'On to Publishes', close }: ToPublishesProps) {
  const { project } = useView();
  return (
    <Link
      to="/p/$project/publishes"
      params={{ project }}
      search={{ target: undefined }}
      onClick={close}
      data-begin={isMain || undefined}
      className={buttonClass(isMain ? 'main' : 'plain', !isMain)}
    >
      {name}
    </Link>
  );
}
