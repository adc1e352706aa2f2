import { Backlog, type BacklogBounds, type BacklogObserver } from './backlog.ts';
import { EventStream, type StreamOptions } from './event-stream.ts';

/** How long a stream may be silent, ms: proxies cut connections that are idle for 30 to 60 s. */
export const PING_MS = 15_000;
/** Interval of the check for silent streams, ms. It is short, so that not all of them are pinged at once. */
const CHECK_MS = 1_000;
/** How soon a client reconnects after its stream has broken, ms. */
const RETRY_MS = 2_000;

/** The streams of one server. They end before the server does, because an open answer would keep its connection until it is cut. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #waiting: Backlog;
  readonly #observer: BacklogObserver;
  #looking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(bounds: BacklogBounds, observer: BacklogObserver) {
    this.#waiting = new Backlog(bounds, observer);
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
    this.#looking ??= setInterval(() => this.#look(), CHECK_MS).unref();
    return stream;
  }

  /** Ends all streams, and ends those opened later at once. */
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
    this.#waiting.check(now, this.#open);
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
