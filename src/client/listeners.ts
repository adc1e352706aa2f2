import { requireKind } from './arguments.ts';

/** The listeners of one kind of event. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #onError: (error: unknown) => void;

  /** `onError` is called with what a listener throws. The other listeners are still called. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Adds a listener. Returns the function that removes it. */
  add(listener: (event: Event) => void): () => void {
    requireKind('listener', listener, 'function');
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  emit(event: Event): void {
    for (const listener of [...this.#all]) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
