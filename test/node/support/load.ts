import { type Client, ok } from './game-client.ts';

/** Writers that mark what they write, so that afterwards every write can be told: there once, there twice, not there. */

export interface Load {
  /** Ends the writers and waits for their last answers. */
  stop(): Promise<Outcomes>;
  acknowledged(): number;
}

export interface Outcomes {
  readonly acknowledged: readonly string[];
  /** No answer, or 504: stored or not. */
  readonly unknown: readonly string[];
  /** Status, code and Retry-After of every answer that was not 200. */
  readonly refusals: ReadonlySet<string>;
}

let loads = 0;

/** Starts writers that all increment one document of `counters`; each write pushes a mark of its own. A writer without an answer ends. */
export function startLoad(game: Client, key: string, writers = 6): Load {
  const load = ++loads;
  const acknowledged: string[] = [];
  const unknown: string[] = [];
  const refusals = new Set<string>();
  const state = { going: true };
  const write = async (mark: string) => {
    const ops = [
      { op: 'inc', path: 'n', value: 1 },
      { op: 'push', path: 'marks', value: mark },
    ];
    const reply = await game.play('POST', game.storage(`counters/${key}`), { body: { ops } }).catch(() => null);
    if (reply?.status === 200) {
      acknowledged.push(mark);
      return true;
    }
    if (reply === null || reply.status === 504) unknown.push(mark);
    if (reply === null) return false;
    const { status, headers, body } = reply;
    const retry = headers['retry-after'] === undefined ? '' : ' Retry-After';
    refusals.add(`${status} ${Object(Object(body).error).code}${retry}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return true;
  };
  const writer = async (lane: number) => {
    // The document must stay below its limit of 64 KiB.
    for (let n = 0; state.going && acknowledged.length < 2_500; n++) {
      if (!(await write(`${load}-${lane}-${n}`))) return;
    }
  };
  const running = Promise.all(Array.from({ length: writers }, (_, lane) => writer(lane)));
  return {
    acknowledged: () => acknowledged.length,
    async stop() {
      state.going = false;
      await running;
      return { acknowledged, unknown, refusals };
    },
  };
}

/** What is wrong with the document that a load wrote: empty when every acknowledged write is there once and no other more than once. */
export async function findLosses(game: Client, key: string, outcomes: readonly Outcomes[]): Promise<readonly string[]> {
  const { body } = await ok(game.play('GET', game.storage(`counters/${key}`)));
  const marks: readonly string[] = Object(body).marks;
  const there = new Set(marks);
  const known = new Set(outcomes.flatMap((one) => [...one.acknowledged, ...one.unknown]));
  return [
    ...outcomes.flatMap((one) => one.acknowledged.filter((mark) => !there.has(mark)).map((mark) => `${mark} is lost`)),
    ...[...there].filter((mark) => !known.has(mark)).map((mark) => `${mark} was refused and is there`),
    ...(there.size === marks.length ? [] : [`${marks.length - there.size} marks are there twice`]),
    ...(Object(body).n === marks.length ? [] : [`counted ${Object(body).n}, marked ${marks.length}`]),
  ];
}
