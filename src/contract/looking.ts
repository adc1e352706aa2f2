import { OF_PERSONS } from './families.ts';
import type { Route } from './route.ts';

/**
 * Whose data a route shows, by what its request and answer say: who looks at one player's data is recorded, where it is a person. Made of
 * the routes themselves, so that a new one is not forgotten.
 */

/**
 * Where a player is named: `player` and `key` in the path (a document's key begins with its player), a query parameter, the player that the
 * request is made for, topics of a stream, the answer alone, or a list of players.
 */
export type Naming = 'player' | 'key' | 'query' | 'claim' | 'topic' | 'answer' | 'list';

/**
 * What a person's request can ask of documents, so that what comes of it tells what stands there, whether it is shown or not. `nothing`:
 * the route is about what the game is made of. `named`: of what its query and its body name. `run`: logic of the game runs with what is
 * sent, and compares it with anything. A new route asks for what it names until it is said here that it does not.
 */
export type Asking = 'nothing' | 'named' | 'run';

/** Tags of routes about definitions, in live and staged. */
const OF_THE_GAME: ReadonlySet<string> = new Set(['Definitions', 'Publishing']);
/** Other routes about what the game is made of, and about the project itself. */
const OF_THE_PROJECT: ReadonlySet<string> = new Set([
  ...['changeSettings', 'readSettings', 'readConfig', 'listKeys', 'revokePublicKey', 'validateKeys'],
  ...['readPackage', 'syncPackage', 'initRevision', 'findNames', 'listTests', 'putTests', 'suggestTests'],
]);

export function askingOf({ id, tag, family }: Route): Asking {
  if (!OF_PERSONS.includes(family) || family === 'values') return 'nothing';
  if (tag === 'Endpoints' || id === 'testEndpoint') return 'run';
  return OF_THE_GAME.has(tag) || OF_THE_PROJECT.has(id) ? 'nothing' : 'named';
}

/** Whether answers of the route may hold values of players, or tell of them: personal ones are masked for people. */
export function tellsOfPlayers(route: Route): boolean {
  return askingOf(route) !== 'nothing';
}

/**
 * Of some routes one parameter alone says by which field documents are chosen: others are values and columns, which are masked. Of some
 * none does: a player or an endpoint may be called as a field is.
 */
const CHOOSING: Readonly<Record<string, readonly string[]>> = {
  listDocuments: ['by'],
  exportDocuments: ['by'],
  findPlayers: [],
  readLogs: [],
};

/** The query parameters that say by which field rows are chosen or ordered; `null`: any of them may. */
export function choosingIn({ id }: Route): readonly string[] | null {
  return CHOOSING[id] ?? null;
}

/** What games report is compared with no document, whatever it names. */
const REPORTS: ReadonlySet<string> = new Set(['trackEvent', 'sendHeartbeat']);

/** Whether members of a body are, or may be, fields of documents. */
export function namesFields({ id }: Route): boolean {
  return !REPORTS.has(id);
}

/** Whether a person may say why in `x-ns-reveal`, for what would not be told otherwise. */
export function takesReason(route: Route): boolean {
  return tellsOfPlayers(route) || route.errors.includes('REVEAL_NEEDED');
}

/** Query parameters that name a player. */
export const PLAYER_QUERIES = ['player', 'platformId'] as const;

/** Where requests of the route, or their answers, name the player whose data is shown. Empty: none, or many players. */
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
