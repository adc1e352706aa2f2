import { withPosting } from '../../domain/document/posting.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { Quotas } from '../../domain/project/quotas.ts';
import type { Subject } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { type Command, type Commit, type Decided, eventText, type Outcome, Overtaken, stateChangesOf } from './commit.ts';
import { ContentionBackoff } from './contention-backoff.ts';
import { Deadlines } from './deadlines.ts';
import { DecisionContext, NeedsLoading } from './decision-context.ts';
import { GroupSize } from './group-size.ts';
import { PublishFence } from './publish-fence.ts';
import { type SealedGroup, sealGroup } from './seal-group.ts';
import { Sender, type SenderObserver, type SenderOptions } from './sender.ts';
import type { WorkingSet } from './working-set.ts';

/**
 * The writer of one project: gathers commits and appends them in groups, at the exact revision.
 *
 * A command is *decided* and *joins* in one synchronous turn: its events are applied to the speculative layer at once, so the next
 * command on a hot document builds on them without waiting. Where a command is:
 *
 *   deciding ──► gathering ──► in flight ──► durable (answered)
 *      ▲            │  │           │
 *      │ load       │  └ deadline: withdrawn, 503 (never sent)
 *      └────────────┴──── conflict: checked again
 *
 * - *gathering*: joined, waiting for the append under way. May be withdrawn; what joined after it is then checked again.
 * - *in flight*: sent. While the answer is unknown the group is frozen: the identical append (same ids) is sent again until it is
 *   known; nobody joins it, leaves it or is decided again. At its deadline a command answers 504 and the group goes on.
 * - *conflict*: another node wrote. Speculation is dropped, the gap is read and folded; commits found in it by their command id are
 *   done, those whose reads still hold go in unchanged, the others are decided again. One whose reads another node changed
 *   8 times (or as often as the command says) is 409; reads from commands of this node that are decided again do not count.
 * - A command *without events* (a refusal, nothing to do) has no append that could conflict, though another node may have changed what it
 *   read. So the log is asked for its end before the answer, once for all who wait; missing events are folded, and the command is decided
 *   again if they matter to it. One that read speculation waits for the group it read from: that append shows the same. A command that
 *   only reads asks nothing.
 */

export interface WriterLimits {
  readonly groupCommits: number;
  readonly groupBytes: number;
  readonly queueCommits: number;
  readonly windowBytes: number;
  /** For projects without quotas of their own; left out: no quotas. */
  readonly quotas?: Quotas;
  /** Milliseconds from the request to its 503 or 504. */
  readonly deadlineMs: number;
}

/** Observes the writer, for metrics. */
export interface WriterObserver extends SenderObserver {
  /** `flagged`: number of the writes that exceeded a rule whose action is `flag`. */
  appended(commits: number, events: number, ms: number, flagged: number): void;
  conflict(): void;
  queue(length: number): void;
}

export interface WriterOptions extends SenderOptions {
  readonly set: WorkingSet;
  readonly limits: WriterLimits;
  readonly observer: WriterObserver;
  /** Whether no other project of the node is in use. */
  isAlone(): boolean;
  /** Loads subjects into the working set. */
  load(subjects: readonly Subject[]): Promise<void>;
  /** Folds everything that the log holds now. */
  refresh(): Promise<void>;
  /** No append is under way now, so events that the tail brought may be folded. */
  idle(): void;
  /** The project can no longer be trusted on this node: two histories, or an event that the node does not know. */
  stop(reason: Refusal): void;
}

const MAX_ATTEMPTS = 8;
/** After this many loads of a command, its decision collects everything that is missing. One that reads a document or two needs no more. */
const LOADS_BEFORE_COLLECTING = 2;

