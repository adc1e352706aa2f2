import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetProjects } from './api/session.ts';
import { isAhead, queries } from './early.ts';
import { createConsoleRouter } from './router.tsx';
import { Refused } from './words/refusal.ts';
import './style/base.css';

const router = createConsoleRouter(queries);
// The code of the page, and of what stands around it, takes a moment that the console needs to begin anyway.
const [asked] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of asked) void router.loadRouteChunk(route);

/** Whoever was signed out in the middle signs in again, and arrives where they were. */
queries.getQueryCache().subscribe(({ type, query }) => {
  const error: unknown = query.state.error;
  if (type !== 'updated' || !(error instanceof Refused) || error.refusal.code !== 'SIGNED_OUT') return;
  forgetProjects();
  if (router.state.location.pathname === '/sign-in' || query.queryKey[0] === 'session') return;
  queries.removeQueries({ queryKey: ['session'] });
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href, over: 'yes' }, replace: true });
});

/** How long the page at an address is waited for before what stands around it is drawn alone, ms. */
const TOGETHER_MS = 200;

/** Mostly what the page shows first comes while its code does. Then all of it is drawn, and laid out, once. */
async function draw(root: HTMLElement): Promise<void> {
  await Promise.race([Promise.allSettled([router.load(), isAhead]), new Promise((over) => setTimeout(over, TOGETHER_MS))]);
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

const root = document.getElementById('root');
if (root !== null) void draw(root);
