import { createHash } from 'node:crypto';
import { AUTHORITY, DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import type { OutputNames } from '../../domain/wire-names.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Project } from '../project/project.ts';
import type { Reading, TopicAnswer } from './reading.ts';
import { isCurrent, type Rules } from './rules.ts';
import type { ValueMemory } from './value-memory.ts';

/** The value of a topic. */
export interface Value {
  /** Members of the message, as JSON text: all but the topic. */
  readonly members: string;
  /** Whether it is a refusal of the read itself. */
  readonly isRefused: boolean;
  /** The value is exactly that of this revision, and has not changed since. */
  readonly revision: number;
}

/** The result of a read. `revision`: see {@link TopicAnswer.revision}. */
interface ReadResult extends Omit<Value, 'revision'> {
  readonly comparable: string;
  readonly revision: number | null;
}

interface ExactValue extends Value {
  readonly comparable: string;
  /** How many more changes it shows than the value before. */
  readonly changes: number;
}

export interface SharedTopicParts {
  readonly project: Project;
  readonly scheduler: Scheduler;
  readonly names: OutputNames;
  readonly memory: ValueMemory;
  /** Called after a read: there may be a new value. */
  onValue(topic: SharedTopic): void;
}

/** Pause before a read that failed or showed too little is tried again, ms; doubled each time. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/**
 * Least time between two reads of a dropped value, ms. Without it, topics that push each other out of memory would be read all the time.
 */
const READ_AGAIN_MS = 1_000;
/** Reads in a row for a value that keeps changing while it is read. */
const MAX_READS = 4;

/** One topic of one project on this node. It is read once for all of its clients. */
export class SharedTopic {
  readonly name: string;
  /** Subscriptions that listen. */
  listeners = 0;
  /** `null`: not read yet, or dropped to make room for other topics; see {@link requestValue}. */
  value: Value | null = null;
  /** Number of the value; 0: there is none. */
  version = 0;
  readonly #parts: SharedTopicParts;
  #reading: Reading;
  /** The rules under which the reading was admitted. */
  #rules: Rules;
  /** The first change that the read under way will show, and the first that no read covers yet. */
  #beingRead: number | null = null;
  #unread: number | null;
  /** The last change. */
  #lastChange: number;
  /** Changes that no value shows yet. */
  #changes = 0;
  /** Hash of the last value, and the revision since which it has been the same. */
  #valueHash = '';
  #since = -1;
  /** The value shows all changes up to here, and perhaps later ones. */
  #shownRevision = -1;
  #isRunning = false;
  #startedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #cancel: (() => void) | null = null;

  constructor(reading: Reading, rules: Rules, parts: SharedTopicParts) {
    this.name = reading.name;
    this.#parts = parts;
    this.#reading = reading;
    this.#rules = rules;
    this.#unread = parts.project.set.head;
    this.#lastChange = parts.project.set.head;
  }

  /** The subjects of the reading, and those that every topic depends on. */
  get subjects(): readonly SubjectKey[] {
    return [...this.#reading.subjects, DEFINITIONS, AUTHORITY];
  }

  /** The value shows all changes up to here. */
  get shownTo(): number {
    const unread = this.#beingRead ?? this.#unread;
    return Math.max(this.#shownRevision, unread === null ? this.#parts.project.set.head : unread - 1);
  }

  /** A change at this revision; {@link evaluate} reads it. */
  note(revision: number): void {
    this.#lastChange = revision;
    this.#changes += 1;
    this.#unread ??= revision;
  }

  /** Takes over a reading that was just admitted. */
  renew(reading: Reading, rules: Rules): void {
    this.#reading = reading;
    this.#rules = rules;
  }

  /** Reads the value if it has changed and the topic may be read again. Needs a reading of the definitions that are in force. */
  evaluate(): void {
    const { project, scheduler } = this.#parts;
    if (this.#unread === null || this.#isRunning || this.#cancel !== null || this.listeners === 0) return;
    if (!isCurrent(this.#rules, project)) return;
    const wait = this.#startedAt + this.#reading.everyMs - scheduler.monotonic();
    if (wait > 0) this.#evaluateLater(wait);
    else void this.#run();
  }

  /** Reads a dropped value again, because a client has not got it yet. */
  requestValue(): void {
    if (this.version === 0 || this.value !== null || this.#isRunning) return;
    // No change is unread. The read is asked for all the same, as of the head.
    this.#unread ??= this.#parts.project.set.head + 1;
    const wait = this.#startedAt + READ_AGAIN_MS - this.#parts.scheduler.monotonic();
    if (wait <= 0) this.evaluate();
    else if (this.#cancel === null) this.#evaluateLater(wait);
  }

  forget(): void {
    this.value = null;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#parts.memory.release(this);
  }

  async #run(): Promise<void> {
    const { project, scheduler } = this.#parts;
    this.#isRunning = true;
    this.#startedAt = scheduler.monotonic();
    project.used();
    const value = await this.#readExact();
    this.#isRunning = false;
    if (value instanceof Object) this.#accept(value);
    else this.#putBack(value === null);
    if (this.#unread === null) return;
    if (this.#failures === 0) this.evaluate();
    else this.#evaluateLater(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures - 1, 10)));
  }

  /**
   * Reads until the revision of the value is known. `null`: try again later. `outdated`: the definitions have changed, and the permissions
   * of the clients must be looked up first.
   */
  async #readExact(): Promise<ExactValue | 'outdated' | null> {
    const { project, names } = this.#parts;
    for (let tries = 1; tries <= MAX_READS; tries += 1) {
      const [reading, rules] = [this.#reading, this.#rules];
      this.#beingRead ??= this.#unread;
      this.#unread = null;
      const [needed, before] = [this.#lastChange, this.#changes];
      const found = await readResultOf(reading, needed, names);
      if (!isCurrent(rules, project)) return 'outdated';
      if (found === null) return null;
      const revision = found.revision ?? (this.#unread === null ? project.set.head : null);
      if (revision === null) continue;
      if (revision < needed) return null;
      // The tables that were read may have been ahead of the change that started this read.
      return { ...found, revision, changes: this.#unread !== null && revision >= this.#unread ? this.#changes : before };
    }
    return null;
  }

  #accept({ comparable, changes, ...value }: ExactValue): void {
    this.#failures = 0;
    this.#beingRead = null;
    this.#changes -= changes;
    this.#shownRevision = value.revision;
    if (this.#unread !== null) this.#unread = value.revision >= this.#lastChange ? null : Math.max(this.#unread, value.revision + 1);
    const hash = createHash('sha256').update(comparable).digest('base64');
    const isNew = hash !== this.#valueHash;
    if (isNew) this.version += 1;
    // After several changes the value may have been another one in between.
    if (isNew || changes > 1) this.#since = value.revision;
    if (isNew || changes > 1 || this.value === null) {
      this.#valueHash = hash;
      this.value = { ...value, revision: this.#since };
      this.#parts.memory.keep(this, value.members.length);
    }
    this.#parts.onValue(this);
  }

  #putBack(isFailure: boolean): void {
    if (isFailure) this.#failures += 1;
    this.#unread = this.#beingRead ?? this.#unread;
    this.#beingRead = null;
  }

  #evaluateLater(ms: number): void {
    this.#cancel = this.#parts.scheduler.after(ms, () => {
      this.#cancel = null;
      this.evaluate();
    });
  }
}

/** `null`: try again later. A missing document or player is a value too: `null`. */
async function readResultOf(reading: Reading, needed: number, names: OutputNames): Promise<ReadResult | null> {
  try {
    const answered = await reading.read();
    return answered.stale ? null : shown(answered);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) return null;
    if (thrown.code === 'NOT_FOUND') return shown({ text: 'null', comparable: 'null', revision: null, stale: false });
    if (thrown.status === 503 || thrown.status === 429 || thrown.status === 401) return null;
    const error = errorText(thrown, names);
    return { members: `"error":${error}`, isRefused: true, comparable: error, revision: needed };
  }
}

function shown({ text, version, comparable, revision }: TopicAnswer): ReadResult {
  const numbered = version === undefined ? '' : `"version":${version},`;
  return { members: `${numbered}"value":${text}`, isRefused: false, comparable, revision };
}

export function errorText({ code, message, status, extra }: Refusal, names: OutputNames): string {
  return JSON.stringify({ ...extra.error, code: names.code(code), message, status });
}
