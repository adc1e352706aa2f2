/** What of a time line is told as one, by the page of the console and by the command line. */

/** One of what happened: a request that was refused, or something else. */
interface Happened {
  readonly at: string;
  readonly call?: RefusedCall | undefined;
}

interface RefusedCall {
  readonly slug: string | null;
  readonly method: string;
  readonly path: string;
  readonly code: string | null;
  readonly status: number;
}

/** Neighbours that are told as one: requests to the same that were refused alike. Others each alone. All of them, in their order. */
export function folded<Item extends Happened>(items: readonly Item[]): readonly (readonly [Item, ...Item[]])[] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && isAlike(last[0].call, item.call)) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

function isAlike(one: RefusedCall | undefined, other: RefusedCall | undefined): boolean {
  return one !== undefined && other !== undefined && kindOf(one) === kindOf(other);
}

function kindOf({ slug, method, path, code, status }: RefusedCall): string {
  return JSON.stringify([slug ?? [method, path], code ?? status]);
}
