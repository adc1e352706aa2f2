import { isDeepEvent } from '../../kernel/json.ts';
import { pause } from '../../kernel/pause.ts';
import { hashOf, NO_HASH, verifyLink } from '../chain.ts';
import { FOREIGN, fillerOf, isForeign } from '../foreign.ts';
import { type AppendResult, AppendTooLarge, LogUnavailable, OutcomeUnknown, type RecordedEvent } from '../port.ts';
import { isChained, isProductStream, isTruncatable, TRUNCATED } from '../streams.ts';
import { type BatchLimits, batches, windows } from './batches.ts';
import { type CopySource, type CopyTarget, fingerprintOf, type Stored } from './ends.ts';

/**
 * Copies a log: every event of the product with its id, its texts and its revision, one append after the other, in the order of the source.
 * So at every moment the target holds a beginning of the source. Whatever breaks off, a further run goes on from there.
 *
 * An event that another program wrote to a project's stream is replaced by a filler. At an event that was altered, the copy of its stream
 * ends.
 *
 * What the target already holds is compared and never overwritten. Of a chained stream only the last common event is compared, because its
 * hash covers everything before it.
 */

/** Source, target and how to copy. */
export interface CopyOptions {
  readonly source: CopySource;
  readonly target: CopyTarget;
  /** Stops after the append under way; the next run goes on. */
  readonly signal: AbortSignal;
  /** Goes on with new events until `signal` aborts. */
  readonly follow?: boolean;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** A stream is broken at an event; the copy goes on with the others. */
  readonly onBroken?: (broken: BrokenStream) => void;
  /** Limits of one append. Default 400 events, 512 KiB: an EventStoreDB with default settings takes 1 MiB. */
  readonly limits?: BatchLimits;
  /** `pauseMs`: between two tries of an append. `timeoutMs`: for all tries together. Default 250 ms and 60 s. */
  readonly retry?: { readonly pauseMs: number; readonly timeoutMs: number };
}

/** How far a copy is. */
export interface CopyProgress {
  readonly copied: number;
  readonly skipped: number;
  readonly fraction: number | null;
  readonly eventsPerSecond: number;
}

/** The result of a copy; numbers of events. */
export interface CopyResult {
  /** `copied` + `skipped`. */
  readonly events: number;
  readonly copied: number;
  /** Events that the target already held. */
  readonly skipped: number;
  /** Streams that the run has met. */
  readonly streams: number;
  readonly seconds: number;
  /** Whether the source was read to its end: the target holds all that it held when it was last asked, but for `broken`. */
  readonly complete: boolean;
  /** Streams of which only a beginning could be copied. */
  readonly broken: readonly BrokenStream[];
  /** Events of other programs, in whose places fillers stand. */
  readonly foreign: number;
}

/** Source and target hold different events at one revision of a stream. Nothing was overwritten. */
export class TwoHistories extends Error {
  override readonly name = 'TwoHistories';

  constructor(stream: string, revision: number) {
    super(
      `${stream}@${revision} is one event in the source and another in the target: they tell two histories. Nothing was written over. ` +
        'Copy into an empty log, or find out which of the two is the right one.',
    );
  }
}

/** A stream of the source that cannot be copied whole: an event was altered, or a revision is missing. */
export interface BrokenStream {
  readonly stream: string;
  /** The first event that was not copied. */
  readonly revision: number;
  /** How many events of the stream, from that one on, were not copied. */
  readonly left: number;
  readonly detail: string;
}

const LIMITS: BatchLimits = { events: 400, bytes: 512 * 1024 };
const RETRY = { pauseMs: 250, timeoutMs: 60_000 };
/** How often a copy that follows its source makes the events that it has copied durable. */
const SETTLE_MS = 5_000;

/**
 * Copies what the target does not hold yet. Throws {@link TwoHistories}, `AppendTooLarge` for a single event that the
 * target does not take, and `LogUnavailable` or `OutcomeUnknown` when source or target stays away. After any of them a further run can go
 * on from the target.
 */
