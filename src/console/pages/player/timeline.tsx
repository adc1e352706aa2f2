import { getRouteApi } from '@tanstack/react-router';
import { Card, Empty } from '../../parts/page.tsx';
import { Commits } from '../commits.tsx';
import { Filters } from '../filters.tsx';

const route = getRouteApi('/signed-in/p/$project/players/$player/timeline');

/** All commits that name the player: what they did, and what was done to them. */
export function Timeline() {
  const { player } = route.useParams();
  const { endpoint, kind, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const filters = { endpoint, kind, from, to };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Card title="What happened">
      <Filters
        key={JSON.stringify(filters)}
        filters={filters}
        change={(search) => void navigate({ search: (before) => ({ ...before, ...search }) })}
      />
      <Commits
        asked={{ ...filters, player }}
        empty={
          isFiltered ? (
            <Empty title="Nothing like that happened to this player">Take a filter away, or ask for a longer time.</Empty>
          ) : (
            <Empty title="Nothing has happened to this player">It begins with the first call that writes something.</Empty>
          )
        }
      />
    </Card>
  );
}
