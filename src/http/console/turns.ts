import { Bulkhead } from '../../kernel/bulkhead.ts';

/** Requests of one person that are worked on at a time: as many as a browser sends. */
const AT_ONCE = 6;

/**
 * What one person asks for is worked on in turns, however much of it comes at once, so that it takes no more of a node than their pages do.
 * Whoever leaves meanwhile is not waited for any more.
 */
export class PersonTurns {
  readonly #turns = new Bulkhead({ slots: Number.POSITIVE_INFINITY, perKey: AT_ONCE });

  /** `left`: aborts when the client leaves; it is made where it has to wait. `work` is told whether it waited. */
  run<T>(person: string, left: () => AbortSignal, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    if (this.#turns.hasCapacity(person)) return this.#turns.run(person, () => work(false));
    return this.#turns.run(person, () => work(true), { signal: left() });
  }
}
