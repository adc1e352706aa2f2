import { LRUCache } from 'lru-cache';
import type { Scheduler } from '../../kernel/scheduler.ts';

/** The breaker opens after this many failures in a row of one address, or after this many addresses with only failures. */
const BREAKS_AFTER = 5;
const BREAK_MS = 5_000;
/** How long the outcome of an address' last verification says something about the service. */
const RECENT_MS = 10_000;
const MAX_PROJECTS = 1_000;
const MAX_REPORTERS = 200;
const MAX_ADDRESSES = 50_000;

interface Voice {
  readonly at: number;
  readonly failed: boolean;
}

/** What the addresses of one project have seen of the service lately. */
interface Seen {
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
 * A circuit breaker: a service that is down is not asked, so that nobody waits for it, and one caller every few seconds finds out whether
 * it is back. Whether it is down is decided for each project by itself, and each address counts once. So a player whose tokens make the
 * service fail is no longer verified, but does not stop the others. A caller on this machine, who has no address, counts as a new one each
 * time.
 */
export class Breaker {
  readonly #scheduler: Scheduler;
  readonly #projects = new LRUCache<string, Seen>({ max: MAX_PROJECTS });
  readonly #streaks = new LRUCache<string, Streak>({ max: MAX_ADDRESSES });
  #local = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Whether the service may be asked now. If it was down, the first caller that is let through finds out for the others. */
  mayAsk(projectId: string, address: string | null): boolean {
    const now = this.#scheduler.monotonic();
    const streak = address === null ? undefined : this.#streaks.get(`${projectId} ${address}`);
    if (streak !== undefined && streak.failures >= BREAKS_AFTER) {
      if (now < streak.until) return false;
      streak.until = now + BREAK_MS;
    }
    const seen = this.#projects.get(projectId);
    if (seen === undefined || seen.brokenUntil === 0) return true;
    // An address that the service served the last time may go on: the service may be failing only for what others send.
    if (address !== null && seen.voices.get(address)?.failed === false) return true;
    if (now < seen.brokenUntil) return false;
    seen.brokenUntil = now + BREAK_MS;
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
    if (seen.brokenUntil > 0 || (failing >= BREAKS_AFTER && failing > recent.length - failing)) seen.brokenUntil = now + BREAK_MS;
  }

  #streak(key: string, now: number): void {
    const known = this.#streaks.get(key) ?? { failures: 0, until: 0 };
    known.failures += 1;
    if (known.failures >= BREAKS_AFTER) known.until = now + BREAK_MS;
    this.#streaks.set(key, known);
  }

  #seenOf(projectId: string): Seen {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const fresh: Seen = { voices: new LRUCache({ max: MAX_REPORTERS }), brokenUntil: 0 };
    this.#projects.set(projectId, fresh);
    return fresh;
  }

  #nameOf(address: string | null): string {
    if (address !== null) return address;
    this.#local = (this.#local + 1) % MAX_REPORTERS;
    return `this machine ${this.#local}`;
  }
}
