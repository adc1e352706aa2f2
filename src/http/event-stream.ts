import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** Answers that go on: server-sent events, as browsers' `EventSource` reads them. */

export const EVENT_STREAM = 'text/event-stream';

/** Proxies must pass each event on at once, and keep none. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

export interface ServerSentEvent {
  /** What a client that comes back sends as `Last-Event-ID`. */
  readonly id?: string;
  /** Left out: `message`. */
  readonly event?: string;
  /** JSON text, in one line. */
  readonly data: string;
}

/** An event as it is sent. Made once, it can go to many clients. */
export function frameOf({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

export interface StreamOptions {
  /** The client's connection, which serves nothing but this stream. */
  readonly socket: Socket;
  /** Bytes (characters of texts) that may wait for a client that takes its time. */
  readonly mostWaiting: number;
  /** Called when the client has taken all that waited. */
  readonly onRoom?: () => void;
  /** The id that a silent stream is kept alive with, so that a client that comes back asks for no more than it must; `null`: without one. */
  readonly onSilence?: () => string | null;
  /** Called once, when the client has gone or the stream was ended. */
  readonly onClose?: () => void;
}

/** The events of one client. `body` is the body of the answer. */
export class EventStream {
  readonly body: Readable;
  readonly #mostWaiting: number;
  readonly #onSilence: (() => string | null) | undefined;
  /** `performance.now()` of the last frame. */
  #sentAt = performance.now();
  #isEnded = false;
  /** The client has ended its side: it may have gone. */
  #isDoubtful: boolean;

  constructor({ socket, mostWaiting, onRoom, onSilence, onClose }: StreamOptions) {
    this.#mostWaiting = mostWaiting;
    this.#onSilence = onSilence;
    // What is being read is counted as waiting until that turn is over.
    this.body = new Readable({ read: () => (onRoom === undefined ? undefined : process.nextTick(onRoom)) });
    if (onClose) this.body.once('close', onClose);
    // It shows when something is sent.
    this.#isDoubtful = socket.readableEnded;
    socket.once('end', () => {
      this.#isDoubtful = true;
    });
  }

  /** Sends a frame. False: the client is gone, or too much waits for it already; the frame is not sent. */
  send(frame: string): boolean {
    if (!this.isOpen || this.body.readableLength + frame.length > this.#mostWaiting) return false;
    this.#sentAt = performance.now();
    this.body.push(frame);
    return true;
  }

  /** Keeps the connection from counting as idle. A client with frames that wait needs none. */
  ping(now: number, afterMs: number): void {
    if ((now - this.#sentAt < afterMs && !this.#isDoubtful) || this.body.readableLength > 0) return;
    const id = this.#onSilence?.() ?? null;
    this.send(id === null ? ':\n\n' : `:\nid: ${id}\n\n`);
  }

  /** Ends the stream when the client has taken what waits. */
  end(): void {
    if (!this.isOpen) return;
    this.#isEnded = true;
    this.body.push(null);
  }

  /** Bytes that the client has not taken yet. */
  get waiting(): number {
    return this.body.readableLength;
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.#isEnded;
  }
}

/** How long a stream may be silent, ms: proxies cut what is idle for 30 to 60 s. */
const PING_MS = 15_000;
/** How often silent streams are looked for, ms, so that not all are sent something in one moment. */
const LOOK_MS = 1_000;
/** How soon a client comes back after its stream has broken, ms. */
const RETRY_MS = 2_000;

/** The streams of one server. They end before it does: a connection with an open answer would hold it until it is cut. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  #looking: NodeJS.Timeout | null = null;
  #closed = false;

  open(options: StreamOptions): EventStream {
    const stream = new EventStream({
      ...options,
      onClose: () => {
        this.#forget(stream);
        options.onClose?.();
      },
    });
    // The first bytes send the headers.
    stream.send(`retry: ${RETRY_MS}\n\n`);
    if (this.#closed) stream.end();
    this.#open.add(stream);
    this.#looking ??= setInterval(() => this.#ping(), LOOK_MS).unref();
    return stream;
  }

  /** Ends all streams, and those that are opened from now on. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.end();
  }

  #ping(): void {
    const now = performance.now();
    for (const stream of this.#open) stream.ping(now, PING_MS);
  }

  #forget(stream: EventStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}
