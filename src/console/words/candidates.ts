import { MASK } from './collection.ts';
import { cut, saidValue } from './value.ts';

/** Players who may try an endpoint: who comes first, and what is said of each. */

/** A request of the call log. */
interface Called {
  readonly at: string;
  readonly slug: string | null;
  readonly code: string | null;
  readonly step: string | null;
  readonly platformId: string | null;
}

/** A player who called something lately, and how the last call of the endpoint ended; `null`: the log has none of this player. */
export interface Candidate {
  readonly id: string;
  readonly last: Called | null;
  /** The last call of anything. */
  readonly seen: Called;
}

/**
 * Players for whom an endpoint may go through come first: in turn those for whom it just did, and those who played without it, as some
 * things are done once only. Then those who were refused, who came furthest first. `endpoint`: as it is written. `requests`: the oldest
 * first.
 */
export function candidatesOf(endpoint: Readonly<Record<string, unknown>>, requests: readonly Called[], slug: string): readonly Candidate[] {
  const all = new Map<string, Candidate>();
  for (const request of requests.toReversed()) {
    const { platformId: id } = request;
    if (id === null) continue;
    const known = all.get(id) ?? { id, last: null, seen: request };
    all.set(id, { ...known, last: known.last ?? (request.slug === slug ? request : null) });
  }
  const found = [...all.values()];
  const through = found.filter(({ last }) => last !== null && last.code === null);
  const without = found.filter(({ last }) => last === null);
  const refused = found.filter(({ last }) => last !== null && last.code !== null);
  return [...inTurn(through, without), ...refused.sort((one, other) => depthOf(endpoint, other) - depthOf(endpoint, one))];
}

function inTurn<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, place) =>
    [one[place], other[place]].filter((each) => each !== undefined),
  ).flat();
}

/** How far the steps went before they refused; −1: it is not known, or none began. */
function depthOf({ steps }: Readonly<Record<string, unknown>>, { last }: Candidate): number {
  const [first] = (last?.step ?? '').split(' > ');
  return Array.isArray(steps) ? steps.findIndex((step: unknown) => (step as { readonly id?: unknown } | null)?.id === first) : -1;
}

/** Values that a field may have to part players by it: where each has one of his own, none is like another. */
const MOST_VALUES = 12;

/**
 * Players in an order in which those who differ follow one another: in turn one of each value of the first of these fields that parts them
 * into a few. Who has another value than everybody who was `tried` comes before the others.
 */
export function spreadOut(
  players: readonly string[],
  tried: readonly string[],
  has: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  fields: readonly string[],
): readonly string[] {
  const valueIn = (player: string, field: string) => JSON.stringify(has.get(player)?.[field] ?? null);
  const parting = fields.find((field) => {
    const { size } = new Set([...players, ...tried].map((player) => valueIn(player, field)));
    return size > 1 && size <= MOST_VALUES;
  });
  if (parting === undefined) return players;
  const known = new Set(tried.map((player) => valueIn(player, parting)));
  const turns = new Map<string, number>();
  const placed = players.map((player) => {
    const value = valueIn(player, parting);
    const turn = turns.get(value) ?? 0;
    turns.set(value, turn + 1);
    return { player, turn, isKnown: known.has(value) };
  });
  return placed.sort((one, other) => one.turn - other.turn || Number(one.isKnown) - Number(other.isKnown)).map(({ player }) => player);
}

/** What the log says of a player who may try it. `ago`: times as people say them. */
export function candidateSaid({ last, seen }: Candidate, ago: (at: string) => string): string {
  if (last === null) return `${seen.slug ?? 'a request'} ${ago(seen.at)}, not this`;
  return last.code === null ? `did it ${ago(last.at)}` : `refused ${ago(last.at)}: ${last.code}`;
}

/**
 * What tells a player apart: the first fields of what is stored that say something. Masked ones say nothing. `first`: of these, those that
 * matter here come before the others. `called`: the name, which is told already.
 */
export function factsOf(document: unknown, first: readonly string[] = [], called: string | null = null): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const sorted = Object.entries(document).sort(([one], [other]) => place(one) - place(other));
  const plain = sorted.filter(
    ([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && !UNTOLD.has(value) && value !== called,
  );
  return plain.slice(0, MOST_FACTS).map(([name, value]) => `${name} ${cut(saidValue(value), MOST_TEXT)}`);
}

const MOST_FACTS = 4;
const MOST_TEXT = 24;
/** A masked value, and none. */
const UNTOLD: ReadonlySet<unknown> = new Set([MASK, '']);
