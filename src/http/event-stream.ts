import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Room } from '../app/app.ts';
import type { Waiter, Waiting } from './waiting.ts';

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
  /** Whose streams share a bound. */
  readonly project: string;
  /** The client's connection, which serves nothing but this stream. */
  readonly socket: Socket;
  /** Bytes (characters of texts) that may wait for a client that takes its time. */
  readonly mostWaiting: number;
  /** Called when the client has taken all that waited for it, or when it had no room because of other clients and there may be room now. */
  readonly onRoom?: () => void;
  /** The id that is sent to keep a silent stream alive, so a client that comes back asks for no more than it missed; `null`: no id. */
  readonly onSilence?: () => string | null;
  /** Called once, when the client has gone or the stream was ended. */
  readonly onClose?: () => void;
}

/** The events of one client. `body` is the body of the answer. */
export class EventStream implements Waiter {
  readonly body: Readable;
  readonly project: string;
  readonly #options: StreamOptions;
  /** What waits for all clients of the server. */
  readonly #all: Waiting;
  /** Frames that the connection has not asked for yet. It asks again once it has sent all that it took. */
  #queue: string[] = [];
  #queued = 0;
  #isAsked = false;
  /** The last count of waiting characters, and when the client last took some (`performance.now()`). */
  #counted = 0;
  #takenAt = performance.now();
  /** `performance.now()` of the last frame. */
  #sentAt = performance.now();
  #isEnded = false;
  /** The client has ended its side: it may have gone. */
  #isDoubtful: boolean;

  constructor(options: StreamOptions, all: Waiting) {
    const { project, socket, onClose } = options;
    this.project = project;
    this.#options = options;
    this.#all = all;
    // The stream buffers nothing itself. Otherwise it would not show when the client has taken the last of it.
    this.body = new Readable({ highWaterMark: 0, read: () => this.#give() });
    this.body.once('close', () => {
      this.count(performance.now());
      onClose?.();
    });
    // Whether the client has gone shows when something is sent.
    this.#isDoubtful = socket.readableEnded;
    socket.once('end', () => {
      this.#isDoubtful = true;
    });
  }

  get mostWaiting(): number {
    return this.#options.mostWaiting;
  }

  get queued(): number {
    return this.#queued;
  }

  /**
   * Whether there is room for a frame that can also be sent later. If not, `onRoom` is called when there may be, and the sender then sends
   * the newest value.
   */
  roomFor(characters: number): Room {
    return this.#all.roomFor(this, characters);
  }

  /** Sends a frame, unless too much waits for this client or for all of them. False: it was not sent. */
  offer(frame: string): boolean {
    return this.#all.mayTake(this, frame.length) && this.send(frame);
  }

  /**
   * Sends a frame even if too much waits for all clients together. False: it was not sent, because this client is gone or too much waits
   * for it.
   */
  send(frame: string): boolean {
    if (!this.isOpen || this.#queued + frame.length > this.mostWaiting) return false;
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

  /** Keeps the connection from counting as idle. A client with frames that wait needs none. */
  ping(now: number, afterMs: number): void {
    if ((now - this.#sentAt < afterMs && !this.#isDoubtful) || this.#queued > 0) return;
    const id = this.#options.onSilence?.() ?? null;
    this.send(id === null ? ':\n\n' : `:\nid: ${id}\n\n`);
  }

  /** Tells whoever sends that there is room again. */
  room(): void {
    if (this.isOpen) this.#options.onRoom?.();
  }

  /** Ends the stream when the client has taken what waits. */
  end(): void {
    if (!this.isOpen) return;
    this.#isEnded = true;
    if (this.#isAsked) this.body.push(null);
  }

  /** Cuts the connection. The client comes back, and is sent what it has missed. */
  cut(): void {
    this.#options.socket.destroy();
    this.body.destroy();
    this.count(performance.now());
  }

  /** Bytes that the client has not taken yet, here and in its connection. */
  get waiting(): number {
    return this.body.destroyed ? 0 : this.#queued + this.#options.socket.writableLength;
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.#isEnded;
  }

  /** Counts what waits anew. */
  count(now: number): void {
    const { waiting } = this;
    if (waiting === 0 || waiting < this.#counted) this.#takenAt = now;
    if (waiting !== this.#counted) this.#all.moved(this.project, waiting - this.#counted);
    this.#counted = waiting;
  }

  /** Whether the client has taken nothing of what waits for it for so long. */
  isStalled(now: number, forMs: number): boolean {
    return this.#counted > 0 && now - this.#takenAt > forMs;
  }

  #give(): void {
    const frames = this.#queue.join('');
    this.#queue = [];
    this.#queued = 0;
    if (frames !== '') this.body.push(frames);
    else if (this.#isEnded) this.body.push(null);
    else {
      this.#isAsked = true;
      process.nextTick(() => this.room());
    }
    this.count(performance.now());
  }
}
