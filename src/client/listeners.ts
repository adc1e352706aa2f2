import { requireKind } from './arguments.ts';

/** Who wants to hear of something. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #failed: (error: unknown) => void;

  /** `failed`: hears of a listener that throws, which stops nobody else. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** The answer ends it. */
  add(listener: (event: Event) => void): () => void {
    requireKind('listener', listener, 'function');
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(event: Event): void {
    for (const listener of [...this.#all]) {
      try {
        listener(event);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
