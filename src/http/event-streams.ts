import { EventStream, type StreamOptions } from './event-stream.ts';
import { Waiting, type WaitingBounds, type WaitingObserver } from './waiting.ts';

/** How long a stream may be silent, ms: proxies cut what is idle for 30 to 60 s. */
export const PING_MS = 15_000;
/** How often streams are looked at, ms, so that not all that are silent are sent something in one moment. */
const LOOK_MS = 1_000;
/** How soon a client comes back after its stream has broken, ms. */
const RETRY_MS = 2_000;

/** The streams of one server. They end before the server does: an open answer would hold its connection until it is cut. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #waiting: Waiting;
  readonly #observer: WaitingObserver;
  #looking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(bounds: WaitingBounds, observer: WaitingObserver) {
    this.#waiting = new Waiting(bounds, observer);
    this.#observer = observer;
  }

  open(options: StreamOptions): EventStream {
    const onClose = () => {
      this.#forget(stream);
      options.onClose?.();
    };
    const stream = new EventStream({ ...options, onClose }, this.#waiting);
    // The first bytes send the headers.
    stream.send(`retry: ${RETRY_MS}\n\n`);
    if (this.#closed) stream.end();
    this.#open.add(stream);
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return stream;
  }

  /** Ends all streams, and those that are opened from now on. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.end();
  }

  #look(): void {
    const now = performance.now();
    for (const stream of this.#open) {
      stream.count(now);
      stream.ping(now, PING_MS);
    }
    this.#waiting.look(now, this.#open);
  }

  #forget(stream: EventStream): void {
    this.#open.delete(stream);
    this.#waiting.forget(stream);
    if (this.#open.size > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
    this.#observer.waiting(0);
  }
}
