import type { Room } from '../app/app.ts';

/** Most bytes (characters of texts) that may wait for the clients of streams. */
export interface BacklogBounds {
  /** Over all streams of the process. */
  readonly all: number;
  readonly ofProject: number;
  /** How long a client may take nothing when others have no room, ms. */
  readonly graceMs: number;
}

/** Observes the waiting bytes, for the metrics. */
export interface BacklogObserver {
  /** Gets the bytes that wait for all clients, every second. */
  waiting(bytes: number): void;
  /** A frame was held back, because too much waits for all clients or for those of one project. */
  held(): void;
  /** The connection of a client that took nothing was cut, to make room for others. */
  cut(): void;
}

/** One client and the bytes that wait for it. */
export interface BacklogClient {
  /** The project, whose streams share a bound. */
  readonly project: string;
  /** Bytes that may wait for this client. */
  readonly maxWaiting: number;
  /** Bytes that its connection has not read yet. */
  readonly queued: number;
  /** Bytes that it has not taken yet, including those in its connection. */
  readonly waiting: number;
  readonly isOpen: boolean;
  /** Called when there may be room again. */
  onRoom(): void;
  /** Whether bytes wait for it, and it has taken none for so long. */
  isStalled(now: number, forMs: number): boolean;
  cut(): void;
}

/**
 * Characters that may wait for a client that can be sent a newer value later: several small frames, or one large frame and nothing else.
 */
const SMALL_FRAMES = 16_384;
/** A client that has not taken everything may use this part of a bound. The rest is for clients that keep up. */
const SLOW_SHARE = 1 / 2;
/** Above this part of a bound, clients that take nothing are cut. */
const CUT_SHARE = 3 / 4;
/** How soon clients without room are called after others have made some, ms. */
const WAKE_MS = 100;

/**
 * Counts and bounds the bytes that wait for clients of streams: of each, of a project, of all. They are in memory, so ten thousand clients
 * that are sent a large value and read nothing would end the process.
 *
 * Only this class decides whether there is room. The sender decides what happens to a frame without room: a value is sent later
 * (`app/live/subscriber.ts`), a line of the call log is left out.
 */
export class Backlog {
  readonly #bounds: BacklogBounds;
  readonly #observer: BacklogObserver;
  #all = 0;
  readonly #ofProject = new Map<string, number>();
  /** Clients that had no room because of others. */
  #heldBack = new Set<BacklogClient>();
  #wakeTimer: NodeJS.Timeout | null = null;

  constructor(bounds: BacklogBounds, observer: BacklogObserver) {
    this.#bounds = bounds;
    this.#observer = observer;
  }

  /** Whether there is room for a frame that can be sent later. A client has one large frame waiting at a time, or several small ones. */
  roomFor(client: BacklogClient, characters: number): Room {
    if (characters > client.maxWaiting) return 'never';
    if (client.queued > 0 && client.queued + characters > SMALL_FRAMES) return 'later';
    return this.hasRoom(client, characters) ? 'now' : 'later';
  }

  /** Whether all clients together leave room for the frame. If not, the client's `room` is called when there may be some. */
  hasRoom(client: BacklogClient, characters: number): boolean {
    if (this.#fits(client, characters)) return true;
    this.#heldBack.add(client);
    this.#observer.held();
    return false;
  }

  /** Called when the bytes that wait for a client of this project have changed by this number. */
  adjust(project: string, by: number): void {
    this.#all += by;
    const waiting = this.#of(project) + by;
    if (waiting > 0) this.#ofProject.set(project, waiting);
    else this.#ofProject.delete(project);
    if (by < 0 && this.#heldBack.size > 0) this.#wakeTimer ??= setTimeout(() => this.#wake(), WAKE_MS).unref();
  }

  /** Called every second. Makes room if it is short. `clients`: all open ones. */
  check(now: number, clients: Iterable<BacklogClient>): void {
    this.#observer.waiting(this.#all);
    if (this.#heldBack.size === 0) return;
    this.#cutStalled(now, clients);
    this.#wake();
  }

  forget(client: BacklogClient): void {
    this.#heldBack.delete(client);
  }

  /** Whether the frame fits into the bounds. It always does if nothing waits, so a single frame may be of any size. */
  #fits({ project, waiting }: BacklogClient, characters: number): boolean {
    const share = waiting > 0 ? SLOW_SHARE : 1;
    const fits = (others: number, most: number) => others === 0 || others + characters <= most * share;
    return fits(this.#all, this.#bounds.all) && fits(this.#of(project), this.#bounds.ofProject);
  }

  /** Calls the clients that are held back. One that still has no room stays held back. */
  #wake(): void {
    this.#wakeTimer = null;
    const held = this.#heldBack;
    this.#heldBack = new Set();
    for (const client of held) {
      if (this.#fits(client, SMALL_FRAMES)) client.onRoom();
      else if (client.isOpen) this.#heldBack.add(client);
    }
  }

  /** Cuts stalled clients, those with the most waiting bytes first, until there is room for the others. */
  #cutStalled(now: number, clients: Iterable<BacklogClient>): void {
    const stalled = [...clients].filter((client) => client.isStalled(now, this.#bounds.graceMs));
    for (const client of stalled.sort((one, other) => other.waiting - one.waiting)) {
      if (!this.#isShort(client.project)) continue;
      this.#observer.cut();
      client.cut();
    }
  }

  /** Whether room is so short for this project's clients that stalled ones must be cut. */
  #isShort(project: string): boolean {
    return this.#all > this.#bounds.all * CUT_SHARE || this.#of(project) > this.#bounds.ofProject * CUT_SHARE;
  }

  #of(project: string): number {
    return this.#ofProject.get(project) ?? 0;
  }
}
