import type { Topic } from '../../domain/live/topic.ts';
import type { SubjectKey } from '../../domain/subjects.ts';
import type { OutputNames } from '../../domain/wire-names.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Caller } from '../caller.ts';
import type { LiveObserver } from '../ports/live-observer.ts';
import type { Project } from '../project/project.ts';
import type { Admission } from './admission.ts';
import type { Expiries } from './expiries.ts';
import type { Reading } from './reading.ts';
import { isCurrent, type Rules, rulesOf } from './rules.ts';
import { errorText, type SharedTopic } from './shared-topic.ts';
import { proofExpiry, proofSubjects } from './touched.ts';

/** An event on its way to a client. */
export interface LiveEvent {
  /** The id that the client names when it comes back: all changes of its topics up to it were sent. Empty: the client names none. */
  readonly id?: string;
  readonly event?: 'refused' | 'resync' | 'stale';
  /** JSON text. */
  readonly data: string;
}

/** `later`: {@link Subscriber.room} says when to ask again. `never`: it is larger than what may wait for a client. */
export type Room = 'now' | 'later' | 'never';

/** The connection of a client, which knows how much it has taken. */
export interface Sink {
  /** Whether there is room for an event with so many characters. */
  roomFor(characters: number): Room;
  send(event: LiveEvent): void;
  end(): void;
}

/** What a subscriber asks of the streams of its project. */
export interface SubscriberHost {
  readonly project: Project;
  readonly scheduler: Scheduler;
  readonly observer: LiveObserver;
  readonly names: OutputNames;
  readonly expiries: Expiries;
  /** Whether this node may not know the latest changes of the project. */
  readonly isStale: boolean;
  /** Makes a function to call before each topic is admitted: it returns what to await, or `null` where the work may go on. */
  admissions(): () => Promise<void> | null;
  /** The topic of a reading, with this listener. */
  join(reading: Reading, rules: Rules, subscriber: Subscriber): SharedTopic;
  leave(topic: SharedTopic, subscriber: Subscriber): void;
  /** Sets the subjects that the subscriber's proof depends on. */
  watchProof(subjects: ReadonlySet<SubjectKey>, subscriber: Subscriber): void;
  /** Revision of the last change of the topic's subjects. */
  lastChange(topic: SharedTopic): number;
  /** Whether one of these has changed after this revision. */
  hasChanged(subjects: ReadonlySet<SubjectKey>, since: number): boolean;
  remove(subscriber: Subscriber): void;
}

/** Resolves the caller of a stream, again and again. */
export interface StreamCaller {
  /** Resolves the key again. */
  authenticate(): Awaitable<Caller>;
  admission(caller: Caller, topic: Topic): Promise<Admission>;
  /** The stream has ended. Called once. */
  left(): void;
}

/** One topic of one client. */
interface Entry {
  readonly topic: Topic;
  shared: SharedTopic | null;
  /** Number of the value that the client has; -1: it has none. */
  version: number;
  /** Revision of that value. */
  revision: number;
  /** The client has the value as of this revision, from an earlier stream. */
  since: number | null;
  /** Number of the value that a returning client did not get because it was too old. */
  awaited: number | null;
  refused: Refusal | null;
  isRefusalSent: boolean;
}

/** How long a proof counts before it is checked again, ms: a token may be revoked, and a version of the game may become too old. */
const CHECKED_MS = 60_000;
/** The same of a person, whose session or role may be taken; what tells of that is in another stream. */
const PERSON_CHECKED_MS = 1_000;
/** How long a client may leave its stream full, ms. After that it is told to read anew. */
const SLOW_MS = 10_000;

/**
 * One client's stream. Nothing queues for a slow client except what its connection holds: a value that cannot be sent now is skipped, and
 * the value of a later moment is sent instead.
 */
export class Subscriber {
  readonly #host: SubscriberHost;
  readonly #streamCaller: StreamCaller;
  readonly #entries: Entry[];
  /**
   * Index of the topic that is sent next: the one that found no room. Otherwise a topic that changes all the time would leave no room for
   * the others.
   */
  #nextIndex = 0;
  #sink: Sink | null = null;
  #rules: Rules | null = null;
  #checkedUntil = 0;
  #checking: Promise<void> | null = null;
  #isClosed = false;
  /** Since when there has been no room. */
  #fullSince: number | null = null;
  #needsResync: boolean;
  /** Whether the client was told last that the node may not know the latest changes. */
  #saidStale = false;

