import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CommitsAsked, commitsQuery } from '../api/queries.ts';
import { useMay, useProject, useView } from '../frame/view.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { doerOf } from '../words/commit.ts';
import { GameButtons } from './buttons/buttons.tsx';
import styles from './commits.module.css';
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
            {key !== undefined && (
              <OnlyOf asked={{ ...asked, key }} all={() => void navigate({ search: (before) => ({ ...before, who: undefined }) })} />
            )}
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

/** Whose acts alone are listed: it is told by the first of them. */
function OnlyOf({ asked, all }: { readonly asked: CommitsAsked; readonly all: () => void }) {
  const list = useInfiniteQuery(commitsQuery(useView(), asked));
  const first = list.data?.pages[0]?.commits[0];
  return (
    <p className={styles.only}>
      Only what <strong>{first === undefined ? 'one person or key' : doerOf(first)}</strong> did.
      <Button isSmall onClick={all}>
        Of everybody
      </Button>
    </p>
  );
}
