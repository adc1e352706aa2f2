import type { TelemetryParts } from '../../src/app/context.ts';
import type { Checkpoint, CountedPage, DocumentRowKey, StateReader } from '../../src/app/ports/state-reader.ts';
import type { Command } from '../../src/app/project/commit.ts';
import type { DecisionContext } from '../../src/app/project/decision-context.ts';
import { evolve } from '../../src/app/project/evolve.ts';
import { Project } from '../../src/app/project/project.ts';
import { createCache, type SharedCache } from '../../src/app/project/shared-cache.ts';
import type { WriterLimits } from '../../src/app/project/writer.ts';
import { HeartbeatFolds } from '../../src/app/telemetry/heartbeat-folds.ts';
import { TelemetryRecorder } from '../../src/app/telemetry/telemetry-recorder.ts';
import { isThere, storedText } from '../../src/domain/document/packed.ts';
import type { DomainEvent, Space } from '../../src/domain/events.ts';
import type { SubjectState } from '../../src/domain/states.ts';
import { documentSubject, type Subject, stateOf, subjectsOf } from '../../src/domain/subjects.ts';
import type { Awaitable } from '../../src/kernel/awaitable.ts';
import { Refusal } from '../../src/kernel/errors.ts';
import { Neighbours } from '../../src/kernel/neighbours.ts';
import type { Scheduler } from '../../src/kernel/scheduler.ts';
import { hashOf, NO_HASH, seal } from '../../src/log/chain.ts';
import { readProjectEvent } from '../../src/log/decode.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import {
  type AppendResult,
  type ExpectedRevision,
  type FollowOptions,
  type Log,
  LogUnavailable,
  type NewEvent,
  OutcomeUnknown,
  type ReadRange,
} from '../../src/log/port.ts';
import { checkPublished } from '../support/published-events.ts';
import { Clock, NodeClock } from './simulation/clock.ts';
import { Random } from './simulation/world.ts';

export const STREAM = 'project-table';
export const LIMITS: WriterLimits = { groupCommits: 400, groupBytes: 700_000, queueCommits: 1000, windowBytes: 1e7, deadlineMs: 1000 };
export const APPEND_MS = 10;

/** Fate of an append: `refused` was certainly not stored, `unanswered` was stored, `lost` was not, and neither gets an answer. */
export type Fate = 'fine' | 'refused' | 'unanswered' | 'lost';

/** The memory log, with a duration and a fate for each append. */
class TableLog implements Log {
  readonly appends: { readonly at: number; readonly events: number; readonly ids: readonly string[] }[] = [];
  fate: () => Fate = () => 'fine';
  /** Runs before an append reaches the log. */
  beforeAppend: () => Promise<void> = async () => undefined;
  beforeRead: (range: ReadRange) => void = () => undefined;
  /** Replaces the log's own answer. */
  answer: (result: AppendResult) => AppendResult = (result) => result;
  page = 1000;
  /** Questions for the end, and how long their answers take. */
  heads = 0;
  headMs = 0;
  beforeHead: () => void = () => undefined;
  readonly inner = createMemoryLog();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    events.forEach(checkPublished);
    this.appends.push({ at: this.#clock.now, events: events.length, ids: events.map(({ id }) => id) });
    const fate = this.fate();
    await this.#clock.wait(APPEND_MS);
    if (fate === 'refused') throw new LogUnavailable('refused');
    if (fate === 'lost') throw new OutcomeUnknown('lost');
    await this.beforeAppend();
    const result = await this.inner.append(stream, expected, events);
    if (fate === 'unanswered') throw new OutcomeUnknown('unanswered');
    return this.answer(result);
  }

  async read(stream: string, range: ReadRange) {
    await this.#clock.wait(1);
    this.beforeRead(range);
    return this.inner.read(stream, { ...range, limit: Math.min(range.limit, this.page) });
  }

  async head(stream: string) {
    this.heads += 1;
    this.beforeHead();
    const head = await this.inner.head(stream);
    if (this.headMs > 0) await this.#clock.wait(this.headMs);
    return head;
  }

  truncate(stream: string, before: number) {
    return this.inner.truncate(stream, before);
  }

  end() {
    return this.inner.end();
  }

  follow(options: FollowOptions) {
    return this.inner.follow(options);
  }

  close() {
    return this.inner.close();
  }
}

/** State tables that stand where the test puts them. */
class TableReader implements StateReader {
  reached: Checkpoint | null = null;
  loads = 0;
  /** How long a load takes. */
  loadMs = 0;
  /** Answers loads in place of the rows; `undefined` lets a load through. */
  intercept: () => { readonly revision: number } | undefined = () => undefined;
  #rows = new Map<Subject, SubjectState | null>();
  readonly #log: TableLog;
  readonly #clock: Clock;

