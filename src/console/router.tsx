import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect, retainSearchParams } from '@tanstack/react-router';
import { codeAhead, readAhead } from './ahead.ts';
import { sessionQuery } from './api/session.ts';
import type { ViewSearch } from './api/view.ts';
import { lazyPage } from './frame/lazy-page.ts';
import {
  callsIn,
  commitFiltersIn,
  economyIn,
  entriesIn,
  listIn,
  looksAtOneIn,
  looksIn,
  parseSearch,
  stringifySearch,
  type TrySearch,
  textIn,
  timelineIn,
} from './frame/search.ts';
import { Shell } from './frame/shell.tsx';
import { PageFailed, PageMissing } from './frame/states.tsx';
import { ProjectsPage } from './pages/projects.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { codeOf } from './parts/code.ts';
import { Waiting } from './parts/page.tsx';
import { Refused } from './words/refusal.ts';

/** The addresses of the console. What only some pages need is loaded with them. */

const root = createRootRouteWithContext<{ readonly queries: QueryClient }>()({ component: Outlet, notFoundComponent: PageMissing });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  // `over`: a session has ended, and whoever had it may not know why.
  validateSearch: (search: Record<string, unknown>): { next?: string; over?: string } => ({
    next: textIn(search, 'next'),
    over: textIn(search, 'over'),
  }),
});

/** Where the issuer leads back to. */
const back = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/back',
  component: lazyPage(() => import('./pages/back.tsx'), 'BackPage'),
});

/** Whoever is not signed in arrives at the page for that, and afterwards where they wanted to go. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!(error instanceof Refused) || error.refusal.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href }, replace: true });
    }
  },
  component: Outlet,
  errorComponent: PageFailed,
});

const projects = createRoute({ getParentRoute: () => signedIn, path: '/', component: ProjectsPage });

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyPage(() => import('./pages/account/account.tsx'), 'AccountPage'),
});

const confirm = createRoute({
  getParentRoute: () => signedIn,
  path: '/confirm',
  component: lazyPage(() => import('./pages/confirm.tsx'), 'ConfirmPage'),
});

const ASKED = codeOf('asked', () => import('./pages/publishes/asked.tsx').then(({ Asked }) => Asked));

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/p/$project',
  component: () => <Shell asked={ASKED} />,
  validateSearch: (search: Record<string, unknown>): ViewSearch => ({
    at: textIn(search, 'at'),
    target: search['target'] === 'next' ? 'next' : undefined,
  }),
  search: { middlewares: [retainSearchParams<ViewSearch>(['at', 'target'])] },
  beforeLoad({ context, matches, params, location }) {
    const path = matches.at(-1)?.fullPath;
    if (path === undefined) return;
    void readAhead(context.queries, { path, params, search: location.search });
    codeAhead({ path, params, search: location.search });
  },
});

const activity = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: commitFiltersIn,
  component: lazyPage(() => import('./pages/activity.tsx'), 'ActivityPage'),
});
const found = createRoute({
  getParentRoute: () => project,
  path: '/find/$held',
  component: lazyPage(() => import('./pages/found.tsx'), 'FoundPage'),
});
const players = createRoute({
  getParentRoute: () => project,
  path: '/players',
  validateSearch: (search: Record<string, unknown>): { name?: string } => ({ name: textIn(search, 'name') }),
  component: lazyPage(() => import('./pages/players.tsx'), 'PlayersPage'),
});
const publishes = createRoute({ getParentRoute: () => project, path: '/publishes', component: Outlet });
const publishesListed = createRoute({
  getParentRoute: () => publishes,
  path: '/',
  component: lazyPage(() => import('./pages/publishes/publishes.tsx'), 'PublishesPage'),
});
const publish = createRoute({
  getParentRoute: () => publishes,
  path: '/$revision',
  validateSearch: (search: Record<string, unknown>): { to?: string } => ({ to: textIn(search, 'to') }),
  component: lazyPage(() => import('./pages/publishes/publish.tsx'), 'PublishPage'),
});
const looked = createRoute({
  getParentRoute: () => project,
  path: '/looked',
  validateSearch: looksIn,
  component: lazyPage(() => import('./pages/looked/looked.tsx'), 'LookedPage'),
});
const calls = createRoute({ getParentRoute: () => project, path: '/calls', component: Outlet });
const callsListed = createRoute({
  getParentRoute: () => calls,
  path: '/',
  validateSearch: callsIn,
  component: lazyPage(() => import('./pages/calls/calls.tsx'), 'CallsPage'),
});
const tryOne = createRoute({
  getParentRoute: () => calls,
  path: '/try',
  validateSearch: (search: Record<string, unknown>): TrySearch => ({
    slug: textIn(search, 'slug'),
    player: textIn(search, 'player'),
    back: search['back'] === 'live' || search['back'] === 'next' ? search['back'] : undefined,
  }),
  component: lazyPage(() => import('./pages/calls/try.tsx'), 'TryPage'),
});
const economy = createRoute({ getParentRoute: () => project, path: '/economy', component: Outlet });
const economyDays = createRoute({
  getParentRoute: () => economy,
  path: '/',
  validateSearch: economyIn,
  component: lazyPage(() => import('./pages/economy/economy.tsx'), 'EconomyPage'),
});
const economyEntries = createRoute({
  getParentRoute: () => economy,
  path: '/entries',
  validateSearch: entriesIn,
  component: lazyPage(() => import('./pages/economy/entries.tsx'), 'EntriesPage'),
});
const boards = createRoute({
  getParentRoute: () => project,
  path: '/boards',
  component: lazyPage(() => import('./pages/boards/boards.tsx'), 'BoardsPage'),
});
const board = createRoute({
  getParentRoute: () => project,
  path: '/boards/$query',
  validateSearch: (search: Record<string, unknown>): { player?: string; why?: string } => ({
    player: textIn(search, 'player'),
    why: textIn(search, 'why'),
  }),
  component: lazyPage(() => import('./pages/boards/board.tsx'), 'BoardPage'),
});
const health = createRoute({
  getParentRoute: () => project,
  path: '/health',
  component: lazyPage(() => import('./pages/health/health.tsx'), 'HealthPage'),
});
const values = createRoute({
  getParentRoute: () => project,
  path: '/values',
  validateSearch: (search: Record<string, unknown>): { find?: string } => ({ find: textIn(search, 'find') }),
  component: lazyPage(() => import('./pages/values/values.tsx'), 'ValuesPage'),
});
const value = createRoute({
  getParentRoute: () => project,
  path: '/values/$value',
  validateSearch: (search: Record<string, unknown>): { row?: string; column?: string } => ({
    row: textIn(search, 'row'),
    column: textIn(search, 'column'),
  }),
  component: lazyPage(() => import('./pages/values/value.tsx'), 'ValuePage'),
});
const definitions = createRoute({
  getParentRoute: () => project,
  path: '/definitions',
  validateSearch: (search: Record<string, unknown>): { kind?: string; find?: string } => ({
    kind: textIn(search, 'kind'),
    find: textIn(search, 'find'),
  }),
  component: lazyPage(() => import('./pages/definitions/definitions.tsx'), 'DefinitionsPage'),
});
const definition = createRoute({
  getParentRoute: () => project,
  path: '/definitions/$kind/$id',
  validateSearch: (search: Record<string, unknown>): { show?: 'edit' | 'history'; a?: string; b?: string } => ({
    show: search['show'] === 'edit' || search['show'] === 'history' ? search['show'] : undefined,
    a: textIn(search, 'a'),
    b: textIn(search, 'b'),
  }),
  component: lazyPage(() => import('./pages/definitions/definition.tsx'), 'DefinitionPage'),
});
const player = createRoute({
  getParentRoute: () => project,
  path: '/players/$player',
  component: lazyPage(() => import('./pages/player/player.tsx'), 'PlayerPage'),
});
const overview = createRoute({
  getParentRoute: () => player,
  path: '/',
  component: lazyPage(() => import('./pages/player/overview.tsx'), 'Overview'),
});
const timeline = createRoute({
  getParentRoute: () => player,
  path: '/timeline',
  validateSearch: timelineIn,
  component: lazyPage(() => import('./pages/player/timeline.tsx'), 'Timeline'),
});
/** Two moments that are compared. */
const comparedIn = (search: Record<string, unknown>): { a?: string; b?: string } => ({ a: textIn(search, 'a'), b: textIn(search, 'b') });
const document = createRoute({
  getParentRoute: () => player,
  path: '/documents/$collection/$key',
  validateSearch: comparedIn,
  component: lazyPage(() => import('./pages/player/document.tsx'), 'DocumentPage'),
});
const lookedAt = createRoute({
  getParentRoute: () => player,
  path: '/looked',
  validateSearch: looksAtOneIn,
  component: lazyPage(() => import('./pages/looked/looked.tsx'), 'PlayerLooks'),
});
const restore = createRoute({
  getParentRoute: () => player,
  path: '/restore',
  validateSearch: (search: Record<string, unknown>): { to?: string; before?: string } => ({
    to: textIn(search, 'to'),
    before: textIn(search, 'before'),
  }),
  component: lazyPage(() => import('./pages/player/restore.tsx'), 'RestorePage'),
});

