import type { Route } from './route.ts';

/**
 * Whose data a route shows, by what its request and answer say: who looks at one player's data is recorded, where it is a person. Made of the routes
 * themselves, so that a new one is not forgotten.
 */

/**
 * Where a player is named: `player` and `key` in the path (a document's key begins with its player), a query parameter, the player that the request is
 * made for, topics of a stream, the answer alone, or a list of players.
 */
export type Naming = 'player' | 'key' | 'query' | 'claim' | 'topic' | 'answer' | 'list';

/** Tags of routes that show what players have, also of many at once. */
const OF_PLAYERS: ReadonlySet<string> = new Set([
  'Documents',
  'Save records',
  'Global records',
  'Endpoints',
  'Queries and values',
  'Live',
  'Players',
]);

/** Whether answers of the route may hold values of players: personal ones are masked for people. */
export function showsPlayers(route: Route): boolean {
  return namingsOf(route).length > 0 || (OF_PLAYERS.has(route.tag) && route.family !== 'values');
}

/** Query parameters that name a player. */
export const PLAYER_QUERIES = ['player', 'platformId'] as const;

/** Where requests of the route, or their answers, name the player whose data is shown. Empty: it shows what the game is made of, or many players. */
export function namingsOf({ path, query = {}, headers = {}, family, tag, method }: Route): readonly Naming[] {
  const segments = path.split('/');
  const isByAnswer =
    [':held', 'record', 'documents'].some((name) => segments.includes(name)) ||
    (segments.includes('buttons') && method === 'POST') ||
    tag === 'Corrections' ||
    (tag === 'Tests' && method === 'POST');
  const namings: readonly (readonly [Naming, boolean])[] = [
    ['player', segments.includes(':player')],
    ['key', segments.includes(':key') && !isByAnswer],
    ['query', PLAYER_QUERIES.some((name) => Object.hasOwn(query, name))],
    ['claim', Object.hasOwn(headers, 'x-platform-id') && family !== 'live'],
    ['topic', Object.hasOwn(query, 'topic')],
    ['answer', isByAnswer],
    ['list', path.endsWith('/players')],
  ];
  return namings.flatMap(([naming, has]) => (has ? [naming] : []));
}
