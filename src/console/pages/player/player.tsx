import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useMatch } from '@tanstack/react-router';
import { nameQuery, playerQuery } from '../../api/queries.ts';
import { useMay, useView } from '../../frame/view.ts';
import { classes } from '../../parts/classes.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { useEdges } from '../../parts/scroll.tsx';
import tabStyles from '../../parts/tabs.module.css';
import { MASK } from '../../words/collection.ts';
import { Reveal } from '../revealing.tsx';

const route = getRouteApi('/signed-in/p/$project/players/$player');
/** The part that shows the whole page of the player. */
const OVERVIEW = '/signed-in/p/$project/players/$player/';

/** Everything of one player, in parts. */
export function PlayerPage() {
  const { player } = route.useParams();
  const mayDo = useMay();
  const view = useView();
  const params = { project: view.project, player };
  const tabs = useEdges();
  const isWhole = useMatch({ from: OVERVIEW, shouldThrow: false }) !== undefined;
  const { data } = useQuery({ ...(isWhole ? playerQuery(view, player) : nameQuery(view, player)), enabled: mayDo('players', 'r') });
  const name = data?.name?.text;
  const called = name === undefined || name === MASK ? player : name;
  return (
    <Page
      name={called}
      title={called}
      sub={
        <>
          Player <code>{player}</code> <CopyButton text={player} what="the id" />
        </>
      }
      actions={<Reveal key={player} player={player} />}
    >
      <nav ref={tabs.box} onScroll={tabs.look} className={classes(tabStyles.tabs, tabs.edges)} aria-label="Of this player">
        <Link to="/p/$project/players/$player" params={params} activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </Link>
        {mayDo('history', 'r') && (
          <Link to="/p/$project/players/$player/timeline" params={params} activeOptions={{ includeSearch: false }}>
            Time line
          </Link>
        )}
        {mayDo('restore', 'w') && view.target === 'live' && (
          <Link to="/p/$project/players/$player/restore" params={params} activeOptions={{ includeSearch: false }}>
            Restore
          </Link>
        )}
        {mayDo('access', 'r') && (
          <Link to="/p/$project/players/$player/looked" params={params} activeOptions={{ includeSearch: false }}>
            Who looked
          </Link>
        )}
      </nav>
      <Outlet />
    </Page>
  );
}