const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  validateSearch: (search: Record<string, unknown>): { key?: string } => ({ key: textIn(search, 'key') }),
  component: lazyPage(() => import('./pages/keys/keys.tsx'), 'KeysPage'),
});
const collections = createRoute({ getParentRoute: () => project, path: '/collections', component: Outlet });
const collectionsListed = createRoute({
  getParentRoute: () => collections,
  path: '/',
  component: lazyPage(() => import('./pages/collections/collections.tsx'), 'CollectionsPage'),
});
const collection = createRoute({
  getParentRoute: () => collections,
  path: '/$collection',
  validateSearch: listIn,
  component: lazyPage(() => import('./pages/collections/collection.tsx'), 'CollectionPage'),
});
const record = createRoute({
  getParentRoute: () => collections,
  path: '/$collection/$key',
  validateSearch: comparedIn,
  component: lazyPage(() => import('./pages/collections/record.tsx'), 'RecordPage'),
});
const people = createRoute({
  getParentRoute: () => project,
  path: '/people',
  component: lazyPage(() => import('./pages/people/people.tsx'), 'PeoplePage'),
});
/** The same where there is no project yet. */
const everybody = createRoute({
  getParentRoute: () => signedIn,
  path: '/people',
  component: lazyPage(() => import('./pages/people/everybody.tsx'), 'EverybodyPage'),
});

const tree = root.addChildren([
  signIn,
  back,
  signedIn.addChildren([
    projects,
    account,
    confirm,
    everybody,
    project.addChildren([
      activity,
      found,
      players,
      publishes.addChildren([publishesListed, publish]),
      looked,
      values,
      value,
      definitions,
      definition,
      keys,
      people,
      calls.addChildren([callsListed, tryOne]),
      economy.addChildren([economyDays, economyEntries]),
      collections.addChildren([collectionsListed, collection, record]),
      boards,
      board,
      health,
      player.addChildren([overview, timeline, document, restore, lookedAt]),
    ]),
  ]),
]);

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPendingComponent: () => <Waiting what="the page" />,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: PageMissing,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
