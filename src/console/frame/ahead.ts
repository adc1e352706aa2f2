import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';
import { may, sessionQuery } from '../api/session.ts';
import type { View, ViewSearch } from './view.ts';

/** What a page shows is asked for while its code is loaded, once it is known who is signed in. The page then finds it, or waits for the rest of it. */

interface Asked {
  readonly context: { readonly queries: QueryClient };
  readonly params: { readonly project: string };
  readonly deps: ViewSearch;
}

export function viewOf({ params: { project }, deps: { at, target } }: Pick<Asked, 'params' | 'deps'>): View {
  return { project, at, target: target ?? 'live' };
}

export function ahead<Data, Key extends QueryKey>({ context }: Asked, query: FetchQueryOptions<Data, Error, Data, Key>): void {
  void context.queries.prefetchQuery(query);
}

export function firstPageAhead<Data, Key extends QueryKey, Param>(
  { context }: Asked,
  query: FetchInfiniteQueryOptions<Data, Error, Data, Key, Param>,
): void {
  void context.queries.prefetchInfiniteQuery(query);
}

/** Whether the person may: what would be refused is not asked for. */
export function mayAsk({ context, params }: Asked, scope: string, letter: 'r' | 'w' | 'x'): boolean {
  const session = context.queries.getQueryData(sessionQuery.queryKey);
  const project = session?.projects.find(({ id }) => id === params.project);
  return project !== undefined && may(project, scope, letter);
}
