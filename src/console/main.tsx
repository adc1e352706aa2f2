import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isAway, Refused } from './api/refusal.ts';
import { sessionQuery } from './api/session.ts';
import { createConsoleRouter } from './router.tsx';
import './style/base.css';

/** How often a read is tried again that found the server away or busy. */
const RETRIES = 2;

/**
 * The server may run on this very machine, so a browser without a network asks all the same. And a change that found no server is over: by
 * itself it is not sent again, when whoever made it may have left.
 */
const networkMode = 'always';

const queries = new QueryClient({
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => count < RETRIES && isAway(error),
    },
  },
});
// Both take a moment that the page needs to begin anyway: who is signed in, and below the code of what is asked for.
void queries.prefetchQuery(sessionQuery);
const router = createConsoleRouter(queries);
const [asked] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of asked) void router.loadRouteChunk(route);

/** Whoever was signed out in the middle signs in again, and arrives where they were. */
queries.getQueryCache().subscribe(({ type, query }) => {
  const error: unknown = query.state.error;
  if (type !== 'updated' || !(error instanceof Refused) || error.refusal.code !== 'SIGNED_OUT') return;
  if (router.state.location.pathname === '/sign-in' || query.queryKey[0] === 'session') return;
  queries.removeQueries({ queryKey: ['session'] });
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href }, replace: true });
});

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
