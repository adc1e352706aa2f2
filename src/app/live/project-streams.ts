import type { ProjectEvent } from '../../domain/events.ts';
import { AUTHORITY, DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { type OutputNames, wireNames } from '../../domain/wire-names.ts';
import type { RoundRobin } from '../../kernel/round-robin.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { WorkBudget } from '../../kernel/work-budget.ts';
import type { AppContext } from '../context.ts';
import type { LiveObserver } from '../ports/live-observer.ts';
import type { Project } from '../project/project.ts';
import { Changes } from './changes.ts';
import type { Evaluations } from './evaluations.ts';
import type { Expiries } from './expiries.ts';
import type { Reading } from './reading.ts';
import type { Rules } from './rules.ts';
import { SharedTopic } from './shared-topic.ts';
import type { Subscriber, SubscriberHost } from './subscriber.ts';
import { touchedSubjects } from './touched.ts';
import type { ValueMemory } from './value-memory.ts';

/** How long the last changes are kept when nobody listens any more, ms. */
const LINGER_MS = 60_000;

/** The part of one CPU that opening streams of a project takes while another project is in use: their clients wait. */
const ADMISSION_SHARE = 0.5;

/** What the streams of all projects share. */
export interface SharedParts {
  readonly memory: ValueMemory;
  readonly expiries: Expiries;
  readonly evaluations: Evaluations;
}

export interface StreamsLifecycle {
  /** The streams have ended, and the project is not listened to any more. */
  closed(): void;
}

/** All streams of one open project. An event is noted in the turn that folds it, and handled in a later turn. */
export class ProjectStreams implements SubscriberHost {
  readonly project: Project;
  readonly changes: Changes;
  readonly subscribers = new Set<Subscriber>();
  readonly scheduler: Scheduler;
  readonly observer: LiveObserver;
  readonly names: OutputNames;
  readonly expiries: Expiries;
  isStale = false;
  readonly #topics = new Map<string, { readonly topic: SharedTopic; readonly subscriptions: Map<Subscriber, number> }>();
  readonly #bySubject = new Map<SubjectKey, Set<SharedTopic>>();
  readonly #byProof = new Map<SubjectKey, Set<Subscriber>>();
  readonly #proofs = new Map<Subscriber, ReadonlySet<SubjectKey>>();
  readonly #changed = new Set<SharedTopic>();
  readonly #delivering = new Set<SharedTopic>();
  /** Topics with a value that was read and not handed out since. */
  readonly #due = new Set<SharedTopic>();
  readonly #memory: ValueMemory;
  readonly #roundRobin: RoundRobin;
  readonly #evaluating: WorkBudget;
  readonly #admitting: WorkBudget;
  readonly #unfollow: () => void;
  readonly #lifecycle: StreamsLifecycle;
  #opening = 0;
  #isClosing = false;
  #isScheduled = false;
  #isRechecking = false;
  #haveRulesChanged = false;

  constructor(
    project: Project,
    { scheduler, roundRobin, live }: AppContext,
    { memory, expiries, evaluations }: SharedParts,
    lifecycle: StreamsLifecycle,
  ) {
    this.project = project;
    this.scheduler = scheduler;
    this.#roundRobin = roundRobin;
    this.observer = live.observer;
    this.names = wireNames(live.names);
    this.expiries = expiries;
    this.#memory = memory;
    this.#evaluating = evaluations.budgetOf(project);
    this.#admitting = new WorkBudget(scheduler, ADMISSION_SHARE);
    this.#lifecycle = lifecycle;
    this.changes = new Changes(project.set.head, (from, limit) => project.history(from, limit));
    this.#unfollow = project.set.listen({ folded: (event) => this.#noteEvent(event), closed: () => this.close() });
  }

  /** Tells the clients whether this node may not know the latest changes. */
  mark(isStale: boolean): void {
    if (this.isStale === isStale) return;
    this.isStale = isStale;
    for (const subscriber of this.subscribers) subscriber.flush();
  }

  /** Keeps these streams of the project open while a client's stream is being opened. */
  async opening<T>(work: () => Promise<T>): Promise<T> {
    this.#opening += 1;
    try {
      return await work();
    } finally {
      this.#opening -= 1;
      this.#closeSoon();
    }
  }

  /** Kept for a while: clients that lost their streams come back soon, and need not read everything again. */
  #closeSoon(): void {
    if (this.subscribers.size > 0 || this.#isClosing) return;
    this.#isClosing = true;
    this.scheduler.after(LINGER_MS, () => {
      this.#isClosing = false;
      if (this.subscribers.size === 0 && this.#opening === 0) this.close();
    });
  }

  admissions(): () => Promise<void> | null {
    const share = this.#pauses();
    let before: number | null = null;
    const begin = () => {
      before = this.scheduler.computed();
    };
    return () => {
      if (before !== null) this.#admitting.spend(this.scheduler.computed() - before);
      const turn = (this.project.isAlone ? null : this.#admitting.wait()) ?? share();
      if (turn === null) begin();
      return turn === null ? null : turn.then(begin);
    };
  }

  #pauses(): () => Promise<void> | null {
    return this.#roundRobin.sharing(this.project.id);
  }

  join(reading: Reading, rules: Rules, subscriber: Subscriber): SharedTopic {
    const known = this.#topics.get(reading.name) ?? this.#createTopic(reading, rules);
    known.subscriptions.set(subscriber, (known.subscriptions.get(subscriber) ?? 0) + 1);
    known.topic.listeners += 1;
    this.#index(known.topic, reading, rules);
    known.topic.evaluate();
    return known.topic;
  }

  leave(topic: SharedTopic, subscriber: Subscriber): void {
    const known = this.#topics.get(topic.name);
    if (known === undefined || known.topic !== topic) return;
    const others = (known.subscriptions.get(subscriber) ?? 1) - 1;
    if (others > 0) known.subscriptions.set(subscriber, others);
    else known.subscriptions.delete(subscriber);
    topic.listeners -= 1;
    if (topic.listeners > 0) return;
    topic.close();
    this.#topics.delete(topic.name);
    this.#unindex(topic);
  }

  watchProof(subjects: ReadonlySet<SubjectKey>, subscriber: Subscriber): void {
    for (const subject of this.#proofs.get(subscriber) ?? []) remove(this.#byProof, subject, subscriber);
    for (const subject of subjects) add(this.#byProof, subject, subscriber);
    if (subjects.size === 0) this.#proofs.delete(subscriber);
    else this.#proofs.set(subscriber, subjects);
  }

  lastChange(topic: SharedTopic): number {
    return this.changes.lastOf(topic.subjects);
  }

  hasChanged(subjects: ReadonlySet<SubjectKey>, since: number): boolean {
    return this.changes.hasChanged(subjects, since);
  }

  remove(subscriber: Subscriber): void {
    if (!this.subscribers.delete(subscriber)) return;
    this.#closeSoon();
  }

  /** Ends all streams: their clients come back, here or elsewhere. */
  close(): void {
    this.#unfollow();
    this.#lifecycle.closed();
    for (const subscriber of this.subscribers) subscriber.close();
    for (const { topic } of this.#topics.values()) topic.close();
  }

  #createTopic(reading: Reading, rules: Rules) {
    const { project, scheduler, names } = this;
    const topic = new SharedTopic(reading, rules, {
      project,
      scheduler,
      names,
      memory: this.#memory,
      onValue: (changed) => void this.#deliver(changed),
    });
    const created = { topic, subscriptions: new Map<Subscriber, number>() };
    this.#topics.set(reading.name, created);
    return created;
  }

  /** The new reading may depend on other subjects than the one before. */
  #index(topic: SharedTopic, reading: Reading, rules: Rules): void {
    this.#unindex(topic);
    topic.renew(reading, rules);
    for (const subject of topic.subjects) add(this.#bySubject, subject, topic);
  }

  #unindex(topic: SharedTopic): void {
    for (const subject of topic.subjects) remove(this.#bySubject, subject, topic);
  }

  #noteEvent(event: ProjectEvent): void {
    const touched = touchedSubjects(event);
    this.changes.note(event.revision, touched);
    for (const subject of touched) {
      for (const topic of this.#bySubject.get(subject) ?? []) {
        topic.note(event.revision);
        this.#changed.add(topic);
      }
      for (const subscriber of this.#byProof.get(subject) ?? []) {
        subscriber.recheckSoon();
        this.#haveRulesChanged = true;
      }
      if (subject === AUTHORITY || subject === DEFINITIONS) this.#haveRulesChanged = true;
    }
    if (this.#isScheduled || (this.#changed.size === 0 && !this.#haveRulesChanged)) return;
    this.#isScheduled = true;
    this.scheduler.defer(() => this.#evaluateChanged());
  }

  #evaluateChanged(): void {
    this.#isScheduled = false;
    for (const topic of this.#changed) topic.evaluate();
    this.#changed.clear();
    if (this.#haveRulesChanged) void this.#recheckAll();
  }

  /** Checks every subscriber's permissions again, even if nothing is to be sent: who may no longer read a topic learns it at once. */
  async #recheckAll(): Promise<void> {
    if (this.#isRechecking) return;
    this.#isRechecking = true;
    const pause = this.#pauses();
    while (this.#haveRulesChanged) {
      this.#haveRulesChanged = false;
      for (const subscriber of this.subscribers) {
        const turn = pause();
        if (turn !== null) await turn;
        if (!subscriber.isClosed && !subscriber.isChecked) await subscriber.recheck();
      }
    }
    this.#isRechecking = false;
  }

  /** Sends the topic's present value, which may be newer than the one that caused the call. */
  async #deliver(topic: SharedTopic): Promise<void> {
    this.#due.add(topic);
    if (this.#delivering.has(topic)) return;
    this.#delivering.add(topic);
    const pause = this.#pauses();
    // Read again while it is handed out, it goes to all once more: who was passed over may have asked for it.
    while (this.#due.delete(topic)) {
      for (const subscriber of this.#topics.get(topic.name)?.subscriptions.keys() ?? []) {
        const turn = pause();
        if (turn !== null) await turn;
        const beganAt = this.scheduler.monotonic();
        subscriber.flush();
        this.#evaluating.spend(this.scheduler.monotonic() - beganAt);
      }
    }
    this.#delivering.delete(topic);
  }
}

function add<T>(sets: Map<string, Set<T>>, name: string, one: T): void {
  const known = sets.get(name);
  if (known === undefined) sets.set(name, new Set([one]));
  else known.add(one);
}

function remove<T>(sets: Map<string, Set<T>>, name: string, one: T): void {
  const known = sets.get(name);
  known?.delete(one);
  if (known?.size === 0) sets.delete(name);
}
