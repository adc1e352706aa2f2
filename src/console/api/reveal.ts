/**
 * Personal values that a person asked to see, or to be told of: of one player, collection or board, for a reason that goes with each
 * request, for some minutes on this page.
 */

/** How long a reason counts, ms. */
export const REVEALED_MS = 10 * 60_000;

interface Revealed {
  readonly reason: string;
  readonly until: number;
}

const revealed = new Map<string, Revealed>();

const watching = new Set<() => void>();

/** Calls back at each change of what is revealed, until what it gives is called. */
export function watchRevealed(changed: () => void): () => void {
  watching.add(changed);
  return () => void watching.delete(changed);
}

function told(): void {
  for (const changed of watching) changed();
}

const keyOf = (project: string, player: string) => JSON.stringify([project, player]);

/** What personal values are of, besides players. */
type Kind = 'collection' | 'board' | 'held' | 'currency' | 'endpoint' | 'undone commit';

/** Stands where a player is named for something else. No player's id holds a blank. */
export function ofKind(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}

/** Stands for what would be staged or published where a player is named. */
export const OF_PUBLISHING = 'of all that is published';

/** Tells of personal values of a player, or of {@link ofKind}, from now on. The server records each look first. */
export function reveal(project: string, player: string, reason: string): void {
  revealed.set(keyOf(project, player), { reason, until: performance.now() + REVEALED_MS });
  told();
}

/** Masks them again. */
export function hide(project: string, player: string): void {
  revealed.delete(keyOf(project, player));
  told();
}

/** Masks all of them again: somebody else may sign in on this page. */
export function hideAll(): void {
  revealed.clear();
  told();
}

/** Why the personal values of a player are shown; `undefined`: they are masked. */
export function reasonFor(project: string, player: string): string | undefined {
  const found = revealed.get(keyOf(project, player));
  if (found === undefined || found.until < performance.now()) return undefined;
  return found.reason;
}

const TELLING = /^\/v3\/manage\/[^/]+\/(?:corrections|buttons|test-endpoint|promote|rollback|sync|undo|players\/[^/]+\/restore)(?:\/|\?|$)/;

/**
 * Whether what is sent to this address tells what is stored, as a read does: what comes of a correction of a personal field, of logic that
 * reads one, or of a publish of one, tells what stands there.
 */
export function tellsOfStored(address: string): boolean {
  return TELLING.test(address);
}

/**
 * Why a request at this address tells of personal values: it names the player in its path, as the key of a document, or in its body; it
 * reads the collection, the board or the currency; it looks for what somebody holds; it tries the endpoint, undoes the commit, or
 * publishes.
 */
export function reasonAt(address: string, body?: unknown): string | undefined {
  const [path = '', query] = address.split('?');
  const [, , family, project = '', ...names] = path.split('/').map((part) => decodeURIComponent(part));
  const [first = '', second] = names;
  const sent = PUBLISHING.includes(first) ? {} : objectIn(body);
  const players = [...names.flatMap((name) => [name, name.split('_')[0] ?? '']), ...textsIn(sent, ['player', 'platformId'])];
  return [...players, ...(family === 'manage' ? ofManaged({ first, second, query, sent }) : ofPlain(family, first))]
    .map((whose) => reasonFor(project, whose))
    .find((reason) => reason !== undefined);
}

function ofPlain(family: string | undefined, first: string): readonly string[] {
  if (family === 'storage') return [ofKind('collection', first)];
  return family === 'queries' ? [ofKind('board', first)] : [];
}

interface Managed {
  readonly first: string;
  readonly second: string | undefined;
  readonly query: string | undefined;
  readonly sent: object;
}

const PUBLISHING: readonly string[] = ['promote', 'rollback', 'sync'];

function ofManaged({ first, second, query, sent }: Managed): readonly string[] {
  if (PUBLISHING.includes(first)) return [OF_PUBLISHING];
  if (first === 'economy') return new URLSearchParams(query).getAll('currency').map((currency) => ofKind('currency', currency));
  if (first === 'test-endpoint') return textsIn(sent, ['slug']).map((slug) => ofKind('endpoint', slug));
  if (first === 'undo') return [ofKind('undone commit', String(Reflect.get(sent, 'revision')))];
  if (second === undefined) return [];
  if (first === 'buttons') return [ofKind('endpoint', second)];
  if (first === 'documents' || first === 'corrections') return [ofKind('collection', second)];
  return first === 'explain' ? [ofKind('held', second)] : [];
}

function objectIn(body: unknown): object {
  const sent: unknown = typeof body === 'string' ? JSON.parse(body) : null;
  return typeof sent === 'object' && sent !== null ? sent : {};
}

function textsIn(sent: object, names: readonly string[]): readonly string[] {
  return names.map((name) => Reflect.get(sent, name)).filter((text) => typeof text === 'string');
}
