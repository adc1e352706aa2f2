/**
 * Personal values that a person asked to see: of one player, collection or board, for a reason that goes with each read, for some minutes
 * on this page.
 */

/** How long a reason counts, ms. */
export const REVEALED_MS = 10 * 60_000;

interface Revealed {
  readonly reason: string;
  readonly until: number;
}

const revealed = new Map<string, Revealed>();

const keyOf = (project: string, player: string) => JSON.stringify([project, player]);

/** Stands for a collection where a player is named. No player's id holds a blank. */
export function ofCollection(collection: string): string {
  return `of ${collection}`;
}

/** Stands for a leaderboard where a player is named. */
export function ofQuery(query: string): string {
  return `by ${query}`;
}

/** Stands for what somebody holds and looks for where a player is named. */
export function ofHeld(held: string): string {
  return `is ${held}`;
}

/** Shows personal values of a player, {@link ofCollection} or {@link ofQuery}, from now on. The server records each look first. */
export function reveal(project: string, player: string, reason: string): void {
  revealed.set(keyOf(project, player), { reason, until: performance.now() + REVEALED_MS });
}

/** Masks them again. */
export function hide(project: string, player: string): void {
  revealed.delete(keyOf(project, player));
}

/** Masks all of them again: somebody else may sign in on this page. */
export function hideAll(): void {
  revealed.clear();
}

/** Why the personal values of a player are shown; `undefined`: they are masked. */
export function reasonFor(project: string, player: string): string | undefined {
  const found = revealed.get(keyOf(project, player));
  if (found === undefined || found.until < performance.now()) return undefined;
  return found.reason;
}

/**
 * Why a request at this address shows personal values: it names the player in its path, as the key of a document, or in its body; it reads
 * the collection or the board; or it looks for what somebody holds.
 */
export function reasonAt(address: string, body?: unknown): string | undefined {
  const [path = ''] = address.split('?');
  const [, , family, project = '', ...names] = path.split('/').map((part) => decodeURIComponent(part));
  const players = [...names.flatMap((name) => [name, name.split('_')[0] ?? '']), ...playerIn(body)];
  const collection = family === 'storage' ? names[0] : names[0] === 'documents' || names[0] === 'corrections' ? names[1] : undefined;
  const held = family === 'manage' && names[0] === 'explain' ? names[1] : undefined;
  const query = family === 'queries' ? names[0] : undefined;
  return [
    ...players,
    ...(collection === undefined ? [] : [ofCollection(collection)]),
    ...(query === undefined ? [] : [ofQuery(query)]),
    ...(held === undefined ? [] : [ofHeld(held)]),
  ]
    .map((whose) => reasonFor(project, whose))
    .find((reason) => reason !== undefined);
}

/** For whom a button is pressed, or an endpoint is tried. */
function playerIn(body: unknown): readonly string[] {
  if (typeof body !== 'string') return [];
  const sent: unknown = JSON.parse(body);
  if (typeof sent !== 'object' || sent === null) return [];
  return [Reflect.get(sent, 'player'), Reflect.get(sent, 'platformId')].filter((player) => typeof player === 'string');
}
