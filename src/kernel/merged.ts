/** Lists that are read page by page, newest first, as one list. */

/** What was read of a list: from its position on. */
export interface PartRead<Item> {
  readonly items: readonly PlacedItem<Item>[];
  /** The position behind all that was read, of which some may not be among the items; `null`: that was the end. */
  readonly next: string | null;
  /** Nothing behind that position is newer. */
  readonly reached: number;
}

export interface PlacedItem<Item> {
  readonly item: Item;
  readonly at: number;
  /** The position behind it. */
  readonly after: string;
}

export interface MergedPage<Item> {
  readonly items: readonly Item[];
  /** Where each list goes on; `null`: it has ended. Where a list gave nothing, the position that it was read from. */
  readonly next: readonly (string | null)[];
  /** Everything newer is known; `null`: that was the end of all. */
  readonly reached: number | null;
}

/**
 * The first of all lists together, as far as it is certain: an item is taken once every list is known down to its time. Of one time,
 * earlier lists come first, so the order is the same however the pages are cut. `positions`: where each list was read from; `null`: it had
 * ended.
 */
export function mergedPage<Item>(parts: readonly PartRead<Item>[], positions: readonly (string | null)[], limit: number): MergedPage<Item> {
  const taken = parts.map(() => 0);
  const items: Item[] = [];
  while (items.length < limit) {
    const place = firstOf(parts, taken);
    const found = place < 0 ? undefined : parts[place]?.items[taken[place] ?? 0];
    if (found === undefined || parts.some((part, other) => mayComeBefore(part, taken[other] ?? 0, found.at, other < place))) break;
    items.push(found.item);
    taken[place] = (taken[place] ?? 0) + 1;
  }
  const next = parts.map((part, place) => nextOf(part, taken[place] ?? 0, positions[place] ?? null));
  const open = parts.flatMap((part, place) => {
    const found = part.items[taken[place] ?? 0];
    if (found !== undefined) return [found.at];
    return part.next === null ? [] : [part.reached];
  });
  return { items, next, reached: open.length === 0 ? null : Math.max(...open) };
}

/** The list whose first item that is left is the newest; −1: none is left. */
function firstOf<Item>(parts: readonly PartRead<Item>[], taken: readonly number[]): number {
  let [place, newest] = [-1, Number.NEGATIVE_INFINITY];
  for (const [other, { items }] of parts.entries()) {
    const at = items[taken[other] ?? 0]?.at;
    if (at !== undefined && at > newest) [place, newest] = [other, at];
  }
  return place;
}

/** Whether what was not read of a list may stand before an item of that time. */
function mayComeBefore<Item>({ items, next, reached }: PartRead<Item>, taken: number, at: number, isEarlier: boolean): boolean {
  if (next === null || taken < items.length) return false;
  return reached > at || (reached === at && isEarlier);
}

function nextOf<Item>({ items, next }: PartRead<Item>, taken: number, position: string | null): string | null {
  if (taken === items.length) return next;
  return items[taken - 1]?.after ?? position;
}
