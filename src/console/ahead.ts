import {
  type FetchInfiniteQueryOptions,
  type FetchQueryOptions,
  type QueryClient,
  type QueryKey,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import type { RegisteredRouter } from '@tanstack/react-router';
import { approvalsQuery } from './api/approvals.ts';
import { documentsQuery } from './api/collections.ts';
import { restoreQuery } from './api/corrections.ts';
import { definitionsQuery, schemaQuery } from './api/definitions.ts';
import { daysQuery, fieldsQuery, flowsQuery, moversQuery, supplyQuery } from './api/economy.ts';
import { healthQuery } from './api/health.ts';
import {
  collectionsQuery,
  commitsQuery,
  compareQuery,
  differenceQuery,
  documentQuery,
  explainQuery,
  historyQuery,
  nameQuery,
  playerQuery,
  publishesQuery,
} from './api/queries.ts';
import { lastProjects, may, STAGED, sessionQuery } from './api/session.ts';
import { timelineQuery } from './api/timeline.ts';
import { valuesQuery } from './api/values.ts';
import type { View } from './api/view.ts';
import { commitFiltersIn, economyIn, listIn, parseSearch, textIn, timelineIn } from './frame/search.ts';
import { EDITOR } from './pages/definitions/editor-code.ts';
import { PLOT } from './parts/plot-code.ts';
import { kindNamed } from './words/definition.ts';
import { currenciesOf, periodOf } from './words/economy.ts';
import { sinceOf } from './words/time.ts';

/**
 * What a page shows first is asked for while its code is loaded, and that while the code of all pages is: the address tells what it will
 * be. The page then finds it, or waits for the rest of it. What would be refused is not asked for.
 */

/** A place in the console, as the router or an address tells it. */
interface Place {
  /** Its path with names in place of ids. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, unknown>>;
}

interface Asked extends Omit<Place, 'path'> {
  readonly view: View;
  readonly may: (scope: string, letter: 'r' | 'w' | 'x') => boolean;
  /** Whether the person has a role in every project, or it is not known yet. */
  readonly isEverywhere: boolean;
}

interface Page {
  /** Its code, so that it comes beside the code of all pages. */
  readonly code: () => Promise<unknown>;
  readonly reads: (asked: Asked, ahead: Ahead) => void;
}

const player = () => import('./pages/player/player.tsx');

const PAGES: Readonly<Record<string, Page>> = {
  '/p/$project': {
    code: () => import('./pages/activity.tsx'),
    reads({ view, search, may: mayDo }, ahead) {
      const { who: key, ...asked } = commitFiltersIn(search);
      if (mayDo('history', 'r')) ahead.list(commitsQuery(view, { ...asked, key }));
    },
  },
  '/p/$project/find/$held': {
    code: () => import('./pages/found.tsx'),
    reads: ({ view, params }, ahead) => ahead.read(explainQuery(view, named(params, 'held'))),
  },
  '/p/$project/values': {
    code: () => import('./pages/values/values.tsx'),
    reads: ({ view }, ahead) => ahead.read(valuesQuery(view)),
  },
  '/p/$project/values/$value': {
    code: () => import('./pages/values/value.tsx'),
    reads: ({ view }, ahead) => ahead.read(valuesQuery(view)),
  },
  '/p/$project/definitions/$kind/$id': {
    code: () => import('./pages/definitions/definition.tsx'),
    reads: definitionAhead,
  },
  '/p/$project/publishes': {
    code: () => import('./pages/publishes/publishes.tsx'),
    reads({ view, may: mayDo }, ahead) {
      if (view.at !== undefined || !STAGED.every((scope) => mayDo(scope, 'r'))) return;
      ahead.list(publishesQuery(view));
      ahead.read(differenceQuery(view));
      ahead.read(approvalsQuery(view));
    },
  },
  '/p/$project/economy': {
    code: () => import('./pages/economy/economy.tsx'),
    reads: economyAhead,
  },
  '/p/$project/health': {
    code: () => import('./pages/health/health.tsx'),
    reads({ isEverywhere }, ahead) {
      if (!isEverywhere) return;
      ahead.read(healthQuery);
      ahead.read(PLOT);
    },
  },
  '/p/$project/players/$player': {
    code: () => Promise.all([player(), import('./pages/player/overview.tsx')]),
    reads({ view, params, may: mayDo }, ahead) {
      if (mayDo('players', 'r')) ahead.read(playerQuery(view, named(params, 'player')));
    },
  },
  '/p/$project/players/$player/timeline': {
    code: () => Promise.all([player(), import('./pages/player/timeline.tsx')]),
    reads(asked, ahead) {
      const { view, params, search, may: mayDo } = asked;
      if (mayDo('history', 'r')) ahead.list(timelineQuery(view, named(params, 'player'), timelineIn(search)));
      nameAhead(asked, ahead);
    },
  },
  '/p/$project/players/$player/documents/$collection/$key': {
    code: () => Promise.all([player(), import('./pages/player/document.tsx')]),
    reads(asked, ahead) {
      documentAhead(asked, ahead);
      nameAhead(asked, ahead);
    },
  },
  '/p/$project/players/$player/restore': {
    code: () => Promise.all([player(), import('./pages/player/restore.tsx')]),
    reads(asked, ahead) {
      const { view, params, search, may: mayDo } = asked;
      const to = textIn(search, 'to') ?? view.at;
      const { project, target } = view;
      if (mayDo('restore', 'w') && target === 'live' && to !== undefined) {
        ahead.look(restoreQuery({ project, player: named(params, 'player'), to, policy: 'give' }));
        if (mayDo('history', 'r')) ahead.list(commitsQuery(view, { player: named(params, 'player'), from: sinceOf(to) }));
      }
      nameAhead(asked, ahead);
    },
  },
  '/p/$project/collections/$collection': {
    code: () => import('./pages/collections/collection.tsx'),
    reads({ view, params, search, may: mayDo }, ahead) {
      if (mayDo('collections', 'x') || mayDo('history', 'r')) ahead.list(documentsQuery(view, named(params, 'collection'), listIn(search)));
      if (mayDo('collections', 'r')) ahead.read(collectionsQuery(view));
    },
  },
  '/p/$project/collections/$collection/$key': {
    code: () => import('./pages/collections/record.tsx'),
    reads: documentAhead,
  },
} satisfies Partial<Record<keyof RegisteredRouter['routesByPath'], Page>>;

/** A path of {@link PAGES} names what it holds. */
function named(params: Asked['params'], name: string): string {
  return params[name] ?? '';
}

function nameAhead({ view, params, may: mayDo }: Asked, ahead: Ahead): void {
  if (mayDo('players', 'r')) ahead.read(nameQuery(view, named(params, 'player')));
}

function documentAhead({ view, params, search, may: mayDo }: Asked, ahead: Ahead): void {
  const asked = { collection: named(params, 'collection'), key: named(params, 'key') };
  const a = textIn(search, 'a');
  if (!mayDo('collections', 'x') && !mayDo('history', 'r')) return;
  // What takes longest comes first.
  if (a !== undefined) ahead.read(compareQuery(view, asked, a, textIn(search, 'b') ?? view.at));
  if (mayDo('history', 'r')) ahead.list(historyQuery(view, asked));
  ahead.read(documentQuery(view, asked));
  if (mayDo('collections', 'r')) ahead.read(collectionsQuery(view));
}

/** Of a past moment the page looks for its day first. */
function economyAhead({ view, search, may: mayDo }: Asked, ahead: Ahead): void {
  if (!mayDo('economy', 'r') || view.at !== undefined) return;
  ahead.read(PLOT);
  const { currency: asked, by = 'source', order = 'net', ...days } = economyIn(search);
  const period = periodOf(days, undefined, Date.now());
  const shown = (currency: string) => {
    const of = { currency, ...period };
    ahead.read(daysQuery(view, of));
    ahead.read(supplyQuery(view, currency));
    ahead.below(flowsQuery(view, of, by));
    ahead.below(moversQuery(view, of, order));
  };
  if (asked !== undefined) shown(asked);
  ahead.read(fieldsQuery(view, period), ({ rows }) => {
    const [first] = currenciesOf(rows);
    if (asked === undefined && first !== undefined) shown(first);
  });
}

function definitionAhead({ view, params, search, may: mayDo }: Asked, ahead: Ahead): void {
  const kind = kindNamed(named(params, 'kind'));
  if (kind === undefined || !mayDo(kind.scope, 'r') || textIn(search, 'a') !== undefined) return;
  const show = textIn(search, 'show');
  if (show === undefined) ahead.read(definitionsQuery(view, kind.kind));
  if (show !== 'edit' || view.at !== undefined || !mayDo(kind.scope, 'w')) return;
  ahead.read(definitionsQuery({ ...view, target: 'next' }, kind.kind));
  ahead.read(EDITOR);
  ahead.read(schemaQuery(kind.kind));
}

/** How a page begins to read. */
class Ahead {
  readonly #queries: QueryClient;
  /** Whether it is known who is signed in: nothing is posted before. */
  readonly #isProven: boolean;
  readonly #reads: Promise<void>[] = [];

  constructor(queries: QueryClient, isProven: boolean) {
    this.#queries = queries;
    this.#isProven = isProven;
  }

  /** What is there already is the page's own to read anew. `then`: asks for what depends on it. */
  read<Data, Key extends QueryKey>(query: FetchQueryOptions<Data, Error, Data, Key>, then: (data: Data) => void = nothing): void {
    this.#reads.push(this.#queries.fetchQuery({ ...query, staleTime: Number.POSITIVE_INFINITY }).then(then, nothing));
  }

  list<Data, Key extends QueryKey, Param>(query: FetchInfiniteQueryOptions<Data, Error, Data, Key, Param>): void {
    this.#reads.push(this.#queries.prefetchInfiniteQuery({ ...query, staleTime: Number.POSITIVE_INFINITY }));
  }

  /** What stands below the rest, and is drawn once that is. */
  below<Data, Key extends QueryKey>(query: FetchQueryOptions<Data, Error, Data, Key>): void {
    void this.#queries.prefetchQuery({ ...query, staleTime: Number.POSITIVE_INFINITY });
  }

  /** Until all that stands above has come, or failed. */
  async come(): Promise<void> {
    // More may be asked for meanwhile.
    for (const read of this.#reads) await read;
  }

  /** A look at an act, which is kept while somebody shows it alone: it is held until the page does. */
  look<Data, Key extends QueryKey>(query: QueryObserverOptions<Data, Error, Data, Data, Key>): void {
    const cache = this.#queries.getQueryCache();
    if (!this.#isProven || cache.find({ queryKey: query.queryKey }) !== undefined) return;
    const observer = new QueryObserver(this.#queries, query);
    const held = observer.getCurrentQuery();
    const letGo = observer.subscribe(() => {});
    this.#reads.push(Promise.resolve(held.promise).then(nothing, nothing));
    const stop = cache.subscribe((event) => {
      if (event.query === held && event.type === 'observerAdded') end();
    });
    const timer = setTimeout(() => end(), HELD_MS);
    function end() {
      clearTimeout(timer);
      stop();
      letGo();
    }
  }
}

function nothing(): void {}

/** How long a look is held that no page shows, ms. */
const HELD_MS = 10_000;

/** The place at an address, as the browser tells it; `null`: nothing of its page comes ahead. */
export function placeAt({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Place | null {
  for (const path of Object.keys(PAGES)) {
    const params = paramsIn(path.split('/'), withoutEnd(pathname).split('/'));
    if (params !== null) return { path, params, search: parseSearch(search) };
  }
  return null;
}

function withoutEnd(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** What stands in the place of names; `null`: it is another path. */
function paramsIn(names: readonly string[], parts: readonly string[]): Readonly<Record<string, string>> | null {
  if (names.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const part = parts[place] ?? '';
    if (name.startsWith('$')) params[name.slice(1)] = decoded(part);
    else if (name !== part) return null;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Loads the code of a page. Whether that fails is told where the page shows it. */
export function codeAhead({ path }: Place): void {
  PAGES[withoutEnd(path)]?.code().catch(() => {});
}

/**
 * Asks for what a page shows first: before it is known who is signed in, what whoever was here last might see. Resolves once that has come,
 * or failed.
 */
export async function readAhead(queries: QueryClient, { path, params, search }: Place): Promise<void> {
  const session = queries.getQueryData(sessionQuery.queryKey);
  const project = (session?.projects ?? lastProjects()).find(({ id }) => id === params['project']);
  if (project === undefined) return;
  const view: View = { project: project.id, at: textIn(search, 'at'), target: search['target'] === 'next' ? 'next' : 'live' };
  const asked = {
    ...{ view, params, search },
    may: (scope: string, letter: 'r' | 'w' | 'x') => may(project, scope, letter),
    isEverywhere: session?.person.everywhere !== null,
  };
  const ahead = new Ahead(queries, session !== undefined);
  PAGES[withoutEnd(path)]?.reads(asked, ahead);
  await ahead.come();
}
