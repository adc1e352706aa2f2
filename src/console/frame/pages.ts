import { useSuspenseQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { useMay } from './view.ts';

/**
 * The pages of a project, in the order of the navigation and of the palette. `about`: what one comes for, also as words to find it by.
 * `needs`: what one has to be allowed to read. `isOfAll`: it shows every project at once, and takes a role in all.
 */
const PAGES = [
  { to: '/p/$project', name: 'Activity', about: 'what happened: commits, who, when' },
  { to: '/p/$project/players', name: 'Players', about: 'find a player by name', needs: 'players' },
  { to: '/p/$project/publishes', name: 'Publishes', about: 'what is staged, make it live, promote, history, roll back' },
  { to: '/p/$project/values', name: 'Values', about: 'prices, chances and tables of the game, as a grid' },
  { to: '/p/$project/calls', name: 'Calls', about: 'calls and errors by endpoint and code, try an endpoint out' },
  { to: '/p/$project/economy', name: 'Economy', about: 'money: supply, sources, sinks, alarms', needs: 'economy' },
  { to: '/p/$project/collections', name: 'Collections', about: 'documents and records as a table, sort, export', needs: 'collections' },
  { to: '/p/$project/boards', name: 'Boards', about: 'leaderboards: who stands where, and why', needs: 'queries' },
  { to: '/p/$project/definitions', name: 'Definitions', about: 'source of all definitions, history, editor' },
  { to: '/p/$project/health', name: 'Health', about: 'processes, lag, jobs, checks of the installation', isOfAll: true },
  { to: '/p/$project/keys', name: 'Keys', about: 'API keys, what they may do, when they were used last', needs: 'settings' },
  { to: '/p/$project/looked', name: 'Who looked', about: 'which person looked at which player, when and why', needs: 'access' },
  {
    to: '/p/$project/people',
    name: 'People',
    about: 'who may sign in, roles, sessions, invitations, who gave which role',
    needs: 'people',
  },
] as const;

/** The pages that show something to whoever is signed in. */
export function usePages() {
  const mayDo = useMay();
  const isEverywhere = useSuspenseQuery(sessionQuery).data.person.everywhere !== null;
  return PAGES.filter((page) => (!('needs' in page) || mayDo(page.needs, 'r')) && (!('isOfAll' in page) || isEverywhere));
}
