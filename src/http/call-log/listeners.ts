import type { RequestFilter } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import { refusal } from '../../kernel/errors.ts';

/** Those who follow the call log of a project in this process, and what waits for them. */

/** Receives requests as they happen. A timer calls it, so listeners do not slow requests down. */
export interface Listener {
  /** Returns `false` if the client is too slow: these requests are lost to it. */
  receive(requests: readonly LoggedRequest[]): boolean;
  /** Takes the number of requests that were left out at this point. Returns `false` if it could not be sent yet. */
  miss(missed: number): boolean;
}

const MAX_LISTENERS = 64;
const MAX_LISTENERS_OF_PROJECT = 8;
/** A listener gets at most so many requests in so many ms, and the number of those left out. */
const MAX_DELIVERED = 100;
const DELIVER_MS = 50;

/** A listener, and what has not been delivered to it yet. */
export interface Delivery {
  readonly filter: RequestFilter;
  /** `null`: it has not started yet. */
  listener: Listener | null;
  /** Whether the listener has a request already. */
  isKnown: (request: LoggedRequest) => boolean;
  waiting: LoggedRequest[];
  /** How many were left out before the waiting ones. */
  missed: number;
  /** How many were left out after them, because too many are waiting. */
  late: number;
}

export class Listeners {
  readonly #deliveries = new Map<string, Set<Delivery>>();
  #listening = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Those of a project. */
  of(project: string): ReadonlySet<Delivery> {
    return this.#deliveries.get(project) ?? NONE;
  }

  get projects(): Iterable<string> {
    return this.#deliveries.keys();
  }

  get size(): number {
    return this.#listening;
  }

  /** Adds a listener that has not started: what comes for it waits. Throws 503 BUSY if there are too many. */
  join(project: string, filter: RequestFilter): Delivery {
    const deliveries = this.#deliveries.get(project) ?? new Set();
    if (deliveries.size >= MAX_LISTENERS_OF_PROJECT || this.#listening >= MAX_LISTENERS)
      throw refusal('BUSY', 'Too many follow the requests of this project or node already; end one of them');
    const delivery: Delivery = { filter, listener: null, isKnown: () => false, waiting: [], missed: 0, late: 0 };
    this.#deliveries.set(project, deliveries.add(delivery));
    this.#listening += 1;
    return delivery;
  }

  /** Delivers from now on what the listener does not know, whether it waits already or comes later. */
  start(delivery: Delivery, listener: Listener, isKnown = delivery.isKnown): void {
    delivery.waiting = delivery.waiting.filter((request) => !isKnown(request));
    delivery.isKnown = isKnown;
    delivery.listener = listener;
    this.#deliverSoon();
  }

  leave(project: string, delivery: Delivery): void {
    const deliveries = this.#deliveries.get(project);
    if (deliveries?.delete(delivery) !== true) return;
    this.#listening -= 1;
    if (deliveries.size === 0) this.#deliveries.delete(project);
  }

  deliver(delivery: Delivery, request: LoggedRequest): void {
    if (delivery.isKnown(request)) return;
    if (delivery.waiting.length >= MAX_DELIVERED) delivery.late += 1;
    else delivery.waiting.push(request);
    this.#deliverSoon();
  }

  /** Counts requests that are delivered to nobody. */
  miss(project: string, missed: number): void {
    for (const delivery of this.of(project)) delivery.late += missed;
    this.#deliverSoon();
  }

  #deliverSoon(): void {
    this.#timer ??= setTimeout(() => this.#deliverAll(), DELIVER_MS).unref();
  }

  #deliverAll(): void {
    this.#timer = null;
    let isLeft = false;
    for (const deliveries of this.#deliveries.values()) {
      for (const delivery of deliveries) {
        if (delivery.listener === null) continue;
        pass(delivery, delivery.listener);
        isLeft ||= delivery.missed > 0;
      }
    }
    if (isLeft) this.#deliverSoon();
  }
}

const NONE: ReadonlySet<Delivery> = new Set();

/** Delivers in order: the number left out before, then the waiting requests. The number left out since then comes first the next time. */
function pass(delivery: Delivery, listener: Listener): void {
  const { waiting } = delivery;
  delivery.waiting = [];
  if (delivery.missed > 0 && listener.miss(delivery.missed)) delivery.missed = 0;
  if (delivery.missed > 0 || (waiting.length > 0 && !listener.receive(waiting))) delivery.missed += waiting.length;
  delivery.missed += delivery.late;
  delivery.late = 0;
}
