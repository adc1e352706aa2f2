import { getRouteApi } from '@tanstack/react-router';
import { useMay, useView } from '../../frame/view.ts';
import { Card, Empty } from '../../parts/page.tsx';
import { WHATS, whatIn } from '../../words/timeline.ts';
import { RESTORE_MEANS, UNDO_MEANS } from '../../words/ways-back.ts';
import { Filters } from '../filters.tsx';
import styles from './player.module.css';
import { WhatHappened } from './what-happened.tsx';

const route = getRouteApi('/signed-in/p/$project/players/$player/timeline');

/** Everything that happened to the player, or what somebody looks for in it. */
export function Timeline() {
  const { player } = route.useParams();
  const { endpoint, field, what, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const mayDo = useMay();
  const asked = { endpoint, field, what, from, to };
  const { at, target } = useView();
  const mayUndo = mayDo('restore', 'w') && at === undefined && target === 'live';
  if (!mayDo('history', 'r'))
    return (
      <Card title="What happened">
        <Empty title="Your role does not see what was">An owner can give you a role with the permission “history”.</Empty>
      </Card>
    );
  return (
    <Card title="What happened">
      <Filters
        key={JSON.stringify(asked)}
        kinds={WHATS}
        filters={{ endpoint, field, kind: what, from, to }}
        hasField={mayDo('collections', 'r')}
        change={({ kind, ...others }) => void navigate({ search: (before) => ({ ...before, ...others, what: whatIn(kind) }) })}
      />
      {mayUndo && (
        <p className={styles.ways}>
          <strong>Undo</strong> {UNDO_MEANS}. <strong>Restore</strong> {RESTORE_MEANS}.
        </p>
      )}
      <WhatHappened player={player} asked={asked} />
    </Card>
  );
}
