import type { Room } from '../app/app.ts';

/** Most bytes (characters of texts) that may wait for the clients of streams. */
export interface WaitingBounds {
  /** Over all streams of the process. */
  readonly all: number;
  readonly ofProject: number;
  /** How long a client may take nothing when others have no room, ms. */
  readonly graceMs: number;
}

/** Hears of what waits, for the metrics. */
export interface WaitingObserver {
  /** Gets the bytes that wait for all clients, every second. */
  waiting(bytes: number): void;
  /** Something was not sent yet, because too much waits for all clients or for those of one project. */
  held(): void;
  /** A client that took nothing lost its connection to others that had no room. */
  cut(): void;
}

/** One client, as far as what waits for it. */
export interface Waiter {
  /** Whose streams share a bound. */
  readonly project: string;
  /** Bytes that may wait for it alone. */
  readonly mostWaiting: number;
  /** Bytes that its connection did not ask for yet. */
  readonly queued: number;
  /** Bytes that it has not taken yet, those in its connection too. */
  readonly waiting: number;
  readonly isOpen: boolean;
  /** Called when there may be room again. */
  room(): void;
  /** Whether it has taken nothing of what waits for it for so long. */
  isStalled(now: number, forMs: number): boolean;
  cut(): void;
}

/**
 * Characters that may wait for a client that can be sent a newer value later: several small frames, or one large frame and nothing else.
 */
const SMALL = 16_384;
/** What a client that has not taken everything yet may use of a bound: those that keep up need the rest. */
const SLOW_SHARE = 1 / 2;
/** Above this part of a bound, clients that take nothing are cut. */
const SHORT_SHARE = 3 / 4;
/** How soon clients without room hear that others have made some, ms. */
const WAKE_MS = 100;

/**
 * What waits for the clients of streams: of each, of a project, of all. It lies in memory, and a client may take its time: ten thousand
 * that are sent a large value and read nothing would end the process.
 *
 * This class alone decides whether there is room. The sender decides what becomes of a frame without room: a value stays where it is
 * (`app/live/subscriber.ts`), a line of the call log is missed.
 */
export class Waiting {
  readonly #bounds: WaitingBounds;
  readonly #observer: WaitingObserver;
  #all = 0;
  readonly #ofProject = new Map<string, number>();
  /** Clients that had no room because of others. */
  #held = new Set<Waiter>();
  #waking: NodeJS.Timeout | null = null;

  constructor(bounds: WaitingBounds, observer: WaitingObserver) {
    this.#bounds = bounds;
    this.#observer = observer;
  }

  /** Whether there is room for a frame that can also be sent later. One large frame at a time waits for a client, or several small ones. */
  roomFor(client: Waiter, characters: number): Room {
    if (characters > client.mostWaiting) return 'never';
    if (client.queued > 0 && client.queued + characters > SMALL) return 'later';
    return this.mayTake(client, characters) ? 'now' : 'later';
  }

  /** Whether all clients together leave room for the frame. If not, the client's `room` is called when there may be some. */
  mayTake(client: Waiter, characters: number): boolean {
    if (this.#fits(client, characters)) return true;
    this.#held.add(client);
    this.#observer.held();
    return false;
  }

  /** To be called when what waits for a client of this project has grown or shrunk by so many characters. */
  moved(project: string, by: number): void {
    this.#all += by;
    const waiting = this.#of(project) + by;
    if (waiting > 0) this.#ofProject.set(project, waiting);
    else this.#ofProject.delete(project);
    if (by < 0 && this.#held.size > 0) this.#waking ??= setTimeout(() => this.#wake(), WAKE_MS).unref();
  }

  /** To be called every second. Makes room where it is short. `clients`: all that are open. */
  look(now: number, clients: Iterable<Waiter>): void {
    this.#observer.waiting(this.#all);
    if (this.#held.size === 0) return;
    this.#cutStalled(now, clients);
    this.#wake();
  }

  forget(client: Waiter): void {
    this.#held.delete(client);
  }

  /** Always true where nothing waits: a single frame may be as large as it is. */
  #fits({ project, waiting }: Waiter, characters: number): boolean {
    const share = waiting > 0 ? SLOW_SHARE : 1;
    const fits = (others: number, most: number) => others === 0 || others + characters <= most * share;
    return fits(this.#all, this.#bounds.all) && fits(this.#of(project), this.#bounds.ofProject);
  }

  /** Tells the clients that are held. One that still has no room stays held. */
  #wake(): void {
    this.#waking = null;
    const held = this.#held;
    this.#held = new Set();
    for (const client of held) {
      if (this.#fits(client, SMALL)) client.room();
      else if (client.isOpen) this.#held.add(client);
    }
  }

  /** Cuts clients that take nothing, those with the most waiting first, until there is room for the others. */
  #cutStalled(now: number, clients: Iterable<Waiter>): void {
    const stalled = [...clients].filter((client) => client.isStalled(now, this.#bounds.graceMs));
    for (const client of stalled.sort((one, other) => other.waiting - one.waiting)) {
      if (!this.#isShort(client.project)) continue;
      this.#observer.cut();
      client.cut();
    }
  }

  /** Whether room is so short for this project's clients that those that take nothing must be cut. */
  #isShort(project: string): boolean {
    return this.#all > this.#bounds.all * SHORT_SHARE || this.#of(project) > this.#bounds.ofProject * SHORT_SHARE;
  }

  #of(project: string): number {
    return this.#ofProject.get(project) ?? 0;
  }
}
