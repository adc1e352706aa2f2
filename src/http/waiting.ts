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
  /** Bytes that wait for all clients; told every second. */
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
  /** There may be room for what there was none for. */
  room(): void;
  /** Whether it has taken nothing of what waits for it for so long. */
  isStalled(now: number, forMs: number): boolean;
  cut(): void;
}

/** Characters that may wait for a client besides one frame, where it can be sent the newest later. */
const SMALL = 16_384;
/** What a client that has not taken everything yet may use of a bound: those that keep up need the rest. */
const SLOW_SHARE = 1 / 2;
/** Beyond this part of a bound, clients that take nothing are in the way of others. */
const SHORT_SHARE = 3 / 4;
/** How soon those without room are told that others have taken theirs, ms. */
const WAKE_MS = 100;

/**
 * What waits for the clients of streams: of each, of a project, of all. It lies in memory, and a client may take its time: ten thousand that are
 * sent a large value and read nothing would end the process. Everything that says whether there is room is here; what becomes of that for which
 * there is none, those who send decide: a value is left where it is (`app/live/subscriber.ts`), a line of the call log is missed.
 */
export class Waiting {
  readonly #bounds: WaitingBounds;
  readonly #observer: WaitingObserver;
  #all = 0;
  readonly #ofProject = new Map<string, number>();
  /** Who had no room because of others. */
  #held = new Set<Waiter>();
  #waking: NodeJS.Timeout | null = null;

  constructor(bounds: WaitingBounds, observer: WaitingObserver) {
    this.#bounds = bounds;
    this.#observer = observer;
  }

  /** Of what can be sent later as well, as it is then: one large frame at a time waits for a client, or some small ones. */
  roomFor(client: Waiter, characters: number): Room {
    if (characters > client.mostWaiting) return 'never';
    if (client.queued > 0 && client.queued + characters > SMALL) return 'later';
    return this.mayTake(client, characters) ? 'now' : 'later';
  }

  /** Whether all clients together leave room for it. If not, the client is told when to ask again. */
  mayTake(client: Waiter, characters: number): boolean {
    if (this.#fits(client, characters)) return true;
    this.#held.add(client);
    this.#observer.held();
    return false;
  }

  /** What waits for a client of this project has become more or less. */
  moved(project: string, by: number): void {
    this.#all += by;
    const waiting = this.#of(project) + by;
    if (waiting > 0) this.#ofProject.set(project, waiting);
    else this.#ofProject.delete(project);
    if (by < 0 && this.#held.size > 0) this.#waking ??= setTimeout(() => this.#wake(), WAKE_MS).unref();
  }

  /** Every second: makes room where it is short. `clients`: all that are open. */
  look(now: number, clients: Iterable<Waiter>): void {
    this.#observer.waiting(this.#all);
    if (this.#held.size === 0) return;
    this.#cutStalled(now, clients);
    this.#wake();
  }

  forget(client: Waiter): void {
    this.#held.delete(client);
  }

  /** Always true where nothing waits at all. */
  #fits({ project, waiting }: Waiter, characters: number): boolean {
    const share = waiting > 0 ? SLOW_SHARE : 1;
    const fits = (others: number, most: number) => others === 0 || others + characters <= most * share;
    return fits(this.#all, this.#bounds.all) && fits(this.#of(project), this.#bounds.ofProject);
  }

  /** Who is held again is told again. */
  #wake(): void {
    this.#waking = null;
    const held = this.#held;
    this.#held = new Set();
    for (const client of held) {
      if (this.#fits(client, SMALL)) client.room();
      else if (client.isOpen) this.#held.add(client);
    }
  }

  /** Makes room for those who take what they are sent. The largest go first. */
  #cutStalled(now: number, clients: Iterable<Waiter>): void {
    const stalled = [...clients].filter((client) => client.isStalled(now, this.#bounds.graceMs));
    for (const client of stalled.sort((one, other) => other.waiting - one.waiting)) {
      if (!this.#isShort(client.project)) continue;
      this.#observer.cut();
      client.cut();
    }
  }

  /** Whether it is time to part with clients of this project that take nothing. */
  #isShort(project: string): boolean {
    return this.#all > this.#bounds.all * SHORT_SHARE || this.#of(project) > this.#bounds.ofProject * SHORT_SHARE;
  }

  #of(project: string): number {
    return this.#ofProject.get(project) ?? 0;
  }
}
