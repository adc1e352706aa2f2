/** The rows of what happened to a player: which are told as one, and which are new. */

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

/** What was told of several requests: what all of them were told, or how many things it was. */
export function toldText(messages: readonly (string | null)[]): string {
  const said = [...new Set(messages)].filter((message) => message !== null && message !== '');
  return said.length > 1 ? `${said.length} different messages` : (said[0] ?? '');
}

/** One of what happened, by what names it. */
interface Keyed {
  readonly at: string;
  readonly commit?: { readonly revision: number } | undefined;
  readonly call?: { readonly id: string } | undefined;
  readonly report?: { readonly revision: number } | undefined;
}

export function keyOf({ at, commit, call, report }: Keyed): string {
  if (commit !== undefined) return String(commit.revision);
  return call?.id ?? `${at} ${report?.revision}`;
}

/** How far back it is looked for what a list does not have yet, ms: requests and reports are told a little after their time. */
const LATE_MS = 10_000;

/** From when on it is looked for what came since a list was read, newest first; `null`: it shows nothing. */
export function newerFrom(shown: readonly Keyed[]): string | null {
  const newest = shown[0]?.at;
  return newest === undefined ? null : new Date(Date.parse(newest) - LATE_MS).toISOString();
}

/** How many of these a list does not show. */
export function newerAmong(found: readonly Keyed[], shown: readonly Keyed[]): number {
  const known = new Set(shown.map(keyOf));
  return found.filter((each) => !known.has(keyOf(each))).length;
}
