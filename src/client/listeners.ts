import { requireKind } from './arguments.ts';

/** The listeners of one kind of event. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is called with what a listener throws. The other listeners are called all the same. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Returns the function that removes it. */
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
