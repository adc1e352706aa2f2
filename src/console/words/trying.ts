import { stepOf } from './calls.ts';
import { MASK } from './collection.ts';
import { cut, isSameText, saidValue } from './value.ts';

/** A dry run in words: who may try it, and what was worked out on the way. */

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
 * matter here come before the others.
 */
export function factsOf(document: unknown, first: readonly string[] = []): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  const place = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  const sorted = Object.entries(document).sort(([one], [other]) => place(one) - place(other));
  const plain = sorted.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && !UNTOLD.has(value));
  return plain.slice(0, MOST_FACTS).map(([name, value]) => `${name} ${cut(saidValue(value), MOST_TEXT)}`);
}

const MOST_FACTS = 4;
const MOST_TEXT = 24;
/** A masked value, and none. */
const UNTOLD: ReadonlySet<unknown> = new Set([MASK, '']);

/** By which code somebody was refused, and what the game says then. */
export interface HowRefused {
  readonly code: string;
  readonly why: string;
}

interface Ended {
  /** Whether the run that is shown was refused, or came to the same as on live. */
  readonly isRefused: boolean;
  readonly isNothingNew: boolean;
  /** All that were refused, and how many came to the same as on live; what is shown is among them. */
  readonly refused: readonly HowRefused[];
  readonly same: number;
  /** Whether it can be tried as if the player had something else. */
  readonly isElseOffered: boolean;
}

/** For how many players a run told nothing new; empty: what is shown says it alone. */
export function othersSaid({ isRefused, isNothingNew, refused, same, isElseOffered }: Ended): string {
  const codes = refusedSaid(refused);
  const toDo = isElseOffered ? [WHAT_SHOWS_IT] : [];
  if (isRefused)
    return refused.length > 1 ? [`It would be refused for all ${refused.length} that it was tried for: ${codes}.`, ...toDo].join(' ') : '';
  const others = refused.length === 0 ? [] : [`It was refused for ${playersSaid(refused.length)}: ${codes}.`];
  if (!isNothingNew) return others.join(' ');
  const tried = refused.length + same;
  if (tried === 1) return 'Live and next come to the same for this player.';
  const none = `${tried} players were tried, and none shows a difference.`;
  const equal = `Live and next come to the same for ${same === 1 ? 'the one' : `the ${same}`} for whom it goes through.`;
  return [none, equal, ...others, ...toDo].join(' ');
}

const WHAT_SHOWS_IT = 'What leads to the change shows it: try it as if the player had that, such as one level less, or more money.';

function playersSaid(count: number): string {
  return count === 1 ? 'one player' : `${count} players`;
}

/** How often codes refused, the most frequent first, with what the game says: `9 times BEST_AXE “You own the best axe.”, once POOR`. */
export function refusedSaid(refused: readonly HowRefused[]): string {
  const counts = new Map<string, { readonly count: number; readonly why: string }>();
  for (const { code, why } of refused) counts.set(code, { count: (counts.get(code)?.count ?? 0) + 1, why: counts.get(code)?.why ?? why });
  const sorted = [...counts].sort(([, one], [, other]) => other.count - one.count);
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
  return sorted.map(([code, { count, why }]) => `${times(count)} ${code || 'refused'}${why === '' ? '' : ` “${why}”`}`).join(', ');
}

/** What came of a dry run. */
interface CameOut {
  readonly result?: { readonly ok: boolean; readonly body: unknown };
  readonly pendingWrites?: readonly unknown[];
}

/** Whether a run on next answers and writes what it does on live. `live` `null`: live has no such endpoint. */
export function isSameOnLive(next: CameOut, live: CameOut | null | undefined): boolean {
  if (live === undefined || live === null) return false;
  const what = ({ result, pendingWrites = [] }: CameOut) => [result?.ok, result?.body, pendingWrites];
  return isSameText(what(next), what(live));
}

/** A step of a dry run. */
type Ran = Readonly<Record<string, unknown>>;

export interface WorkedOut {
  readonly name: string;
  /** As it is written, without the braces; `null`: it is no formula. */
  readonly formula: string | null;
  readonly value: string;
  /** What live comes to, where that is another. */
  readonly live: string | null;
}

/** Steps whose result is worked out, and not what is stored or sent. */
const WORKING = [
  'transform',
  'compute',
  'lookup',
  'lookup_many',
  'object',
  'array',
  'merge',
  'switch',
  'filter',
  'sort',
  'workflow',
  'call',
  'block',
];
/** Lines of one run, and characters of a value. */
const MOST_LINES = 20;
const MOST_VALUE = 160;

/**
 * What steps worked out, in their order, with the formula of each. `live`: the steps of the same run on live; of what both have as several
 * members, those that differ are told alone.
 */
export function workedOut(endpoint: Ran, steps: readonly Ran[], live: readonly Ran[] | null): readonly WorkedOut[] {
  const before = new Map(live === null ? [] : numbered(live));
  const lines = numbered(steps).flatMap(([key, step]) => {
    if (!WORKING.includes(String(step['type'])) || step['result'] == null || step['passed'] === false) return [];
    const other = before.get(key)?.['result'];
    return linesOf({ name: String(step['id']), formula: formulaOf(endpoint, String(step['id'])) }, step['result'], other);
  });
  return lines.slice(0, MOST_LINES);
}

/** Steps by their id and how often it ran before. */
function numbered(steps: readonly Ran[]): readonly (readonly [string, Ran])[] {
  const times = new Map<string, number>();
  return steps.map((step) => {
    const id = String(step['id']);
    const time = times.get(id) ?? 0;
    times.set(id, time + 1);
    return [`${id} ${time}`, step];
  });
}

function linesOf(about: Pick<WorkedOut, 'name' | 'formula'>, value: unknown, live: unknown): readonly WorkedOut[] {
  if (live === undefined || isSameText(value, live)) return [{ ...about, value: said(value), live: null }];
  const [own, other] = [membersOf(value), membersOf(live)];
  if (own === null || other === null) return [{ ...about, value: said(value), live: said(live) }];
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])].filter((name) => !isSameText(own[name], other[name]));
  return names.map((name) => ({ ...about, name: `${about.name} › ${name}`, value: said(own[name]), live: said(other[name]) }));
}

function said(value: unknown): string {
  return cut(saidValue(value), MOST_VALUE);
}

function membersOf(value: unknown): Ran | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Ran) : null;
}

function formulaOf(endpoint: Ran, id: string): string | null {
  const step = stepOf(endpoint, id);
  const written = step?.['expression'] ?? step?.['value'];
  return typeof written === 'string' ? written.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, '$1') : null;
}
