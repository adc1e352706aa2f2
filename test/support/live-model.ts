/** What a project's streams must say, in the plainest way: all that was done is done again up to the revision asked for. */

export type Target = 'live' | 'next';

interface State {
  readonly docs: Readonly<Record<Target, Map<string, number>>>;
  readonly isOpen: Record<Target, boolean>;
  /** Whether the access of `docs` is staged. */
  isStaged: boolean;
  readonly axe: Record<Target, number>;
  readonly gold: Map<string, number>;
  readonly entries: Map<string, number[]>;
  /** Names of the save records; `null`: `next` has none of its own and shows those of live. */
  readonly slots: { live: readonly string[]; next: readonly string[] | null };
  readonly publishes: number[];
}

export type Doing = (state: State, revision: number) => void;

/** Rows of the board's page, and on either side of the player. */
const PAGE = 3;
const AROUND = 1;

export class LiveModel {
  readonly player: string;
  readonly #done: { readonly revision: number; readonly doing: Doing }[] = [];

  constructor(player: string) {
    this.player = player;
  }

  done(revision: number, doing: Doing): void {
    this.#done.push({ revision, doing });
  }

  get head(): number {
    return this.#done.at(-1)?.revision ?? -1;
  }

  at(revision: number): State {
    const state: State = {
      docs: { live: new Map(), next: new Map() },
      isOpen: { live: true, next: true },
      isStaged: false,
      axe: { live: 0, next: 0 },
      gold: new Map(),
      entries: new Map(),
      slots: { live: [], next: null },
      publishes: [],
    };
    for (const { revision: then, doing } of this.#done) if (then <= revision) doing(state, then);
    return state;
  }

  /** What a topic shows as of a revision, as {@link shownIn} sees it. */
  shows(topic: string, target: Target, revision: number): unknown {
    const { docs, axe, gold, entries, slots, publishes } = this.at(revision);
    const [kind = '', , key = ''] = topic.split(/[/?]/);
    if (kind === 'documents') return (target === 'next' ? docs.next.get(key) : undefined) ?? docs.live.get(key) ?? null;
    if (kind === 'values') return axe[target];
    if (kind === 'records') return target === 'next' ? (slots.next ?? slots.live) : slots.live;
    if (kind === 'ledger') {
      const all = entries.get(this.player) ?? null;
      return topic.includes('order=desc') ? (all?.toReversed().slice(0, PAGE) ?? null) : all;
    }
    if (kind === 'publishes') return publishes.toReversed().slice(0, PAGE);
    const rows = [...gold].sort(([, one], [, other]) => other - one).map(([player]) => player);
    const own = rows.indexOf(this.player);
    const [from, to] = topic.includes('around') ? [Math.max(own - AROUND, 0), own < 0 ? 0 : own + AROUND + 1] : [0, PAGE];
    return rows.slice(from, to).map((player) => gold.get(player));
  }
}

/** What the model says of, in a value that came. */
export function shownIn(topic: string, value: unknown): unknown {
  const [kind = ''] = topic.split(/[/?]/);
  const found = Object(value);
  const each = (list: readonly unknown[] | undefined, name: string) => list?.map((one) => Object(one)[name]) ?? null;
  if (kind === 'documents') return found.n ?? null;
  if (kind === 'values') return found.constants.shop.axe;
  if (kind === 'records') return each(found.records, 'recordName');
  if (kind === 'ledger') return each(found.entries, 'after');
  if (kind === 'publishes') return each(found.publishes, 'revision');
  return each(found.entries, 'value');
}