  constructor(log: TableLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Projects everything in the log. */
  async project(): Promise<number> {
    const from = (this.reached?.revision ?? -1) + 1;
    for (const recorded of await this.#log.inner.read(STREAM, { from, limit: 100_000, direction: 'forwards' })) {
      const event = readProjectEvent(recorded);
      for (const subject of subjectsOf(event)) this.#rows.set(subject, evolve(subject, this.#rows.get(subject) ?? null, event));
      this.reached = { revision: event.revision, hash: event.hash };
    }
    return this.reached?.revision ?? -1;
  }

  async checkpoint(): Promise<Checkpoint | null> {
    return this.reached;
  }

  async load(_project: string, subjects: readonly Subject[]) {
    this.loads += 1;
    if (this.loadMs > 0) await this.#clock.wait(this.loadMs);
    const revision = this.intercept()?.revision ?? this.reached?.revision ?? -1;
    return { revision, states: subjects.map((subject) => this.#rows.get(subject) ?? null) };
  }

  async documentKeys(_project: string, space: Space, collection: string, most: number) {
    const beginning = documentSubject(space, collection, '');
    const found = [...this.#rows].filter(
      ([subject, state]) => subject.startsWith(beginning) && state !== null && 'document' in state && state.document !== null,
    );
    const keys = found.map(([subject]) => subject.slice(beginning.length)).sort();
    return { revision: this.reached?.revision ?? -1, keys: keys.slice(0, most), bytes: 0 };
  }

  async countDocuments(_project: string, staged: Space, after: DocumentRowKey | null, most: number): Promise<CountedPage> {
    const [from, collectionFrom, keyFrom] = after ?? ['', '', ''];
    const beginning = after === null ? '' : documentSubject(from === 'live' ? from : staged, collectionFrom, keyFrom);
    const spaces = ['document/live/', `document/${staged}/`];
    const left = [...this.#rows.keys()].filter((subject) => spaces.some((space) => subject.startsWith(space)) && subject > beginning);
    const page = left.sort().slice(0, most);
    const states = page.map((subject) => stateOf('document', subject, this.#rows.get(subject) ?? null)).filter(isThere);
    const [, space = '', collection = '', key = ''] = page.at(-1)?.split('/') ?? [];
    return {
      revision: this.reached?.revision ?? -1,
      documents: states.length,
      bytes: states.reduce((sum, state) => sum + Buffer.byteLength(storedText(state)), 0),
      last: page.length < most ? null : [space === 'live' ? space : staged, collection, key],
    };
  }
}

/** One log, its read models, and as many nodes as a test wants, on one virtual clock. */
export class Table {
  readonly clock = new Clock();
  readonly log = new TableLog(this.clock);
  readonly reader = new TableReader(this.log, this.clock);
  readonly machine = new NodeClock(this.clock, 1_700_000_000_000);
  readonly stopped: Refusal[] = [];
  readonly neighbours = new Neighbours(this.machine);
  /** Failed appends, as the writers report them. */
  failures = 0;
  /** The time of what another node stores. */
  elsewhereAt = 1_600_000_000_000;
  readonly #random = new Random(1);

  async open(limits: Partial<WriterLimits> = {}, cache: number | SharedCache = 1e6, log: Log = this.log): Promise<Project> {
    const options = {
      projectId: 'table',
      log,
      reader: this.reader,
      cache: typeof cache === 'number' ? createCache(cache) : cache,
      scheduler: this.machine,
      limits: { ...LIMITS, ...limits },
      observer: {
        appended: () => undefined,
        conflict: () => undefined,
        failed: () => {
          this.failures += 1;
        },
        queue: () => undefined,
      },
      neighbours: this.neighbours,
      onStopped: (reason: Refusal) => this.stopped.push(reason),
    };
    const project = await this.passing(Project.open(options, true));
    if (!project) throw new Error('a project to be created opens always');
    return project;
  }

  /** Lets virtual time pass until the promise is settled. */
  async passing<T>(awaited: Awaitable<T>, ms = 20_000): Promise<T> {
    const promise = Promise.resolve(awaited);
    let done = false;
    const end = () => {
      done = true;
    };
    promise.then(end, end);
    const until = this.clock.now + ms;
    while (!done && this.clock.now < until) await this.clock.run(this.clock.now + 1);
    if (!done) throw new Error(`nothing happened in ${ms} ms`);
    return promise;
  }

  /** What another node does: a commit that is in the log at once. Answers its last revision. */
  async elsewhere(...events: readonly DomainEvent[]): Promise<number> {
    const [last] = await this.log.inner.read(STREAM, { limit: 1, direction: 'backwards' });
    let hash = last ? (hashOf(last.metadata) ?? NO_HASH) : NO_HASH;
    const commandId = this.#random.text(16);
    const sealed = events.map((event, index) => {
      const left = events.length - 1 - index;
      const metadata = {
        commandId,
        cause: 'elsewhere',
        actor: { kind: 'secret' },
        schemaVersion: 1,
        recordedAt: this.elsewhereAt,
        ...(left > 0 ? { left } : {}),
      };
      const made = seal(hash, {
        id: `${commandId}-${index}`,
        type: event.type,
        metadata: JSON.stringify(metadata),
        data: JSON.stringify(event.data),
      });
      hash = made.hash;
      return made.event;
    });
    const result = await this.log.inner.append(STREAM, last?.revision ?? 'none', sealed);
    if (!result.ok) throw new Error('conflict');
    return result.revision;
  }

  async stored(): Promise<readonly string[]> {
    const events = await this.log.inner.read(STREAM, { limit: 100_000, direction: 'forwards' });
    return events.map((event) => readProjectEvent(event).metadata.commandId);
  }
}

export const THING = (key: string): Subject<'document'> => documentSubject('live', 'things', key);

export function written(key: string, n: number, version = n): DomainEvent {
  return { type: 'document.written', data: { space: 'live', collection: 'things', key, version, document: { n }, definition: '' } };
}

export function countIn(view: Pick<DecisionContext, 'read'>, key: string): number {
  return numberOf(view.read(THING(key)));
}

export function numberOf(state: SubjectState | null): number {
  return state !== null && 'document' in state ? Number(state.document?.['n'] ?? 0) : 0;
}

let commands = 0;

/** Adds one, unless the sum would exceed `most`. `decided` counts the decisions. */
export function increment(key: string, most = Number.POSITIVE_INFINITY): Command<number> & { decided: number } {
  commands += 1;
  return {
    commandId: `command-${commands}`,
    cause: 'increment',
    actor: { kind: 'secret' },
    decided: 0,
    decide(ctx) {
      this.decided += 1;
      const n = countIn(ctx, key);
      return n >= most ? new Refusal(429, 'FULL', 'full') : { events: [written(key, n + 1)], answer: n + 1 };
    },
  };
}

/** The code of the refusal that a promise is rejected with; `stored` if it is not. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'stored';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** Telemetry that no test looks at. */
export function noTelemetry(log: Log, scheduler: Scheduler): TelemetryParts {
  const observer = { stored: () => undefined, lost: () => undefined };
  const recorder = new TelemetryRecorder({ log, scheduler, observer, onError: () => undefined });
  return {
    recorder,
    heartbeats: new HeartbeatFolds(recorder, scheduler, { foldMs: 300_000, players: 100 }),
    reader: {
      player: async () => ({ revision: -1, stats: null, profile: null }),
      profiles: async () => new Map(),
      named: async () => [],
      reports: async () => [],
    },
    onSaveFailed: () => undefined,
  };
}
