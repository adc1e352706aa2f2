import { EventStream, SMALL, type StreamOptions, type Together } from './event-stream.ts';
import { type WaitingBounds, WaitingBytes } from './waiting-bytes.ts';

/** How long a stream may be silent, ms: proxies cut what is idle for 30 to 60 s. */
export const PING_MS = 15_000;
/** How often silent streams are looked for, ms, so that not all are sent something in one moment. */
const LOOK_MS = 1_000;
/** How soon a client comes back after its stream has broken, ms. */
const RETRY_MS = 2_000;
/** How soon those without room are told that others have taken theirs, ms. */
const WAKE_MS = 100;

/** Hears of what waits, for the metrics. */
export interface WaitingObserver {
  /** Bytes that wait for all clients; told every second. */
  waiting(bytes: number): void;
  /** Something was not sent yet, because too much waits for all clients or for those of one project. */
  held(): void;
  /** A client that took nothing lost its connection to others that had no room. */
  cut(): void;
}

/** The streams of one server. They end before it does: a connection with an open answer would hold it until it is cut. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #together: Together = {
    moved: (project, by) => this.#moved(project, by),
    mayTake: (stream, characters) => this.#mayTake(stream, characters),
  };
  readonly #bytes: WaitingBytes;
  readonly #graceMs: number;
  readonly #observer: WaitingObserver;
  /** Streams that had no room because of others. */
  #held = new Set<EventStream>();
  #looking: NodeJS.Timeout | null = null;
  #waking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(bounds: WaitingBounds, observer: WaitingObserver) {
    this.#bytes = new WaitingBytes(bounds);
    this.#graceMs = bounds.graceMs;
    this.#observer = observer;
  }

  open(options: StreamOptions): EventStream {
    const onClose = () => {
      this.#forget(stream);
      options.onClose?.();
    };
    const stream = new EventStream({ ...options, onClose }, this.#together);
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

  #mayTake(stream: EventStream, characters: number): boolean {
    if (this.#bytes.hasRoomFor(stream.project, characters, stream.waiting > 0)) return true;
    this.#held.add(stream);
    this.#observer.held();
    return false;
  }

  #moved(project: string, by: number): void {
    this.#bytes.change(project, by);
    if (by < 0 && this.#held.size > 0) this.#waking ??= setTimeout(() => this.#wake(), WAKE_MS).unref();
  }

  /** Who is held again is told again. */
  #wake(): void {
    this.#waking = null;
    const held = this.#held;
    this.#held = new Set();
    for (const stream of held) {
      if (this.#bytes.hasRoomFor(stream.project, SMALL, stream.waiting > 0)) stream.room();
      else if (stream.isOpen) this.#held.add(stream);
    }
  }

  #look(): void {
    const now = performance.now();
    for (const stream of this.#open) {
      stream.count(now);
      stream.ping(now, PING_MS);
    }
    this.#observer.waiting(this.#bytes.all);
    if (this.#held.size === 0) return;
    this.#cutStalled(now);
    this.#wake();
  }

  /** Makes room for those who take what they are sent. The largest go first. */
  #cutStalled(now: number): void {
    const stalled = [...this.#open].filter((stream) => stream.isStalled(now, this.#graceMs));
    for (const stream of stalled.sort((one, other) => other.waiting - one.waiting)) {
      if (!this.#bytes.isShort(stream.project)) continue;
      this.#observer.cut();
      stream.cut();
      stream.count(now);
    }
  }

  #forget(stream: EventStream): void {
    this.#open.delete(stream);
    this.#held.delete(stream);
    if (this.#open.size > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
    this.#observer.waiting(0);
  }
}