  /** `needsResync`: the changes that the client missed are not known. */
  constructor(topics: readonly Topic[], needsResync: boolean, host: SubscriberHost, streamCaller: StreamCaller) {
    this.#host = host;
    this.#streamCaller = streamCaller;
    this.#needsResync = needsResync;
    this.#entries = topics.map((topic) => ({
      topic,
      shared: null,
      version: -1,
      revision: -1,
      since: needsResync ? null : topic.since,
      awaited: null,
      refused: null,
      isRefusalSent: false,
    }));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Looks up the caller's permissions. Throws refusals that end the whole stream: of the key, of the proof, of a verifier that cannot be
   * reached.
   */
  begin(): Promise<void> {
    const checked = this.#check();
    this.#checking = checked.then(
      () => this.#checked(),
      () => this.#checked(),
    );
    return checked;
  }

  async #check(): Promise<void> {
    const { project, scheduler } = this.#host;
    const rules = rulesOf(project);
    const { head } = project.set;
    const caller = await this.#streamCaller.authenticate();
    let expiresAt = caller.key.kind === 'person' ? scheduler.now() + PERSON_CHECKED_MS : Number.POSITIVE_INFINITY;
    const proof = new Set<SubjectKey>();
    const pause = this.#host.admissions();
    for (const entry of this.#entries) {
      const turn = pause();
      if (turn !== null) await turn;
      const found = await admissionOrRefusal(this.#streamCaller, caller, entry.topic);
      // The client has left meanwhile.
      if (this.#isClosed) return;
      if (found instanceof Refusal) {
        this.#refuse(entry, found);
        continue;
      }
      expiresAt = Math.min(expiresAt, proofExpiry(found.caller));
      for (const subject of proofSubjects(found.caller)) proof.add(subject);
      this.#admit(entry, found.reading, rules);
    }
    this.#host.watchProof(proof, this);
    // A proof that was taken back while the topics were looked at: some were admitted by what it was.
    const isOvertaken = this.#host.hasChanged(proof, head);
    this.#checkedUntil = isOvertaken ? 0 : Math.min(scheduler.now() + CHECKED_MS, expiresAt);
    this.#rules = rules;
    if (!this.#isClosed) this.#host.expiries.watch(this, expiresAt);
  }

  /** Begins to send. If the project was closed meanwhile nothing is sent, and the client comes back. */
  start(sink: Sink): void {
    this.#sink = sink;
    if (this.#isClosed) sink.end();
    else this.flush();
  }

  /** The caller's permissions must be looked up before anything more is sent. */
  recheckSoon(): void {
    this.#checkedUntil = 0;
  }

  /** Checks again. A stream that may not go on is ended. */
  recheck(): Promise<void> {
    this.#checking ??= this.#check()
      .catch((thrown: unknown) => this.#end(thrown))
      .then(() => this.#checked());
    return this.#checking;
  }

  #checked(): void {
    this.#checking = null;
    this.flush();
  }

  /** Sends what is new, as far as there is room. */
  flush(): void {
    const sink = this.#sink;
    if (sink === null || this.#isClosed || this.#checking !== null) return;
    if (!this.isChecked) return void this.recheck();
    if (this.#needsResync) this.#sendResync(sink);
    if (this.#saidStale !== this.#host.isStale && !this.#sendStale(sink)) return;
    const { length } = this.#entries;
    for (let count = 0; count < length; count += 1, this.#nextIndex = (this.#nextIndex + 1) % length) {
      const entry = this.#entries[this.#nextIndex];
      const event = entry === undefined ? null : this.#nextOf(entry);
      if (entry === undefined || event === null) continue;
      const room = sink.roomFor(event.data.length);
      if (room === 'later') {
        this.#fullSince ??= this.#host.scheduler.monotonic();
        return;
      }
      this.#send(sink, entry, event, room === 'never');
    }
  }

  /** Call this when there may be room again. */
  room(): void {
    const since = this.#fullSince;
    if (since === null) return;
    this.#fullSince = null;
    if (this.#host.scheduler.monotonic() - since > SLOW_MS) {
      this.#needsResync = true;
      for (const entry of this.#entries) entry.version = -1;
    }
    this.flush();
  }

  /** How far the client is, for a stream with nothing to send; `null`: some topics have not been sent yet. */
  cursor(): string | null {
    let least = this.#host.project.set.head;
    for (const { shared, version, revision, refused, since } of this.#entries) {
      // The topic may be allowed later, and its whole value is sent then.
      if (refused !== null) return null;
      if (shared === null || version === -1) {
        if (since === null) return null;
        least = Math.min(least, since);
      } else least = Math.min(least, version === shared.version ? shared.shownTo : revision);
    }
    return least < 0 ? null : String(least);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host.expiries.forget(this);
    this.#host.watchProof(new Set(), this);
    for (const entry of this.#entries) this.#leave(entry);
    this.#host.remove(this);
    this.#streamCaller.left();
    this.#sink?.end();
  }

  /** Whether the caller's permissions are known as they are now. */
  get isChecked(): boolean {
    return this.#rules !== null && isCurrent(this.#rules, this.#host.project) && this.#host.scheduler.now() < this.#checkedUntil;
  }

  #nextOf(entry: Entry): LiveEvent | null {
    const { topic, refused, shared, version } = entry;
    if (refused !== null) {
      if (entry.isRefusalSent) return null;
      return { event: 'refused', data: `{"topic":${JSON.stringify(topic.text)},"error":${errorText(refused, this.#host.names)}}` };
    }
    if (shared === null || version === shared.version) return null;
    shared.requestValue();
    if (shared.value === null) return null;
    if (this.#isUpToDate(entry, shared, shared.value.revision)) return null;
    const { members, isRefused, revision } = shared.value;
    const data = `{"topic":${JSON.stringify(topic.text)},"revision":${revision},${members}}`;
    return isRefused ? { event: 'refused', data } : { data };
  }

  /** Whether a returning client already has this value, or a newer one is about to be read. */
  #isUpToDate(entry: Entry, shared: SharedTopic, revision: number): boolean {
    const { since } = entry;
    if (since === null) return false;
    const changed = this.#host.lastChange(shared);
    if (changed > shared.shownTo && (entry.awaited ?? shared.version) === shared.version) {
      entry.awaited = shared.version;
      return true;
    }
    entry.since = null;
    if (changed > since && revision > since) return false;
    entry.version = shared.version;
    entry.revision = Math.max(since, revision);
    return true;
  }

  /** `isTooLarge`: the client is told to read it by itself. */
  #send(sink: Sink, entry: Entry, event: LiveEvent, isTooLarge: boolean): void {
    entry.isRefusalSent = entry.refused !== null;
    if (entry.shared !== null && entry.refused === null) {
      entry.version = entry.shared.version;
      entry.revision = entry.shared.value?.revision ?? -1;
      entry.since = null;
    }
    // A client that was refused a topic has no id that it could name when it comes back.
    const id = entry.refused === null ? this.cursor() : '';
    const numbered = id === null ? {} : { id };
    const { observer } = this.#host;
    if (isTooLarge) {
      const data = `{"topic":${JSON.stringify(entry.topic.text)},"revision":${entry.revision}}`;
      observer.resync();
      sink.send({ ...numbered, event: 'resync', data });
    } else {
      observer.message();
      sink.send({ ...numbered, ...event });
    }
  }

  #sendResync(sink: Sink): void {
    this.#needsResync = false;
    this.#host.observer.resync();
    sink.send({ event: 'resync', data: `{"revision":${this.#host.project.set.head}}` });
  }

  /** Says whether the node may not know the latest changes. False: there is no room. */
  #sendStale(sink: Sink): boolean {
    const { isStale, scheduler } = this.#host;
    const data = `{"stale":${isStale}}`;
    if (sink.roomFor(data.length) === 'later') {
      this.#fullSince ??= scheduler.monotonic();
      return false;
    }
    this.#saidStale = isStale;
    sink.send({ event: 'stale', data });
    return true;
  }

  #admit(entry: Entry, reading: Reading, rules: Rules): void {
    if (entry.refused !== null) {
      entry.refused = null;
      entry.version = -1;
    }
    const before = entry.shared;
    entry.shared = this.#host.join(reading, rules, this);
    if (before !== null) this.#host.leave(before, this);
    if (before !== entry.shared) entry.version = -1;
  }

  #refuse(entry: Entry, refused: Refusal): void {
    const isKnown = entry.refused?.code === refused.code;
    entry.isRefusalSent = isKnown && entry.isRefusalSent;
    entry.refused = refused;
    entry.since = null;
    this.#leave(entry);
  }

  #leave(entry: Entry): void {
    if (entry.shared !== null) this.#host.leave(entry.shared, this);
    entry.shared = null;
  }

  #end(thrown: unknown): void {
    if (thrown instanceof Refusal) this.#sink?.send({ event: 'refused', data: `{"error":${errorText(thrown, this.#host.names)}}` });
    this.close();
  }
}

/** A topic with its proven caller, or the refusal of the topic. Throws refusals that end the whole stream. */
async function admissionOrRefusal(streamCaller: StreamCaller, caller: Caller, topic: Topic): Promise<Admission | Refusal> {
  try {
    return await streamCaller.admission(caller, topic);
  } catch (thrown) {
    if (thrown instanceof Refusal && isOfTopic(thrown)) return thrown;
    throw thrown;
  }
}

/** A 401 is of the caller, and other answers from 500 on are of the node or of a service: those concern every topic. */
function isOfTopic({ status, code }: Refusal): boolean {
  if (code === 'SECRET_KEY_REQUIRED' || code === 'QUERY_FAILED') return true;
  return status !== 401 && status !== 429 && status < 500;
}
