import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay, useProject, useView } from '../frame/view.ts';
import { Card, Empty, Page } from '../parts/page.tsx';
import { GameButtons } from './buttons/buttons.tsx';
import { Commits } from './commits.tsx';
import { Filters } from './filters.tsx';

const route = getRouteApi('/signed-in/p/$project/');

/** What happened in a project. */
export function ActivityPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { project } = useView();
  const { title } = useProject();
  const mayDo = useMay();
  const mayRead = mayDo('history', 'r');
  const { who: key, ...asked } = filters;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page name={`Activity of ${title}`} title="Activity" sub={`What happened in ${title}: every change, with who made it, when and why.`}>
      <GameButtons page="home" player={null} />
      <Card title="Commits">
        {mayRead ? (
          <>
            <Filters
              key={JSON.stringify(filters)}
              filters={filters}
              change={(search) => void navigate({ search: (before) => ({ ...before, ...search }) })}
            />
            <Commits
              asked={{ ...asked, key }}
              empty={
                isFiltered ? (
                  <Empty title="Nothing like that happened">Take a filter away, or ask for a longer time.</Empty>
                ) : (
                  <Empty title="Nothing has happened yet">
                    The first thing happens when a game calls an endpoint or a developer pushes definitions: <code>savepoint push</code>.
                  </Empty>
                )
              }
            />
          </>
        ) : (
          <Empty title="Your role does not see what was">
            {mayDo('players', 'r') && (
              <>
                You can still{' '}
                <Link to="/p/$project/players" params={{ project }}>
                  find a player
                </Link>
                .{' '}
              </>
            )}
            An owner can give you a role with the permission “history”.
          </Empty>
        )}
      </Card>
    </Page>
  );
}
