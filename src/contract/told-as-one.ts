/** What the pages of the console and the command line tell alike: which calls are told as one, and which commits changed nothing. */

/** One of what happened: a request, or something else. */
interface Happened {
  readonly at?: string;
  readonly call?: ToldCall | undefined;
}

interface ToldCall {
  readonly slug: string | null;
  readonly method: string;
  readonly path: string;
  /** `null`: it succeeded. */
  readonly code: string | null;
  readonly status: number;
  readonly platformId?: string | null;
}

/**
 * Rows of what happened: requests of one player to the same that were refused alike are one row, where the newest of them stands, also
 * where others were refused between them. Those that succeeded are one where nothing stands between them. The rest each alone.
 */
export function folded<Item extends Happened>(items: readonly Item[]): readonly (readonly [Item, ...Item[]])[] {
  const groups: [Item, ...Item[]][] = [];
  // Groups of the run that goes on, by what they are of.
  const open = new Map<string, [Item, ...Item[]]>();
  let run: string | null = null;
  for (const item of items) {
    const kind = item.call === undefined ? null : kindOf(item.call);
    const runs = runOf(item);
    if (runs === null || runs !== run) open.clear();
    run = runs;
    const known = kind === null ? undefined : open.get(kind);
    if (known !== undefined) {
      known.push(item);
      continue;
    }
    const group: [Item, ...Item[]] = [item];
    groups.push(group);
    if (kind !== null) open.set(kind, group);
  }
  return groups;
}

/** Those of a list that goes on whose rows may have more of them behind its end. */
export function goingOn<Item extends Happened>(items: readonly Item[]): ReadonlySet<Item> {
  const last = items.at(-1);
  const run = last === undefined ? null : runOf(last);
  return new Set(run === null ? [] : items.slice(items.findLastIndex((item) => runOf(item) !== run) + 1));
}

/** A run of whatever was refused. */
const REFUSED = 'refused';

/** What neighbours of it are to be so that it is told with one behind them; `null`: it is told alone. */
function runOf({ call }: Happened): string | null {
  if (call === undefined) return null;
  return call.code === null ? kindOf(call) : REFUSED;
}

function kindOf({ slug, method, path, code, status, platformId = null }: ToldCall): string {
  return JSON.stringify([slug ?? [method, path], code ?? status, platformId]);
}

/** Whether nothing of a commit is in the log but its answer, for whoever asks again with the same key: it was a look, or was refused. */
export function isOnlyAnswered({ events }: { readonly events: readonly string[] }): boolean {
  return events.length > 0 && events.every((event) => event === 'answer.kept');
}

/** What is said of such a commit. */
export const ONLY_ANSWERED = 'a look, or refused: nothing changed';
