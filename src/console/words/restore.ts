import { isSmaller } from './amount.ts';
import { typeOf } from './value.ts';

/** What a restore brings back unless somebody chooses otherwise: what is less now than it was then. */

interface Difference {
  readonly path: string;
  /** Now. */
  readonly from?: unknown;
  /** Then. */
  readonly to?: unknown;
}

interface Restorable {
  readonly documents: readonly { readonly collection: string; readonly changes: readonly Difference[] }[];
}

export interface Unticked {
  /** Collections that stay as they are. */
  readonly out: readonly string[];
  /** Paths that stay as they are. */
  readonly keep: readonly string[];
}

/** What stays as it is at first. A path counts for all documents that have it, so it is brought back only where each of them lost there. */
export function untickedAtFirst({ documents }: Restorable): Unticked {
  const all = documents.flatMap(({ collection, changes }) => changes.map((change) => ({ collection, ...change })));
  const stays = all.filter(({ from, to }) => !isLost(from, to));
  const out = stays.filter(({ path }) => path === '').map(({ collection }) => collection);
  return { out: [...new Set(out)], keep: [...new Set(stays.map(({ path }) => path))].filter((path) => path !== '') };
}

/** Whether what is there now is less than it was: bringing back the earlier value takes nothing that came since. */
export function isLost(now: unknown, then: unknown): boolean {
  if (now === undefined) return then !== undefined;
  const kind = typeOf(now);
  if (kind !== typeOf(then)) return false;
  if (kind === 'number') return isSmaller(now, then);
  if (Array.isArray(now) && Array.isArray(then)) return now.length < then.length && holdsAll(then, now);
  return kind === 'object' && isLostIn(Object(now), Object(then));
}

type Members = Readonly<Record<string, unknown>>;

function isLostIn(now: Members, then: Members): boolean {
  const differing = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => !isSame(now[name], then[name]));
  return differing.length > 0 && differing.every((name) => isLost(now[name], then[name]));
}

/** Whether each of the entries stands in the list, as often as it is among them. */
function holdsAll(list: readonly unknown[], entries: readonly unknown[]): boolean {
  const left = list.map((entry) => JSON.stringify(entry));
  return entries.every((entry) => {
    const place = left.indexOf(JSON.stringify(entry));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
