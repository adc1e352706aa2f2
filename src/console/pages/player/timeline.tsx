import { getRouteApi } from '@tanstack/react-router';
import { Card } from '../../parts/page.tsx';
import { WHATS, whatIn } from '../../words/timeline.ts';
import { Filters } from '../filters.tsx';
import { WhatHappened } from './what-happened.tsx';

const route = getRouteApi('/signed-in/p/$project/players/$player/timeline');

/** Everything that happened to the player, or what somebody looks for in it. */
export function Timeline() {
  const { player } = route.useParams();
  const { endpoint, what, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = { endpoint, what, from, to };
  return (
    <Card title="What happened">
      <Filters
        key={JSON.stringify(asked)}
        kinds={WHATS}
        filters={{ endpoint, kind: what, from, to }}
        change={({ kind, ...others }) => void navigate({ search: (before) => ({ ...before, ...others, what: whatIn(kind) }) })}
      />
      <WhatHappened player={player} asked={asked} />
    </Card>
  );
}
