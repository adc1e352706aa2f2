import { Link } from '@tanstack/react-router';
import type { Target } from '../../api/view.ts';
import { useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Done } from '../../parts/notice.tsx';
import type { NamedPlace } from '../../words/sheet.ts';

interface SavedProps {
  readonly target: Target;
  readonly value: string;
  /** What changed, in a sentence. */
  readonly changed?: string;
  /** Where it changed first. */
  readonly place?: NamedPlace;
  readonly close: () => void;
}

/** What was stored, and where to go on. */
export function Saved({ target, value, changed, place = {}, close }: SavedProps) {
  const { project } = useView();
  return (
    <Dialog
      title={target === 'next' ? 'It is staged' : 'It is live'}
      close={close}
      foot={
        target === 'next' ? (
          <>
            <Button onClick={close}>Close</Button>
            <Link
              to="/p/$project/publishes"
              params={{ project }}
              state={{ isToCheck: true }}
              data-begin
              onClick={close}
              className={buttonClass('main')}
            >
              On to Publishes
            </Link>
          </>
        ) : undefined
      }
    >
      <Done>
        {changed !== undefined && (
          <p>
            <strong>{changed}</strong>
          </p>
        )}
        {target === 'next' ? (
          <p>
            Players notice nothing yet.{' '}
            <Link to="/p/$project/values/$value" params={{ project, value }} search={{ target: 'next', ...place }} onClick={close}>
              Look at it in next
            </Link>
            , or go on to Publishes, where it is checked and made live.
          </p>
        ) : (
          <p>
            Players have it from their next call on.{' '}
            <Link to="/p/$project/publishes" params={{ project }} onClick={close}>
              Publishes
            </Link>{' '}
            has who, when and why, and rolls it back.
          </p>
        )}
      </Done>
    </Dialog>
  );
}
