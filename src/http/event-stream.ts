import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Room } from '../app/app.ts';
import type { Backlog, BacklogClient } from './backlog.ts';

/** Streamed answers: server-sent events, as browsers' `EventSource` reads them. */

export const EVENT_STREAM = 'text/event-stream';

/** Proxies must pass each event on at once, and store none. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

export interface ServerSentEvent {
  /** A client that reconnects sends this as `Last-Event-ID`. */
  readonly id?: string;
  /** Left out: `message`. */
  readonly event?: string;
  /** JSON text, in one line. */
  readonly data: string;
}

/** An event as it is sent. The same frame can go to many clients. */
export function frameOf({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

export interface StreamOptions {
  /** The project, whose streams share a bound. */
  readonly project: string;
  /** The answer that `body` is piped into. Its connection serves nothing else. */
  readonly response: ServerResponse;
  /** Bytes (characters of texts) that may wait for a slow client. */
  readonly maxWaiting: number;
  /** Called when the client has taken all that waited for it, or when other clients may have made room for it. */
  readonly onRoom?: () => void;
  /** The id to send when a silent stream is kept alive, so that a client which reconnects requests only what it missed; `null`: none. */
  readonly onSilence?: () => string | null;
  /** Called once, when the client has disconnected or the stream was ended. */
  readonly onClose?: () => void;
}

/** The events of one client. `body` is the body of the answer. */
export class EventStream implements BacklogClient {
  readonly body: Readable;
  readonly project: string;
  readonly #options: StreamOptions;
  /** The data that waits for all clients of the server. */
  readonly #backlog: Backlog;
  /** Frames that the connection has not read yet. It reads again once it has sent all that it took. */
  #queue: string[] = [];
  #queued = 0;
  #isAsked = false;
  /** The last count of waiting characters, and when the client last took some (`performance.now()`). */
  #counted = 0;
  #takenAt = performance.now();
  /** `performance.now()` of the last frame. */
  #sentAt = performance.now();
  #isEnded = false;
  /** The client has ended its side, and may have disconnected. */
  #mayBeGone: boolean;

  constructor(options: StreamOptions, all: Backlog) {
    const { project, response, onClose } = options;
    const { socket } = response.req;
    this.project = project;
    this.#options = options;
    this.#backlog = all;
    // The stream buffers nothing itself, or it would not show when the client has taken everything.
    this.body = new Readable({ highWaterMark: 0, read: () => this.#flush() });
    this.body.once('close', () => {
      this.count(performance.now());
      onClose?.();
    });
    // Only the next frame that is sent shows whether the client has disconnected.
    this.#mayBeGone = socket.readableEnded;
    socket.once('end', () => {
      this.#mayBeGone = true;
    });
  }

  get maxWaiting(): number {
    return this.#options.maxWaiting;
  }

  get queued(): number {
    return this.#queued;
  }

  /**
   * Whether there is room for a frame that can also be sent later. If not, `onRoom` is called when there may be, and the sender then sends
   * the newest value.
   */
  roomFor(characters: number): Room {
    return this.#backlog.roomFor(this, characters);
  }

  /** Sends a frame, unless too much waits for this client or for all clients. Returns whether it was sent. */
  offer(frame: string): boolean {
    return this.#backlog.hasRoom(this, frame.length) && this.send(frame);
  }

  /**
   * Sends a frame even if too much waits for all clients together. Returns `false` if this client has disconnected or too much waits for
   * it.
   */
  send(frame: string): boolean {
    if (!this.isOpen || this.#queued + frame.length > this.maxWaiting) return false;
    this.#sentAt = performance.now();
    if (this.#isAsked) {
      this.#isAsked = false;
      this.body.push(frame);
    } else {
      this.#queue.push(frame);
      this.#queued += frame.length;
    }
    this.count(this.#sentAt);
    return true;
  }

  /** Keeps an idle connection alive. A client with waiting frames needs no ping. */
  ping(now: number, afterMs: number): void {
    if ((now - this.#sentAt < afterMs && !this.#mayBeGone) || this.#queued > 0) return;
    const id = this.#options.onSilence?.() ?? null;
    this.send(id === null ? ':\n\n' : `:\nid: ${id}\n\n`);
  }

  /** Reports to the sender that there is room again. */
  onRoom(): void {
    if (this.isOpen) this.#options.onRoom?.();
  }

  /** Ends the stream when the client has taken all waiting frames. */
  end(): void {
    if (!this.isOpen) return;
    this.#isEnded = true;
    if (this.#isAsked) this.body.push(null);
  }

  /** Cuts the connection. The client reconnects, and is sent what it missed. */
  cut(): void {
    this.#options.response.req.socket.destroy();
    this.body.destroy();
    this.count(performance.now());
  }

  /** Bytes that the client has not taken yet, here, in the answer (which from Node 26 on keeps them for a turn) and in its connection. */
  get waiting(): number {
    return this.body.destroyed ? 0 : this.#queued + this.#options.response.writableLength;
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.#isEnded;
  }

  /** Updates the count of waiting bytes. */
  count(now: number): void {
    const { waiting } = this;
    if (waiting === 0 || waiting < this.#counted) this.#takenAt = now;
    if (waiting !== this.#counted) this.#backlog.adjust(this.project, waiting - this.#counted);
    this.#counted = waiting;
  }

  /** Whether frames wait for the client, and it has taken nothing for so long. */
  isStalled(now: number, forMs: number): boolean {
    return this.#counted > 0 && now - this.#takenAt > forMs;
  }

  #flush(): void {
    const frames = this.#queue.join('');
    this.#queue = [];
    this.#queued = 0;
    if (frames !== '') this.body.push(frames);
    else if (this.#isEnded) this.body.push(null);
    else {
      this.#isAsked = true;
      process.nextTick(() => this.onRoom());
    }
    this.count(performance.now());
  }
}
