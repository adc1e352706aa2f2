import { folded, goingOn } from '../../contract/told-as-one.ts';

/** The rows of what happened: which calls are told as one, what they were told, and which are new. */

/** Calls, newest first, as the rows that tell them. `isMore`: there are older ones, so that the last rows may go on. */
export function foldedCalls<Call extends ToldCall>(calls: readonly Call[], isMore: boolean) {
  const items = calls.map((call) => ({ call }));
  const open = isMore ? goingOn(items) : null;
  return folded(items).map((group) => {
    const [{ call }, ...others] = group;
    const requests: readonly [Call, ...Call[]] = [call, ...others.map((each) => each.call)];
    return { requests, isGoingOn: open?.has(group[0]) ?? false };
  });
}

/** How many requests a row is of. `isGoingOn`: there may be more of them behind the end of the list. */
export function timesText(requests: number, isGoingOn: boolean): string {
  return isGoingOn ? `${requests} times or more` : `${requests} times`;
}

type ToldCall = NonNullable<Parameters<typeof folded>[0][number]['call']>;

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
