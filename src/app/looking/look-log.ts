import { LRUCache } from 'lru-cache';
import type { Actor, EventMetadata } from '../../domain/events.ts';
import { LOOKING_VERSIONS, type LookingFact } from '../../domain/looking/events.ts';
import { refusal } from '../../kernel/errors.ts';
import { type Scheduler, withDeadline } from '../../kernel/scheduler.ts';
import { hashOf, NO_HASH } from '../../log/chain.ts';
import { lastSealed } from '../../log/foreign.ts';
import { type Log, LogUnavailable, type NewEvent, OutcomeUnknown } from '../../log/port.ts';
import { sealFacts } from '../../log/seal-facts.ts';
import { accessStream } from '../../log/streams.ts';
import type { StreamHead } from '../project/seal-group.ts';

/**
 * Brings to the log who looked at whose data, before it is shown: what waits while an append is under way goes out with the next one.
 * Whoever waits for too long is refused, and is shown nothing.
 */

/** Who is shown whose data, and on which page. */
interface Look {
  readonly projectId: string;
  /** Id of the person. */
  readonly person: string;
  /** The route, by the name of its operation. */
  readonly page: string;
  /** Empty: of many, or of nobody that is named. */
  readonly players: readonly string[];
  /** How many they are, where they are too many to be named. Those in `players` are, all the same. */
  readonly many?: number | undefined;
  /** Why personal values are shown; left out: they are masked. */
  readonly reason?: string | undefined;
}

export interface LookLog {
  /** Resolves once it is stored, at once if the same was in this minute. Rejects with 503 LOOK_NOT_RECORDED. */
  record(look: Look): Promise<void>;
  /** Stores another event of the stream. */
  append(projectId: string, actor: Actor, cause: string, facts: readonly LookingFact[]): Promise<void>;
}

/** A log with its looks. */
export interface Looking {
  readonly log: Log;
  readonly looks: LookLog;
}

/** How long a look may wait for its record, ms. */
const WAIT_MS = 5_000;
const RETRY_MS = 100;
/** Looks of one project that may wait. */
const MAX_WAITING = 1_000;
/** Events of one append. */
const BATCH = 200;
/** Looks of the present minute that are remembered. */
const REMEMBERED = 20_000;
const MINUTE_MS = 60_000;

type Clock = Pick<Scheduler, 'now' | 'monotonic' | 'after' | 'sleep'>;

export function createLookLog(log: Log, scheduler: Clock): LookLog {
  const streams = new LRUCache<string, AccessStream>({ max: 1_000 });
  const recorded = new LRUCache<string, Promise<void>>({ max: REMEMBERED });

  const append: LookLog['append'] = (projectId, actor, cause, facts) => {
    const stream = streams.get(projectId) ?? new AccessStream(log, scheduler, accessStream(projectId));
    streams.set(projectId, stream);
    return withDeadline(scheduler, scheduler.monotonic() + WAIT_MS, stream.append(actor, cause, facts), notRecorded);
  };

  return {
    append,

    async record({ projectId, person, page, players: named, many, reason }) {
      // What is shown of nobody in particular is recorded, too.
      const players = named.length === 0 || many !== undefined ? [...named, ''] : named;
      const minute = Math.floor(scheduler.now() / MINUTE_MS);
      const manyOf = (player: string) => (player === '' ? many : undefined);
      const keyOf = (player: string) => JSON.stringify([minute, projectId, person, page, player, manyOf(player), reason]);
      const known = players.flatMap((player) => recorded.get(keyOf(player)) ?? []);
      const missing = players.filter((player) => !recorded.has(keyOf(player)));
      if (missing.length > 0) {
        const facts = missing.map((player) => factOf({ player, many: manyOf(player) }, page, reason));
        const stored = append(projectId, { kind: 'person', person }, 'look', facts);
        for (const player of missing) recorded.set(keyOf(player), stored);
        stored.catch(() => {
          for (const player of missing) recorded.delete(keyOf(player));
        });
        known.push(stored);
      }
      await Promise.all(known);
    },
  };
}