export async function copyLog(options: CopyOptions): Promise<CopyResult> {
  return new Copy(options).run();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** How far the copy of one stream is. */
interface StreamProgress {
  /** The target's last event at the time when the copy first met the stream. */
  readonly headAtStart: Stored | null;
  /** The last revision that the target holds. */
  head: number;
  /** The last revision that the source has given. */
  sourceHead: number;
  /** The hash that the next sealed event links to; `null`: not known. */
  hash: string | null;
  broken: Mutable<BrokenStream> | null;
}

class Copy {
  readonly #options: CopyOptions;
  readonly #streams = new Map<string, StreamProgress>();
  readonly #started = performance.now();
  #copied = 0;
  #skipped = 0;
  #foreign = 0;
  #settledAt = performance.now();

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  async run(): Promise<CopyResult> {
    const { source, target, signal } = this.#options;
    const after = await this.#commonBeginning();
    let complete = false;
    try {
      for await (const step of source.steps(after, signal)) {
        complete = false;
        const finished = await this.#copyEvents(step.events);
        complete = finished && step.caughtUp;
        this.#report(step.fraction);
        if (!finished || (complete && !this.#options.follow)) break;
        if (complete) await this.#settlePeriodically();
      }
      if (complete) await this.#compareTargetsAhead();
    } finally {
      // This also runs after a failure, so that what was copied need not be copied again.
      await target.settle(complete);
    }
    const seconds = (performance.now() - this.#started) / 1000;
    const [copied, skipped] = [this.#copied, this.#skipped];
    return {
      events: copied + skipped,
      copied,
      skipped,
      streams: this.#streams.size,
      seconds,
      complete,
      broken: this.#broken(),
      foreign: this.#foreign,
    };
  }

  /**
   * Where to begin when the target is a beginning of the source. It is one if its last event lies in the source at the same place, counted
   * from the first event. `null`: begin at the first event and compare stream by stream, which is slower but always right.
   */
  async #commonBeginning(): Promise<bigint | null> {
    const { source, target } = this.#options;
    if (!source.hasDensePositions || !target.hasDensePositions) return null;
    const end = await target.end();
    if (end === null) return null;
    const same = await source.find(end.stream, end.revision);
    if (same === null || same.position !== end.position || fingerprintOf(asCopied(same)) !== end.fingerprint) return null;
    this.#skipped = Number(end.position);
    return end.position;
  }

  /** `false`: the copy was stopped before the last of the events. */
  async #copyEvents(events: readonly RecordedEvent[]): Promise<boolean> {
    const { limits = LIMITS, signal, target } = this.#options;
    const product = events.filter(({ stream }) => isProductStream(stream)).map(asCopied);
    for (const window of windows(batches(product, limits), target.maxConcurrentAppends, limits)) {
      if (signal.aborted) return false;
      const appends: (readonly RecordedEvent[])[] = [];
      for (const batch of window) {
        if (!(await this.#fillTruncated(batch[0]))) return false;
        const missing = await this.#missing(batch);
        if (missing.length > 0) appends.push(missing);
      }
      if (!(await this.#appendAll(appends))) return false;
    }
    return true;
  }

  /**
   * Appends a filler for each event that was truncated before this one, so that this event keeps its revision. Other events name it by that
   * revision. Readers of the stream begin after the fillers. `false`: the copy was stopped.
   */
  async #fillTruncated(event: RecordedEvent | undefined): Promise<boolean> {
    if (event === undefined || !isTruncatable(event.stream)) return true;
    const progress = this.#streams.get(event.stream) ?? (await this.#begin(event));
    const { events: most } = this.#options.limits ?? LIMITS;
    while (Math.max(progress.sourceHead, progress.head) + 1 < event.revision) {
      const from = Math.max(progress.sourceHead, progress.head) + 1;
      const count = Math.min(most, event.revision - from);
      if (!(await this.#append(Array.from({ length: count }, (_, index) => fillerOf(TRUNCATED, event, from + index))))) return false;
      progress.sourceHead = from + count - 1;
      // What the first event that is kept links to is gone from the source: a checkpoint says it, which `verify` compares.
      progress.hash = null;
    }
    progress.sourceHead = Math.max(progress.sourceHead, event.revision - 1);
    return true;
  }

  async #missing(batch: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    const missing: RecordedEvent[] = [];
    for (const event of batch) if (await this.#isMissing(event)) missing.push(event);
    return missing;
  }

  /** Whether the target lacks the event. Checks it against the event before it in its stream, and against what the target holds. */
  async #isMissing(event: RecordedEvent): Promise<boolean> {
    const { stream, revision } = event;
    const progress = this.#streams.get(stream) ?? (await this.#begin(event));
    if (progress.broken !== null) return this.#leave(progress.broken);
    if (revision !== progress.sourceHead + 1) {
      return this.#break(progress, event, `comes after revision ${progress.sourceHead}: events are missing`);
    }
    if (!isLinked(progress, event)) return this.#break(progress, event, 'does not match its hash, or its hash the event before it');
    if (isDeepEvent(event.data)) return this.#break(progress, event, 'is nested more deeply than any event, and nothing could read it');
    progress.sourceHead = revision;
    // Of a copy that is copied again: nothing says what the first event behind its fillers links to, as in the first copy.
    const isBeginGone = isTruncatable(stream) && event.type === TRUNCATED && progress.hash === NO_HASH;
    progress.hash = isBeginGone ? null : (hashOf(event.metadata) ?? progress.hash);
    if (event.type === FOREIGN) this.#foreign += 1;
    if (revision > progress.head) return true;
    if (revision === progress.headAtStart?.revision && fingerprintOf(event) !== progress.headAtStart.fingerprint)
      throw new TwoHistories(stream, revision);
    this.#skipped += 1;
    return false;
  }

  /** What lies before the break is copied, and other streams go on. */
  #break(progress: StreamProgress, { stream, revision }: RecordedEvent, why: string): boolean {
    const broken = { stream, revision, left: 0, detail: `${stream}@${revision} ${why}` };
    progress.broken = broken;
    this.#options.onBroken?.(broken);
    return this.#leave(broken);
  }

  #leave(broken: { left: number }): false {
    broken.left += 1;
    return false;
  }

  async #begin({ stream, revision }: RecordedEvent): Promise<StreamProgress> {
    const headAtStart = await this.#options.target.last(stream);
    const head = headAtStart?.revision ?? -1;
    // After the common beginning a stream goes on from what the target holds.
    const sourceHead = revision > 0 && revision <= head + 1 ? revision - 1 : -1;
    const hash = sourceHead === -1 ? NO_HASH : sourceHead === head ? (headAtStart?.hash ?? null) : null;
    const progress = { headAtStart, head, sourceHead, hash, broken: null };
    this.#streams.set(stream, progress);
    return progress;
  }

  /**
   * Appends to different streams, sent in one turn. Those whose answer was not "stored" are sent again one by one. If the process dies
   * before that, the target is no longer a beginning of the source. The next run sees it by the number of events, and compares stream by
   * stream.
   */
  async #appendAll(appends: readonly (readonly RecordedEvent[])[]): Promise<boolean> {
    const [first] = appends;
    if (appends.length < 2) return this.#append(first ?? []);
    const answers = await Promise.allSettled(appends.map((events) => this.#send(events)));
    for (const [index, events] of appends.entries()) {
      const answer = answers[index];
      if (answer?.status === 'fulfilled' && answer.value.ok) this.#stored(events);
      else if (!(await this.#append(events))) return false;
    }
    return true;
  }

  #send(events: readonly RecordedEvent[]): Promise<AppendResult> {
    const [first] = events;
    if (!first) throw new Error('an append without events');
    return this.#options.target.append(first.stream, first.revision === 0 ? 'none' : first.revision - 1, events);
  }

  #stored(events: readonly RecordedEvent[]): void {
    this.#copied += events.length;
    const last = events.at(-1);
    const progress = last && this.#streams.get(last.stream);
    if (progress) progress.head = last.revision;
  }

  /** Appends consecutive events of one stream. `false`: the copy was stopped, and some may not be stored. */
  async #append(events: readonly RecordedEvent[]): Promise<boolean> {
    const [first] = events;
    if (!first) return true;
    const progress = this.#streams.get(first.stream);
    if (!progress) throw new Error(`${first.stream} was never met`);
    const outcome = await this.#sendUntilKnown(events);
    if (outcome === 'stopped') return false;
    if (outcome === 'tooLarge') return this.#appendHalves(events);
    if (outcome.ok) {
      this.#stored(events);
      return true;
    }
    return this.#append(await this.#afterConflict(progress, outcome.actual, events));
  }

  async #sendUntilKnown(events: readonly RecordedEvent[]): Promise<AppendResult | 'tooLarge' | 'stopped'> {
    const { signal, retry = RETRY } = this.#options;
    const giveUpAt = performance.now() + retry.timeoutMs;
    for (;;) {
      try {
        return await this.#send(events);
      } catch (error) {
        if (error instanceof AppendTooLarge) return 'tooLarge';
        if (!(error instanceof OutcomeUnknown || error instanceof LogUnavailable) || performance.now() > giveUpAt) throw error;
      }
      // Sends the identical append again. At an exact revision it is stored once, whatever became of the first try.
      await pause(retry.pauseMs, signal);
      if (signal.aborted) return 'stopped';
    }
  }

  async #appendHalves(events: readonly RecordedEvent[]): Promise<boolean> {
    const [first] = events;
    if (events.length === 1 && first) {
      throw new AppendTooLarge(
        `${first.stream}@${first.revision} (${first.type}) alone is more than the target takes in one append: raise the target's limit`,
      );
    }
    const middle = Math.ceil(events.length / 2);
    return (await this.#append(events.slice(0, middle))) && (await this.#append(events.slice(middle)));
  }

  /**
   * The stream has grown in the meantime. If another copy of the same source added these very events, returns those that are left to
   * append.
   */
  async #afterConflict(
    progress: StreamProgress,
    actual: number | 'none',
    events: readonly RecordedEvent[],
  ): Promise<readonly RecordedEvent[]> {
    const head = actual === 'none' ? -1 : actual;
    const [first] = events;
    if (!first || head < first.revision) throw new Error(`the target lost events of ${first?.stream} while they were copied`);
    const existing = events.filter(({ revision }) => revision <= head);
    for (const event of existing) await this.#compare(event);
    this.#skipped += existing.length;
    progress.head = head;
    return events.slice(existing.length);
  }

  async #compare(event: RecordedEvent): Promise<void> {
    const stored = await this.#options.target.find(event.stream, event.revision);
    if (stored?.fingerprint !== fingerprintOf(asCopied(event))) throw new TwoHistories(event.stream, event.revision);
  }

  /** Where a stream of the target goes on beyond the source, the target must hold the source's last event of it. */
  async #compareTargetsAhead(): Promise<void> {
    for (const [stream, { sourceHead, head }] of this.#streams) {
      if (head <= sourceHead) continue;
      const event = await this.#options.source.find(stream, sourceHead);
      if (event) await this.#compare(event);
    }
  }

  #broken(): readonly BrokenStream[] {
    return [...this.#streams.values()].flatMap(({ broken }) => broken ?? []);
  }

  async #settlePeriodically(): Promise<void> {
    if (performance.now() - this.#settledAt < SETTLE_MS) return;
    await this.#options.target.settle(true);
    this.#settledAt = performance.now();
  }

  #report(fraction: number | null): void {
    const seconds = (performance.now() - this.#started) / 1000;
    const eventsPerSecond = seconds > 0 ? this.#copied / seconds : 0;
    this.#options.onProgress?.({ copied: this.#copied, skipped: this.#skipped, fraction, eventsPerSecond });
  }
}

/** The event as the copy holds it: in the place of what another program wrote to a project's stream stands a filler. */
function asCopied(event: RecordedEvent): RecordedEvent {
  // The filler of a copy that is copied again stays what it is.
  if (!isChained(event.stream) || !isForeign(event) || (isTruncatable(event.stream) && event.type === TRUNCATED)) return event;
  return fillerOf(FOREIGN, event, event.revision);
}

/** Whether the event's hash follows from the sealed event before it. An event that is not sealed links to nothing. */
function isLinked({ hash }: StreamProgress, event: RecordedEvent): boolean {
  return hash === null || isForeign(event) || verifyLink(hash, event);
}
