import { LRUCache } from 'lru-cache';
import type { Scheduler } from '../../kernel/scheduler.ts';

/** The breaker opens after this many failures in a row of one address, or if this many addresses had only failures. */
const FAILURE_THRESHOLD = 5;
const OPEN_MS = 5_000;
/** How long the outcome of an address's last verification counts, ms. */
const RECENT_MS = 10_000;
const MAX_PROJECTS = 1_000;
const MAX_REPORTERS = 200;
const MAX_ADDRESSES = 50_000;

interface Voice {
  readonly at: number;
  readonly failed: boolean;
}

/** The recent outcomes for the addresses of one project. */
interface ProjectState {
  /** By address: each counts once, with its latest outcome. */
  readonly voices: LRUCache<string, Voice>;
  brokenUntil: number;
}

/** The failures in a row of one address in one project. */
interface Streak {
  failures: number;
  until: number;
}

/**
 * A circuit breaker. A service that is down gets one request every few seconds, to find out whether it is up again, and no others: so
 * nobody waits for it. Each project has a breaker of its own, and each address counts once. So a player whose tokens make the service fail
 * is no longer verified, but does not affect other players. A caller on this machine has no address, and counts as a new one each time.
 */
export class Breaker {
  readonly #scheduler: Scheduler;
  readonly #projects = new LRUCache<string, ProjectState>({ max: MAX_PROJECTS });
  readonly #streaks = new LRUCache<string, Streak>({ max: MAX_ADDRESSES });
  #local = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Whether a request to the service is allowed now. If the service was down, the first request that is allowed probes it for the others.
   */
  mayAsk(projectId: string, address: string | null): boolean {
    const now = this.#scheduler.monotonic();
    const streak = address === null ? undefined : this.#streaks.get(`${projectId} ${address}`);
    if (streak !== undefined && streak.failures >= FAILURE_THRESHOLD) {
      if (now < streak.until) return false;
      streak.until = now + OPEN_MS;
    }
    const seen = this.#projects.get(projectId);
    if (seen === undefined || seen.brokenUntil === 0) return true;
    // An address whose last verification succeeded may go on: the service may be failing only for the tokens of others.
    if (address !== null && seen.voices.get(address)?.failed === false) return true;
    if (now < seen.brokenUntil) return false;
    seen.brokenUntil = now + OPEN_MS;
    return true;
  }

  answered(projectId: string, address: string | null): void {
    if (address !== null) this.#streaks.delete(`${projectId} ${address}`);
    const seen = this.#seenOf(projectId);
    seen.brokenUntil = 0;
    seen.voices.set(this.#nameOf(address), { at: this.#scheduler.monotonic(), failed: false });
  }

  failed(projectId: string, address: string | null): void {
    const now = this.#scheduler.monotonic();
    if (address !== null) this.#streak(`${projectId} ${address}`, now);
    const seen = this.#seenOf(projectId);
    seen.voices.set(this.#nameOf(address), { at: now, failed: true });
    const recent = [...seen.voices.values()].filter(({ at }) => now - at < RECENT_MS);
    const failing = recent.filter((voice) => voice.failed).length;
    if (seen.brokenUntil > 0 || (failing >= FAILURE_THRESHOLD && failing > recent.length - failing)) seen.brokenUntil = now + OPEN_MS;
  }

  #streak(key: string, now: number): void {
    const known = this.#streaks.get(key) ?? { failures: 0, until: 0 };
    known.failures += 1;
    if (known.failures >= FAILURE_THRESHOLD) known.until = now + OPEN_MS;
    this.#streaks.set(key, known);
  }

  #seenOf(projectId: string): ProjectState {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const fresh: ProjectState = { voices: new LRUCache({ max: MAX_REPORTERS }), brokenUntil: 0 };
    this.#projects.set(projectId, fresh);
    return fresh;
  }

  #nameOf(address: string | null): string {
    if (address !== null) return address;
    this.#local = (this.#local + 1) % MAX_REPORTERS;
    return `this machine ${this.#local}`;
  }
}