export class Writer {
  /** Chain hash of the event at the head; '' before the first. */
  hash = '';
  /** `recordedAt` of the event at the head. */
  recordedAt = 0;
  readonly #options: WriterOptions;
  #gathering: Commit[] = [];
  #inFlight: readonly Commit[] = [];
  #scheduled = false;
  #deciding = 0;
  /** The latest time of a decision: `recordedAt` never goes back, over speculation too. */
  #lastDecidedAt = 0;
  #stopped: Refusal | null = null;
  /** A commit left the gathering group, so commits that joined later may have built on it. */
  #withdrawn = false;
  readonly #sender: Sender;
  readonly #backoff: ContentionBackoff;
  readonly #groupSize: GroupSize;
  readonly fence: PublishFence;
  /** The decision context of a command that has not been decided yet. */
  readonly #emptyContext: DecisionContext;
  readonly #deadlines: Deadlines<Commit>;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#emptyContext = new DecisionContext(options.set);
    this.#backoff = new ContentionBackoff(options.scheduler);
    this.fence = new PublishFence(options.scheduler);
    this.#groupSize = new GroupSize(options.scheduler, () => options.isAlone());
    this.#deadlines = new Deadlines(options.scheduler, options.limits.deadlineMs, (commit) => this.#expire(commit));
  }

  /** True while an append is under way. The tail must not be folded then. */
  get busy(): boolean {
    return this.#inFlight.length > 0;
  }

  /** When the last append left, by the monotonic clock. Once it is stored, the head is known for that moment. */
  get sentAt(): number {
    return this.#sender.sentAt;
  }

  get length(): number {
    return this.#gathering.length + this.#inFlight.length + this.#deciding;
  }

  /**
   * Decides, and stores the events if there are any. Throws the command's `Refusal`; 409 after too many conflicts, 503 for a command that
   * was never sent, 504 for one whose outcome is unknown.
   */
  execute<A>(command: Command<A>): Promise<Outcome<A>> {
    const refused = this.#refusal();
    if (refused) return Promise.reject(refused);
    return new Promise<Outcome<A>>((resolve, reject) => {
      const commit: Commit = {
        command,
        // The answer is of this very command, so its type is the command's.
        resolve: resolve as (outcome: Outcome<unknown>) => void,
        reject,
        events: [],
        texts: [],
        bytes: 0,
        changes: [],
        ctx: this.#emptyContext,
        result: { answer: undefined },
        decidedAt: 0,
        attempts: 0,
        loads: 0,
        pinned: [],
        sent: false,
        current: false,
        settled: false,
      };
      this.#decideAndJoin(commit);
      if (commit.settled) return;
      this.#deadlines.add(commit);
    });
  }

  /** The tail brought events of another node while no append was under way: the gathered commits are checked against them. */
  foreignFolded(): void {
    this.#backoff.foreignWrite();
    this.#recheck(this.#gathering);
  }

  /** Refuses everything from now on. What is in flight ends by itself. */
  stop(reason: Refusal): void {
    this.#stopped = reason;
    const waiting = this.#gathering;
    this.#gathering = [];
    for (const commit of waiting) this.#fail(commit, reason);
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    while (this.length > 0) await this.#options.scheduler.sleep(5);
  }

  #refusal(): Refusal | null {
    if (this.#stopped) return this.#stopped;
    const { limits, set } = this.#options;
    if (this.length >= limits.queueCommits) return refusal('BUSY');
    if (set.windowBytes > limits.windowBytes) return refusal('BEHIND');
    // Refused, so that commands do not pile up. Only while an append keeps trying: when all its commands have given up, the next command
    // tries the log.
    if (this.busy && this.#sender.isFailing()) return refusal('STORAGE_UNAVAILABLE');
    return null;
  }

  // ── deciding and joining: one synchronous turn ──────────────────────────────────────────────────────────────────

  #decideAndJoin(commit: Commit): void {
    const ctx = new DecisionContext(this.#options.set, commit.loads >= LOADS_BEFORE_COLLECTING);
    const now = Math.max(this.#options.scheduler.now(), this.#lastDecidedAt, this.recordedAt);
    let decision: Decided<unknown>;
    try {
      decision = commit.command.decide(ctx, now);
    } catch (error) {
      const needed = error instanceof NeedsLoading ? error.subjects : ctx.missing;
      if (needed !== null) {
        this.#loadAndDecide(commit, needed);
        return;
      }
      if (!(error instanceof Refusal)) {
        this.#fail(commit, error);
        this.#release(commit);
        return;
      }
      decision = error;
    }
    if (ctx.missing !== null) {
      this.#loadAndDecide(commit, ctx.missing);
      return;
    }
    this.#release(commit);
    commit.ctx = ctx;
    commit.decidedAt = now;
    const events = decision instanceof Refusal ? [] : decision.events;
    commit.result = decision instanceof Refusal ? { refused: decision } : decision;
    if (events.length === 0) {
      ctx.used();
      commit.events = [];
      commit.texts = [];
      commit.changes = [];
      commit.bytes = 0;
      if (ctx.speculative) this.#gather(commit);
      else this.#answerOnceCurrent(commit);
      return;
    }
    try {
      this.#join(commit, withPosting(events), now);
    } catch (error) {
      // This command alone failed. A loop over the whole queue must go on to the others.
      this.#fail(commit, error);
    }
  }

  #join(commit: Commit, events: readonly DomainEvent[], now: number): void {
    commit.events = events;
    commit.texts = events.map(eventText);
    commit.bytes = commit.texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 512, 0);
    if (commit.bytes > this.#options.limits.groupBytes) {
      this.#fail(commit, refusal('APPEND_TOO_LARGE'));
      return;
    }
    commit.changes = stateChangesOf(commit, events, now);
    this.#lastDecidedAt = now;
    this.#options.set.speculate(commit.changes);
    commit.ctx.used();
    this.#gather(commit);
  }

  #gather(commit: Commit): void {
    this.#gathering.push(commit);
    this.#schedule();
  }

  #loadAndDecide(commit: Commit, subjects: readonly Subject[]): void {
    this.#deciding += 1;
    commit.loads += 1;
    commit.pinned = [...commit.pinned, ...subjects];
    this.#options.set.pin(subjects);
    this.#options.load(subjects).then(
      () => {
        this.#deciding -= 1;
        if (this.#stopped) this.#fail(commit, this.#stopped);
        if (commit.settled) this.#release(commit);
        else this.#decideAndJoin(commit);
      },
      (error: unknown) => {
        this.#deciding -= 1;
        this.#fail(commit, error);
        this.#release(commit);
      },
    );
  }

  #release(commit: Commit): void {
    if (commit.pinned.length === 0) return;
    this.#options.set.unpin(commit.pinned);
    commit.pinned = [];
  }

  /** Checks commits again in their order, against the present layers. Those that still hold join again unchanged. */
  #recheck(commits: readonly Commit[]): void {
    this.#withdrawn = false;
    this.#options.set.dropSpeculation();
    let floor = this.recordedAt;
    for (const commit of this.#inFlight) {
      this.#options.set.speculate(commit.changes);
      floor = Math.max(floor, commit.decidedAt);
    }
    this.#gathering = [];
    for (const commit of commits) {
      if (this.#stopped) this.#fail(commit, this.#stopped);
      if (commit.settled) continue;
      this.#rejoin(commit, floor);
      if (!commit.settled && commit.events.length > 0) floor = Math.max(floor, commit.decidedAt);
    }
  }

  /** `floor`: the time of the commits before it. A commit decided earlier would turn the clock back, so it is decided again. */
  #rejoin(commit: Commit, floor: number): void {
    const holds = commit.ctx.holds();
    if (holds && commit.decidedAt >= floor) {
      this.#options.set.speculate(commit.changes);
      this.#gather(commit);
      return;
    }
    if (commit.ctx.isOvertaken()) commit.attempts += 1;
    if (commit.attempts >= (commit.command.attempts ?? MAX_ATTEMPTS)) this.#fail(commit, new Overtaken());
    else this.#decideAndJoin(commit);
  }

  // ── appending ───────────────────────────────────────────────────────────────────────────────────────────────────

  #schedule(): void {
    if (this.#scheduled || this.#inFlight.length > 0 || this.#gathering.length === 0) return;
    this.#scheduled = true;
    const { scheduler } = this.#options;
    const start = () => {
      this.#scheduled = false;
      this.#start();
    };
    const pause = Math.max(this.#backoff.delayMs(), this.fence.delayMs());
    if (pause > 0) scheduler.after(pause, start);
    else scheduler.defer(start);
  }

  #start(): void {
    if (this.#inFlight.length > 0) return;
    if (this.fence.delayMs() > 0) return void this.#schedule();
    if (this.#withdrawn) this.#recheck(this.#gathering);
    if (this.#gathering.length === 0) return;
    const group = this.#takeGroup();
    this.#inFlight = group;
    this.#sender.maybeStored = false;
    this.#options.observer.queue(this.length);
    this.#run(group).catch((error: unknown) => {
      // Two histories, an unknown event, or a fault of ours: the project stops and is opened anew from the log.
      this.#inFlight = [];
      for (const commit of group) {
        const unknown = this.#sender.maybeStored && (commit.events.length > 0 || commit.result.replayed === true);
        this.#fail(commit, unknown ? refusal('OUTCOME_UNKNOWN') : error);
      }
      this.#options.stop(error instanceof Refusal ? error : refusal('INTERNAL_ERROR'));
    });
  }

  #takeGroup(): readonly Commit[] {
    const { limits } = this.#options;
    const most = this.#groupSize.most(limits.groupCommits);
    let bytes = 0;
    let count = 0;
    for (const commit of this.#gathering) {
      if (count >= most || (count > 0 && bytes + commit.bytes > limits.groupBytes)) break;
      bytes += commit.bytes;
      count += 1;
    }
    return this.#gathering.splice(0, count);
  }

  async #run(group: readonly Commit[]): Promise<void> {
    const sealed = sealGroup(group, { revision: this.#options.set.head, hash: this.hash, recordedAt: this.recordedAt });
    if (sealed.events.length === 0) {
      this.#finish(sealed, this.#options.set.head);
      return;
    }
    const head = this.#options.set.head;
    this.#groupSize.sent();
    const result = await this.#sender.append(sealed, head);
    if (result === 'withdrawn' || result === 'too large') {
      if (result === 'too large') for (const commit of group) this.#fail(commit, refusal('APPEND_TOO_LARGE'));
      this.#inFlight = [];
      this.#recheck([...group, ...this.#gathering]);
      return;
    }
    if (result.ok) {
      const took = this.#options.scheduler.monotonic() - this.#sender.sentAt;
      this.#backoff.appended(took);
      this.#groupSize.stored(group.length);
      this.#options.observer.appended(group.length, sealed.events.length, took, sealed.flagged);
      this.#finish(sealed, head + sealed.events.length);
      return;
    }
    await this.#conflict(group, result.actual);
  }

  #finish({ commits, events, perCommit, hash, recordedAt }: SealedGroup, revision: number): void {
    const { set } = this.#options;
    let head = set.head;
    try {
      for (const [index, commit] of commits.entries()) {
        const own = perCommit[index] ?? [];
        if (own.length > 0) set.settle(commit.changes, own);
      }
      if (set.head !== revision) throw new Error(`writer: head ${set.head} after an append that made ${revision}`);
      this.hash = hash;
      this.recordedAt = recordedAt;
      this.#inFlight = [];
      this.#options.idle();
      // After a group that needed no append, thousands like it may follow: each gets a turn of its own.
      if (events.length > 0) this.#startOrSchedule(commits.length);
      else this.#schedule();
    } finally {
      // What is stored is durable, whatever becomes of the writer.
      for (const [index, commit] of commits.entries()) {
        head += perCommit[index]?.length ?? 0;
        if (events.length > 0) this.#answer(commit, head);
        else this.#answerOnceCurrent(commit);
      }
    }
  }

  /**
   * Starts the next append before the commits just `stored` are answered, if at least half as many have gathered: the log then works while
   * answers are written. Fewer wait for commands of this turn, because a small append costs the log nearly as much as a large one.
   */
  #startOrSchedule(stored: number): void {
    if (this.#gathering.length * 2 >= stored && this.#backoff.delayMs() === 0) this.#start();
    else this.#schedule();
  }

  async #conflict(group: readonly Commit[], actual: number | 'none'): Promise<void> {
    const { set, observer } = this.#options;
    observer.conflict();
    this.#backoff.foreignWrite();
    if (actual === 'none' || actual < set.head) throw refusal('HISTORY_MISMATCH');
    set.dropSpeculation();
    const found = await this.#sender.readGap(actual);
    this.#inFlight = [];
    for (const commit of group) {
      commit.sent = false;
      const revision = found.get(commit.command.commandId);
      if (revision !== undefined && commit.events.length > 0) this.#answer(commit, revision);
    }
    this.#recheck([...group, ...this.#gathering]);
  }

  // ── answering ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Answers a command without events. If another node stored something before it came, it is decided again. */
  #answerOnceCurrent(commit: Commit): void {
    if (commit.settled) return;
    if (commit.current || needsNoRefresh(commit)) {
      this.#answer(commit, this.#options.set.head);
      return;
    }
    this.#deciding += 1;
    this.#options.refresh().then(
      () => {
        this.#deciding -= 1;
        commit.current = true;
        if (this.#stopped) this.#fail(commit, this.#stopped);
        if (commit.settled) return;
        if (commit.ctx.holds()) this.#answer(commit, this.#options.set.head);
        else this.#decideAndJoin(commit);
      },
      (error: unknown) => {
        this.#deciding -= 1;
        const repeats = commit.result.replayed === true;
        const unknown = repeats ? refusal('OUTCOME_UNKNOWN') : refusal('STORAGE_UNAVAILABLE', NOT_CURRENT);
        this.#fail(commit, error instanceof Refusal && !repeats ? error : unknown);
      },
    );
  }

  #answer(commit: Commit, revision: number): void {
    if (commit.settled) return;
    commit.settled = true;
    const { result } = commit;
    if ('refused' in result) commit.reject(result.refused);
    else commit.resolve(result.replayed ? { answer: result.answer, revision, replayed: true } : { answer: result.answer, revision });
  }

  #fail(commit: Commit, reason: unknown): void {
    if (commit.settled) return;
    commit.settled = true;
    commit.reject(reason);
  }

  #expire(commit: Commit): void {
    if (commit.settled) return;
    if (commit.sent && commit.events.length > 0) {
      this.#fail(commit, refusal('OUTCOME_UNKNOWN'));
      return;
    }
    // A repeated request waits for an earlier one that is under way and may be stored by now.
    const repeats = commit.result.replayed === true;
    this.#fail(commit, repeats ? refusal('OUTCOME_UNKNOWN') : refusal('STORAGE_UNAVAILABLE', NOT_IN_TIME));
    const index = this.#gathering.indexOf(commit);
    if (index < 0) return;
    this.#gathering.splice(index, 1);
    // Checked when the next group is formed: many deadlines pass at once, and each check goes through the whole queue.
    this.#withdrawn = true;
  }
}

/** Whether the outcome of a command without events may be older than the log's end: a read, or a failure of ours. */
function needsNoRefresh({ ctx, result }: Commit): boolean {
  return ctx.onlyReads || ('refused' in result && result.refused.status >= 500);
}

const NOT_CURRENT = 'The log cannot be asked whether something has changed; nothing was written';
const NOT_IN_TIME = 'The write could not be stored in time; nothing was written';