/** Whose data are shown: those of one, of so many, or of nobody that is named. */
interface Whose {
  readonly player: string;
  readonly many: number | undefined;
}

function factOf({ player, many }: Whose, page: string, reason: string | undefined): LookingFact {
  const whose = { ...(player === '' ? {} : { player }), ...(many === undefined ? {} : { players: many }) };
  if (reason === undefined) return { type: 'look.recorded', data: { ...whose, page } };
  return { type: 'look.revealed', data: { ...whose, page, reason } };
}

function notRecorded(): Error {
  return refusal('LOOK_NOT_RECORDED');
}

/** What waits for the log. */
interface Waiting {
  readonly actor: Actor;
  readonly cause: string;
  readonly facts: readonly LookingFact[];
  readonly until: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** The end of one project's stream. */
class AccessStream {
  readonly #log: Log;
  readonly #scheduler: Clock;
  readonly #stream: string;
  #waiting: Waiting[] = [];
  #isWriting = false;
  /** `null`: it is not known, or others have written. */
  #head: StreamHead | null = null;

  constructor(log: Log, scheduler: Clock, stream: string) {
    this.#log = log;
    this.#scheduler = scheduler;
    this.#stream = stream;
  }

  append(actor: Actor, cause: string, facts: readonly LookingFact[]): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(notRecorded());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ actor, cause, facts, until: this.#scheduler.monotonic() + WAIT_MS, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      try {
        await this.#store(group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.#head = null;
        const why = error instanceof LogUnavailable || error instanceof OutcomeUnknown ? notRecorded() : error;
        for (const { reject } of group) reject(why);
      }
    }
    this.#isWriting = false;
  }

  #nextGroup(): readonly Waiting[] {
    let events = 0;
    const end = this.#waiting.findIndex(({ facts }) => {
      events += facts.length;
      return events > BATCH;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end));
  }

  /** Tries until it is stored, or whoever waits has given up. */
  async #store(group: readonly Waiting[]): Promise<void> {
    const until = Math.max(...group.map((waiting) => waiting.until));
    for (;;) {
      const from = this.#head ?? (await this.#again(until, () => this.#findHead()));
      const { events, head } = this.#seal(from, group);
      // The identical append, where its outcome is unknown: at an exact revision it is stored once.
      const { ok } = await this.#again(until, () => this.#log.append(this.#stream, from.revision === -1 ? 'none' : from.revision, events));
      this.#head = ok ? head : null;
      if (ok) return;
    }
  }

  /** Asks the log until it answers. */
  async #again<T>(until: number, ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const mayAnswer = error instanceof LogUnavailable || error instanceof OutcomeUnknown;
        if (!mayAnswer || this.#scheduler.monotonic() > until) throw error;
        await this.#scheduler.sleep(RETRY_MS);
      }
    }
  }

  async #findHead(): Promise<StreamHead> {
    const last = await this.#log.head(this.#stream);
    if (last === null) return { revision: -1, hash: NO_HASH, recordedAt: 0 };
    const sealed = await lastSealed(this.#log, this.#stream, last.revision);
    if (sealed === null) return { revision: last.revision, hash: NO_HASH, recordedAt: 0 };
    const { recordedAt } = JSON.parse(sealed.metadata) as EventMetadata;
    return { revision: last.revision, hash: hashOf(sealed.metadata) ?? NO_HASH, recordedAt };
  }

  #seal(head: StreamHead, group: readonly Waiting[]): { readonly events: readonly NewEvent[]; readonly head: StreamHead } {
    const recordedAt = Math.max(head.recordedAt, this.#scheduler.now());
    let { hash } = head;
    const events = group.flatMap(({ actor, cause, facts }) => {
      const made = sealFacts(hash, facts, { cause, actor, recordedAt }, LOOKING_VERSIONS);
      hash = made.hash;
      return made.events;
    });
    return { events, head: { revision: head.revision + events.length, hash, recordedAt } };
  }
}
