import { stepOf } from './calls.ts';
import { cut, isSameText, saidValue } from './value.ts';

/** A dry run in words: for whom it told nothing new, and what was worked out on the way. */

/** By which code somebody was refused, and what the game says then. */
export interface HowRefused {
  readonly code: string;
  readonly why: string;
}

interface Ended {
  /** Whether the run that is shown was refused, or came to the same as on live. */
  readonly isRefused: boolean;
  readonly isNothingNew: boolean;
  /** Whether it was refused, and live answers something else, such as another price. */
  readonly isOtherwise?: boolean;
  /** All that were refused, and how many came to the same as on live; what is shown is among them. */
  readonly refused: readonly HowRefused[];
  readonly same: number;
  /** Whether it can be tried as if the player had something else. */
  readonly isElseOffered: boolean;
}

/** For how many players a run told nothing new; empty: what is shown says it alone. */
export function othersSaid({ isRefused, isNothingNew, isOtherwise = false, refused, same, isElseOffered }: Ended): string {
  const codes = refusedSaid(refused);
  const toDo = isElseOffered ? [WHAT_SHOWS_IT] : [];
  if (isOtherwise) {
    const counts = same === 0 ? [] : [`Live and next come to the same for ${playersSaid(same)} for whom it goes through.`];
    const all = refused.length > 1 ? [`It would be refused for ${playersSaid(refused.length)} that it was tried for: ${codes}.`] : [];
    return ['Live answers this player something else, as it stands below.', ...counts, ...all].join(' ');
  }
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

/**
 * How much a run on next tells of what becomes another. 3: it goes through, and not as on live. 2: it is refused, and not as on live. 1: it
 * goes through as on live. 0: it is refused as on live.
 */
export function tellingOf(next: CameOut, live: CameOut | null | undefined): 0 | 1 | 2 | 3 {
  const isOther = !isSameOnLive(next, live);
  if (next.result?.ok === true) return isOther ? 3 : 1;
  return isOther && live !== undefined && live !== null ? 2 : 0;
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
