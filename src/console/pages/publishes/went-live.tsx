import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Approval, publishesSinceQuery } from '../../api/approvals.ts';
import { sessionQuery } from '../../api/session.ts';
import { isTold, keepTold } from '../../api/told.ts';
import { useRefresh } from '../../frame/acting.ts';
import { useMayPublish, useView } from '../../frame/view.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { When } from '../../parts/time.tsx';
import { isNews, madeLiveSaid } from '../../words/approval.ts';
import { changesSaid, publishOf } from '../../words/publish.ts';
import styles from './publishes.module.css';
import { SeeLive } from './see-live.tsx';

/** Tells whoever asked that another person made it live, and leads there: until it is put away, or something else is published. */
export function WentLive({ approval }: { readonly approval: Approval }) {
  const view = useView();
  const { project } = view;
  const { person } = useSuspenseQuery(sessionQuery).data;
  const mayPublish = useMayPublish();
  const refresh = useRefresh();
  const [putAway, setPutAway] = useState<string | null>(null);
  const { id } = approval;
  const isTelling = isNews(approval, Date.now()) && putAway !== id && !isTold(id);
  const publishes = useQuery({ ...publishesSinceQuery(view, approval), enabled: isTelling }).data ?? [];
  const publish = isTelling ? publishOf(publishes, id, person.id) : null;
  if (publish === null) return null;
  const leave = () => {
    keepTold(id);
    setPutAway(id);
  };
  return (
    <div className={styles.wentLive}>
      <p>
        {madeLiveSaid(approval)}: <strong>{changesSaid(publish.changes)}</strong>{' '}
        <span className={styles.soft}>
          <When at={publish.at} />
        </span>
      </p>
      <div className={styles.actions}>
        <SeeLive changes={publish.changes} />
        {mayPublish && (
          <Link
            to="/p/$project/publishes"
            params={{ project }}
            search={{ at: undefined, target: undefined }}
            state={{ toUndo: publish.revision }}
            // The history may be of before it.
            onClick={() => void refresh()}
            className={buttonClass('plain', true)}
          >
            Undo…
          </Link>
        )}
        <Button isSmall look="quiet" onClick={leave}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
