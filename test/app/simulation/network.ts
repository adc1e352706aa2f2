import { hashOf } from '../../../src/log/chain.ts';
import {
  type AppendResult,
  type ExpectedRevision,
  type FollowOptions,
  type FollowStep,
  type Log,
  LogUnavailable,
  type NewEvent,
  OutcomeUnknown,
  type ReadRange,
  type RecordedEvent,
} from '../../../src/log/port.ts';
import type { NodeClock } from './clock.ts';
import { STREAM, type World } from './world.ts';

/** One append as it left a node. */
export interface Submission {
  readonly node: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  /** The log has answered that it was not stored, and it never will be. */
  excluded: boolean;
}

/** The fate of an append or a read on its way. */
type Fate = 'fine' | 'refused' | 'lost' | 'late' | 'unanswered';

const ANSWER_TIMEOUT = 30;

/**
 * The log as one node reaches it. Everything takes time. Appends may be refused (`LogUnavailable`: certainly not stored), lost, stored long
 * after the node was told that the outcome is unknown, or stored without an answer. Pages are short and may end inside a commit, which the
 * port allows.
 */
export class Network implements Log {
  /** Until when nothing gets through. */
  downUntil = 0;
  readonly #world: World;
  readonly #node: string;
  readonly #machine: NodeClock;
  readonly #submissions: Submission[];

  constructor(world: World, node: string, machine: NodeClock, submissions: Submission[]) {
    this.#world = world;
    this.#node = node;
    this.#machine = machine;
    this.#submissions = submissions;
  }

  async append(_stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    if (this.#machine.dead) return never();
    const { clock, random } = this.#world;
    const submission: Submission = { node: this.#node, expected, events, excluded: false };
    this.#submissions.push(submission);
    const fate = this.#fate();
    this.#world.note(`${this.#node} append at ${expected}: ${events.length} events, ${fate}`);
    await this.#travel();
    if (fate === 'refused') {
      submission.excluded = true;
      return this.#answer(() => Promise.reject(new LogUnavailable('refused')));
    }
    if (fate === 'lost' || fate === 'late') {
      if (fate === 'late') clock.after(random.between(5, 150), () => void this.#world.store(expected, events));
      await clock.wait(ANSWER_TIMEOUT);
      return this.#answer(() => Promise.reject(new OutcomeUnknown('lost')));
    }
    const result = await this.#world.store(expected, events);
    if (!result.ok) submission.excluded = true;
    this.#world.note(
      `${this.#node} append at ${expected} → ${result.ok ? `stored to ${result.revision}` : `conflict, at ${result.actual}`}`,
    );
    if (fate === 'unanswered') {
      await clock.wait(ANSWER_TIMEOUT);
      return this.#answer(() => Promise.reject(new OutcomeUnknown('no answer')));
    }
    await this.#travel();
    return this.#answer(() => Promise.resolve(result));
  }

  async read(stream: string, range: ReadRange): Promise<readonly RecordedEvent[]> {
    const limit = Math.min(range.limit, this.#page());
    return this.#ask(() => this.#world.log.read(stream, { ...range, limit }));
  }

  head(stream: string) {
    return this.#ask(() => this.#world.log.head(stream));
  }

  truncate(stream: string, before: number) {
    return this.#ask(() => this.#world.log.truncate(stream, before));
  }

  end() {
    return this.#ask(() => this.#world.log.end());
  }

  async *follow({ after, signal }: FollowOptions): AsyncGenerator<FollowStep> {
    const { clock, random, log } = this.#world;
    let at = Number(after ?? 0n);
    while (!signal.aborted) {
      await clock.wait(random.chance(0.05) ? random.between(50, 200) : random.between(1, 30));
      if (this.#machine.dead) return never();
      if (this.#isDown()) continue;
      // The one stream is the whole log, so position n is revision n − 1.
      const events = await log.read(STREAM, { from: at, limit: this.#page(), direction: 'forwards' });
      await this.#travel();
      if (this.#machine.dead) return never();
      at += events.length;
      const end = await log.head(STREAM);
      yield { events, caughtUp: end === null || at > end.revision, position: BigInt(at) };
    }
  }

  async close(): Promise<void> {}

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.#machine.dead) return never();
    await this.#travel();
    if (this.#isDown() || (this.#world.faulty && this.#world.random.chance(0.1))) {
      return this.#answer(() => Promise.reject(new LogUnavailable('no answer')));
    }
    const answer = await question();
    await this.#travel();
    return this.#answer(() => Promise.resolve(answer));
  }

  /** Nothing reaches a machine that is gone. */
  #answer<T>(answer: () => Promise<T>): Promise<T> {
    return this.#machine.dead ? never() : answer();
  }

  #travel(): Promise<void> {
    return this.#world.clock.wait(this.#world.travel());
  }

  #page(): number {
    return this.#world.faulty ? this.#world.random.whole(1, 12) : 1000;
  }

  #isDown(): boolean {
    return this.#world.clock.now < this.downUntil;
  }

  #fate(): Fate {
    const { random, faulty } = this.#world;
    if (this.#isDown()) return random.pick(['refused', 'refused', 'lost', 'late', 'unanswered']);
    if (!faulty || random.chance(0.8)) return 'fine';
    return random.pick(['refused', 'lost', 'late', 'unanswered']);
  }
}

/** The bytes that an id stands for. */
export function bytesOf(event: NewEvent, expected: ExpectedRevision): string {
  return `${expected} ${event.type} ${hashOf(event.metadata)}`;
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
