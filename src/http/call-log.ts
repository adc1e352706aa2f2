import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LoggedRequest } from '../contract/answers.ts';
import type { PublishTarget } from '../domain/events.ts';
import { refusal } from '../kernel/errors.ts';
import { masked } from './masked.ts';

/** What this process tells the managers of its projects: endpoint calls, and other requests that were refused or failed. */

/** A request as it is kept. It is put into words when somebody reads it: nearly always nobody does. */
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

/** Which requests somebody asks for. */
export interface RequestFilter {
  readonly slug: string | null;
  readonly platformId: string | null;
  readonly errors: boolean;
}

/** Gets requests as they happen, from a timer: a listener takes no time of the request that it hears of. */
export interface Listener {
  readonly filter: RequestFilter;
  /** False: the client takes them too slowly, and these are lost to it. */
  hear(requests: readonly LoggedRequest[]): boolean;
  /** So many were left out here. False: it could not be told yet. */
  miss(missed: number): boolean;
}

/** Requests that are kept of one project, and projects that any are kept of. Together some megabytes at most. */
export const KEPT = 100;
const MAX_PROJECTS = 250;
const MAX_LISTENERS = 64;
const MAX_LISTENERS_OF_PROJECT = 8;
/** Listeners hear at most so many requests in so many ms, and are told how many more there were. */
const MAX_HEARD = 100;
const HEAR_MS = 50;

/** The last requests of one project. */
interface Ring {
  /** Names this ring: a process that restarts begins another one. */
  readonly id: string;
  readonly requests: ServedRequest[];
  /** Requests that were ever put into it. */
  count: number;
}

/** A listener, and what it has not been told yet. */
interface Hearing {
  readonly listener: Listener;
  waiting: LoggedRequest[];
  /** Left out before what waits. */
  missed: number;
  /** Left out since, because too much waits. */
  late: number;
}

export class CallLog {
  readonly #rings = new LRUCache<string, Ring>({ max: MAX_PROJECTS });
  readonly #hearings = new Map<string, Set<Hearing>>();
  readonly #process = randomBytes(4).toString('hex');
  #made = 0;
  #listening = 0;
  #telling: NodeJS.Timeout | null = null;

  /** Whether anything is kept of the project: of one that nobody has proven to exist nothing new is begun. */
  knows(project: string): boolean {
    return this.#rings.has(project);
  }

  note(project: string, request: ServedRequest): void {
    const ring = this.#ringOf(project);
    const place = ring.count % KEPT;
    ring.requests[place] = request;
    ring.count += 1;
    if (this.#listening > 0) this.#tell(project, ring, request);
  }

  /** Requests that nobody will be told of. */
  miss(project: string, missed: number): void {
    for (const hearing of this.#hearings.get(project) ?? []) hearing.late += missed;
    this.#tellSoon();
  }

  /**
   * The last `limit` requests of a project that pass the filter, the oldest first. With `after`, the id of an earlier one, all that came since;
   * `missed` is how many of those are no longer kept, `null` if nobody knows.
   */
  last(project: string, filter: RequestFilter, limit: number, after: string | null): { requests: LoggedRequest[]; missed: number | null } {
    const ring = this.#rings.get(project);
    if (ring === undefined) return { requests: [], missed: after === null ? 0 : null };
    const oldest = Math.max(0, ring.count - KEPT);
    const from = after === null ? oldest : placeAfter(ring, after);
    const requests: LoggedRequest[] = [];
    for (let place = Math.max(from ?? oldest, oldest); place < ring.count; place += 1) {
      const request = ring.requests[place % KEPT];
      if (request !== undefined && passes(filter, request)) requests.push(shown(ring, place, request));
    }
    if (after === null) return { requests: limit === 0 ? [] : requests.slice(-limit), missed: 0 };
    return { requests, missed: from === null ? null : Math.max(0, oldest - from) };
  }

  /** Tells a listener of the project's requests from now on, until the function that it returns is called. Throws 503 BUSY when too many listen. */
  listen(project: string, listener: Listener): () => void {
    const hearings = this.#hearings.get(project) ?? new Set();
    if (hearings.size >= MAX_LISTENERS_OF_PROJECT || this.#listening >= MAX_LISTENERS)
      throw refusal('BUSY', 'Too many follow the requests of this project or node already; end one of them');
    const hearing: Hearing = { listener, waiting: [], missed: 0, late: 0 };
    this.#hearings.set(project, hearings.add(hearing));
    this.#listening += 1;
    return () => {
      if (!hearings.delete(hearing)) return;
      this.#listening -= 1;
      if (hearings.size === 0) this.#hearings.delete(project);
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

  #tell(project: string, ring: Ring, request: ServedRequest): void {
    const hearings = this.#hearings.get(project);
    if (hearings === undefined) return;
    let told: LoggedRequest | null = null;
    for (const hearing of hearings) {
      if (!passes(hearing.listener.filter, request)) continue;
      if (hearing.waiting.length >= MAX_HEARD) hearing.late += 1;
      else {
        told ??= shown(ring, ring.count - 1, request);
        hearing.waiting.push(told);
      }
    }
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => this.#tellAll(), HEAR_MS).unref();
  }

  #tellAll(): void {
    this.#telling = null;
    let isLeft = false;
    for (const hearings of this.#hearings.values()) {
      for (const hearing of hearings) {
        tellOne(hearing);
        isLeft ||= hearing.missed > 0;
      }
    }
    if (isLeft) this.#tellSoon();
  }
}

/** Tells a gap where it is: what was missed before lies before what waits. */
function tellOne(hearing: Hearing): void {
  const { listener, waiting } = hearing;
  hearing.waiting = [];
  if (hearing.missed > 0 && listener.miss(hearing.missed)) hearing.missed = 0;
  if (hearing.missed > 0 || (waiting.length > 0 && !listener.hear(waiting))) hearing.missed += waiting.length;
  hearing.missed += hearing.late;
  hearing.late = 0;
}

function passes({ slug, platformId, errors }: RequestFilter, request: ServedRequest): boolean {
  if (errors && request.code === null) return false;
  if (slug !== null && request.slug !== slug) return false;
  return platformId === null || request.platformId === platformId;
}

/** The place after an id; `null`: it is of another ring. */
function placeAfter(ring: Ring, id: string): number | null {
  const [of, place] = id.split('.');
  if (of !== ring.id || place === undefined || !/^\d{1,15}$/.test(place)) return null;
  return Math.min(Number(place) + 1, ring.count);
}

function shown(ring: Ring, place: number, request: ServedRequest): LoggedRequest {
  const { at, slug, path, message, ms, platformId, requestId, ...rest } = request;
  return {
    id: `${ring.id}.${place}`,
    at: new Date(at).toISOString(),
    ...rest,
    slug: slug === null ? null : masked(slug),
    path: masked(path),
    message: message === null ? null : masked(message),
    platformId: platformId === null ? null : masked(platformId),
    requestId: masked(requestId),
    ms: Math.round(ms * 10) / 10,
  };
}
