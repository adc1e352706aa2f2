import { focusManager, QueryClient } from '@tanstack/react-query';
import { codeAhead, placeAt, readAhead } from './ahead.ts';
import { whenBack } from './api/attended.ts';
import { sessionQuery } from './api/session.ts';
import { isAway } from './words/refusal.ts';

/**
 * The first that runs, and small: while the code of the console is loaded, it asks who is signed in, and for the code of the page at this
 * address and what that will show.
 */

/** How often a read is tried again that found the server away or busy. */
const RETRIES = 2;

/**
 * The server may run on this very machine, so a browser without a network asks all the same. And a change that found no server is over: by
 * itself it is not sent again, when whoever made it may have left.
 */
const networkMode = 'always';

export const queries = new QueryClient({
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

// What is shown may be old by then.
focusManager.setEventListener((handleFocus) => whenBack(() => handleFocus()));

const place = placeAt(window.location);
// Whoever comes to sign in is not signed in: the question would be refused.
const known = window.location.pathname === '/sign-in' ? Promise.resolve() : queries.prefetchQuery(sessionQuery);
/** Until what the page at this address shows first is there. */
export const isAhead = known.then(() => (place === null ? undefined : readAhead(queries, place)));
if (place !== null) {
  void readAhead(queries, place);
  codeAhead(place);
}
