import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LoggedRequest } from '../contract/answers.ts';
import type { PublishTarget } from '../domain/events.ts';
import { refusal } from '../kernel/errors.ts';
import { maskSecrets } from '../kernel/secrets.ts';

/** The call log: endpoint calls that this process served, and other requests that were refused or failed. Managers of a project read it. */

/** A request as it is stored. It is formatted only when somebody reads it, which is rare. */
export interface ServedRequest {
  /** Wall clock, ms. */
  readonly at: number;
  /** Of an endpoint call; else `null`. */
  readonly slug: string | null;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  /** `null`: a success. */
  readonly code: string | null;
  readonly message: string | null;
  readonly ms: number;
  readonly platformId: string | null;
  readonly target: PublishTarget;
  readonly requestId: string;
  readonly revision: number | null;
}

/** Selects requests. */
export interface RequestFilter {
  readonly slug: string | null;
  readonly platformId: string | null;
  readonly errors: boolean;
}

/** Receives requests as they happen. A timer calls it, so listeners do not slow requests down. */
export interface Listener {
  readonly filter: RequestFilter;
  /** Returns `false` if the client is too slow: these requests are lost to it. */
  receive(requests: readonly LoggedRequest[]): boolean;
  /** Takes the number of requests that were left out at this point. Returns `false` if it could not be sent yet. */
  miss(missed: number): boolean;
}

/** Most requests kept for one project, and most projects. Together some megabytes. */
export const MAX_KEPT = 100;
const MAX_PROJECTS = 250;
const MAX_LISTENERS = 64;
const MAX_LISTENERS_OF_PROJECT = 8;
/** A listener gets at most so many requests in so many ms, and the number of those left out. */
const MAX_DELIVERED = 100;
const DELIVER_MS = 50;

/** The last requests of one project. */
interface Ring {
  /** The id of this ring. A process that restarts begins another one. */
  readonly id: string;
  readonly requests: ServedRequest[];
  /** How many requests were ever put into it. */
  count: number;
}

/** A listener, and what has not been delivered to it yet. */
interface Delivery {
  readonly listener: Listener;
  waiting: LoggedRequest[];
  /** How many were left out before the waiting ones. */
  missed: number;
  /** How many were left out after them, because too many are waiting. */
  late: number;
}

export class CallLog {
  readonly #rings = new LRUCache<string, Ring>({ max: MAX_PROJECTS });
  readonly #deliveries = new Map<string, Set<Delivery>>();
  readonly #process = randomBytes(4).toString('hex');
  #made = 0;
  #listening = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Whether the project has a ring. None is made for a project before a valid key has proven that it exists. */
  knows(project: string): boolean {
    return this.#rings.has(project);
  }

  note(project: string, request: ServedRequest): void {
    const ring = this.#ringOf(project);
    const number = ring.count % MAX_KEPT;
    ring.requests[number] = request;
    ring.count += 1;
    if (this.#listening > 0) this.#enqueue(project, ring, request);
  }

  /** Counts requests that are delivered to nobody. */
  miss(project: string, missed: number): void {
    for (const delivery of this.#deliveries.get(project) ?? []) delivery.late += missed;
    this.#deliverSoon();
  }

  /**
   * The last `limit` requests of a project that pass the filter, oldest first. With `after`, the id of a request, all later ones; `missed`
   * is how many of those are no longer stored, `null` if that is unknown.
   */
  last(project: string, filter: RequestFilter, limit: number, after: string | null): { requests: LoggedRequest[]; missed: number | null } {
    const ring = this.#rings.get(project);
    if (ring === undefined) return { requests: [], missed: after === null ? 0 : null };
    const oldest = Math.max(0, ring.count - MAX_KEPT);
    const from = after === null ? oldest : numberAfter(ring, after);
    const requests: LoggedRequest[] = [];
    for (let number = Math.max(from ?? oldest, oldest); number < ring.count; number += 1) {
      const request = ring.requests[number % MAX_KEPT];
      if (request !== undefined && passes(filter, request)) requests.push(shown(ring, number, request));
    }
    if (after === null) return { requests: limit === 0 ? [] : requests.slice(-limit), missed: 0 };
    return { requests, missed: from === null ? null : Math.max(0, oldest - from) };
  }

  /** Passes the project's requests to a listener until the returned function is called. Throws 503 BUSY if there are too many listeners. */
  listen(project: string, listener: Listener): () => void {
    const deliveries = this.#deliveries.get(project) ?? new Set();
    if (deliveries.size >= MAX_LISTENERS_OF_PROJECT || this.#listening >= MAX_LISTENERS)
      throw refusal('BUSY', 'Too many follow the requests of this project or node already; end one of them');
    const delivery: Delivery = { listener, waiting: [], missed: 0, late: 0 };
    this.#deliveries.set(project, deliveries.add(delivery));
    this.#listening += 1;
    return () => {
      if (!deliveries.delete(delivery)) return;
      this.#listening -= 1;
      if (deliveries.size === 0) this.#deliveries.delete(project);
    };
  }

  #ringOf(project: string): Ring {
    const known = this.#rings.get(project);
    if (known !== undefined) return known;
    this.#made += 1;
    const ring: Ring = { id: `${this.#process}${this.#made.toString(36)}`, requests: [], count: 0 };
    this.#rings.set(project, ring);
    return ring;
  }

  #enqueue(project: string, ring: Ring, request: ServedRequest): void {
    const deliveries = this.#deliveries.get(project);
    if (deliveries === undefined) return;
    let logged: LoggedRequest | null = null;
    for (const delivery of deliveries) {
      if (!passes(delivery.listener.filter, request)) continue;
      if (delivery.waiting.length >= MAX_DELIVERED) delivery.late += 1;
      else {
        logged ??= shown(ring, ring.count - 1, request);
        delivery.waiting.push(logged);
      }
    }
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
        deliver(delivery);
        isLeft ||= delivery.missed > 0;
      }
    }
    if (isLeft) this.#deliverSoon();
  }
}

/** Delivers in order: the number left out before, then the waiting requests. The number left out since then comes first the next time. */
function deliver(delivery: Delivery): void {
  const { listener, waiting } = delivery;
  delivery.waiting = [];
  if (delivery.missed > 0 && listener.miss(delivery.missed)) delivery.missed = 0;
  if (delivery.missed > 0 || (waiting.length > 0 && !listener.receive(waiting))) delivery.missed += waiting.length;
  delivery.missed += delivery.late;
  delivery.late = 0;
}

function passes({ slug, platformId, errors }: RequestFilter, request: ServedRequest): boolean {
  if (errors && request.code === null) return false;
  if (slug !== null && request.slug !== slug) return false;
  return platformId === null || request.platformId === platformId;
}

/** The number that follows an id's; `null` for an id of another ring. */
function numberAfter(ring: Ring, id: string): number | null {
  const [of, number] = id.split('.');
  if (of !== ring.id || number === undefined || !/^\d{1,15}$/.test(number)) return null;
  return Math.min(Number(number) + 1, ring.count);
}

function shown(ring: Ring, number: number, request: ServedRequest): LoggedRequest {
  const { at, slug, path, message, ms, platformId, requestId, ...rest } = request;
  return {
    id: `${ring.id}.${number}`,
    at: new Date(at).toISOString(),
    ...rest,
    slug: slug === null ? null : maskSecrets(slug),
    path: maskSecrets(path),
    message: message === null ? null : maskSecrets(message),
    platformId: platformId === null ? null : maskSecrets(platformId),
    requestId: maskSecrets(requestId),
    ms: Math.round(ms * 10) / 10,
  };
}
