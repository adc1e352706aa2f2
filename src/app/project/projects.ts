import { LRUCache } from 'lru-cache';
import { isProjectId } from '../../domain/project/keys.ts';
import { throttled } from '../../kernel/error-reporting.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { Neighbours } from '../../kernel/neighbours.ts';
import { type Scheduler, withDeadline } from '../../kernel/scheduler.ts';
import type { Log, RecordedEvent } from '../../log/port.ts';
import { PROJECT_PREFIX, projectOf, projectStream } from '../../log/streams.ts';
import type { StateReader } from '../ports/state-reader.ts';
import { noAnswer } from './no-answer.ts';
import { Project } from './project.ts';
import { createCache, type SharedCache } from './shared-cache.ts';
import type { WriterLimits, WriterObserver } from './writer.ts';

/**
 * The projects that this node has open, and the one tail that keeps them current. The first request opens a project, and it is closed when
 * it has been idle. The tail follows the streams of all projects and gives each open one its events.
 */

export interface ProjectsOptions {
  readonly log: Log;
  readonly reader: StateReader;
  readonly scheduler: Scheduler;
  readonly limits: WriterLimits;
  /** Bytes of states that may be forgotten, over all projects. */
  readonly cacheBytes: number;
  readonly observer: WriterObserver;
  /** Reports a failure of a project or of the tail, for logging. */
  onError(what: string, error: unknown): void;
}

const IDLE_MS = 10 * 60_000;
/** How long "no such project" is cached: long enough to stop a flood of guesses, short enough for a project just made elsewhere. */
const UNKNOWN_MS = 500;
/** How long a project whose log cannot be read is not opened again, however many ask: each try reads the log, and says why it failed. */
const UNREADABLE_MS = 1_000;
const STALE_MS = 1_000;
const REFUSE_MS = 5_000;

export class Projects {
  readonly cache: SharedCache;
  readonly #options: ProjectsOptions;
  readonly #open = new Map<string, Project>();
  readonly #opening = new Map<string, Promise<Project | null>>();
  readonly #unknown: LRUCache<string, number>;
  readonly #unreadable: LRUCache<string, { readonly reason: Refusal; readonly since: number }>;
  readonly #abort = new AbortController();
  readonly #neighbours: Neighbours;
  /** By the monotonic clock, as all times here: the wall clock may be set back. */
  #caughtUpAt = Number.NEGATIVE_INFINITY;
  #tail: Promise<void> | null = null;

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.cache = createCache(options.cacheBytes);
    this.#neighbours = new Neighbours(options.scheduler);
    // Bounded by size: with `max` the cache would reserve room for all entries at once.
    this.#unknown = new LRUCache({ maxSize: 10_000, sizeCalculation: () => 1 });
    this.#unreadable = new LRUCache({ maxSize: 10_000, sizeCalculation: () => 1 });
  }

  /** Starts the tail; call once. */
  async start(): Promise<void> {
    const after = await this.#options.log.end();
    this.#caughtUpAt = this.#options.scheduler.monotonic();
    this.#tail = this.#follow(after);
  }

  async close(): Promise<void> {
    for (const project of this.#open.values()) await project.writer.drain();
    this.#abort.abort();
    await this.#tail;
  }

  /** The project if it is open, for callers that must not wait. */
  peek(projectId: string): Project | undefined {
    return this.#open.get(projectId);
  }

  /** The project, opened if necessary; `null` if there is none. Throws a `Refusal` (503) if it cannot be trusted or reached. */
  async get(projectId: string): Promise<Project | null> {
    const open = this.#open.get(projectId);
    if (open) return open;
    // A person's request names it before any key has proven that there is such a project.
    if (!isProjectId(projectId)) return null;
    const unknownSince = this.#unknown.get(projectId);
    if (unknownSince !== undefined && this.#options.scheduler.monotonic() - unknownSince < UNKNOWN_MS) return null;
    const { scheduler, limits } = this.#options;
    const unreadable = this.#unreadable.get(projectId);
    if (unreadable !== undefined && scheduler.monotonic() - unreadable.since < UNREADABLE_MS) throw unreadable.reason;
    return withDeadline(scheduler, scheduler.monotonic() + limits.deadlineMs, this.#opened(projectId), noAnswer);
  }

  /** All who ask meanwhile share one opening. */
  #opened(projectId: string): Promise<Project | null> {
    const running = this.#opening.get(projectId);
    if (running) return running;
    const opening = this.#openProject(projectId, false).finally(() => this.#opening.delete(projectId));
    this.#opening.set(projectId, opening);
    return opening;
  }

  /** Opens a project that is to be made and has no events yet. */
  async create(projectId: string): Promise<Project> {
    const project = await this.#openProject(projectId, true);
    if (!project) throw new Error('a project to be created opens always');
    return project;
  }

  /** Whether answers are stale (`x-ns-stale`): how recently this node knew the project's head. Throws 503 if that was more than 5 s ago. */
  freshness(project: Project): { readonly stale: boolean } {
    const known = project.isBehind ? project.confirmedAt : Math.max(this.#caughtUpAt, project.confirmedAt);
    const silenceMs = this.#options.scheduler.monotonic() - known;
    if (silenceMs > REFUSE_MS) throw refusal('STORAGE_UNAVAILABLE', 'This node has not heard from the log for too long');
    return { stale: silenceMs > STALE_MS };
  }

  /** A projector reports how far the state tables of a project are. */
  projected(projectId: string, revision: number): void {
    this.#open.get(projectId)?.projected(revision);
  }

  /** Reads since the start that found their subject in memory, and those that had to load it. */
  get counts(): Readonly<SharedCache['reads']> {
    return this.cache.reads;
  }

  /** Projects whose state tables a node without a projector should check again. */
  get openProjects(): readonly Project[] {
    return [...this.#open.values()];
  }

  async #openProject(projectId: string, create: boolean): Promise<Project | null> {
    const { log, reader, scheduler, limits, observer } = this.#options;
    const options = { projectId, log, reader, scheduler, limits, observer, cache: this.cache, neighbours: this.#neighbours };
    const project = await Project.open({ ...options, onStopped: (...why) => this.#drop(projectId, ...why) }, create);
    if (!project) {
      this.#unknown.set(projectId, scheduler.monotonic());
      return null;
    }
    this.#unknown.delete(projectId);
    project.used();
    this.#open.set(projectId, project);
    try {
      // Events that were appended after the last page, and before the project was registered here, reached no project.
      const head = await log.head(projectStream(projectId));
      if (head && head.revision > project.set.head) await project.reach(head.revision, limits.deadlineMs);
      return project;
    } catch (error) {
      // The project has missed events that nothing will bring it, so callers that already have it must not go on.
      project.stop(refusal('STORAGE_UNAVAILABLE'));
      throw error;
    }
  }

  #drop(projectId: string, reason: Refusal, isUnreadable: boolean): void {
    const open = this.#open.get(projectId);
    // A project that was opened since stays.
    if (open?.stopped) {
      open.set.close();
      this.#open.delete(projectId);
    }
    if (isUnreadable) this.#unreadable.set(projectId, { reason, since: this.#options.scheduler.monotonic() });
    this.#options.onError(`project ${projectId} stopped`, reason);
  }

  async #follow(after: bigint | null): Promise<void> {
    const onError = throttled((error: unknown) => this.#options.onError('the log cannot be followed; trying again', error));
    for await (const step of this.#options.log.follow({ prefix: PROJECT_PREFIX, after, signal: this.#abort.signal, onError })) {
      this.#dispatch(step.events);
      if (!step.caughtUp) continue;
      this.#caughtUpAt = this.#options.scheduler.monotonic();
      for (const project of this.#open.values()) project.onCaughtUp();
      this.#closeIdle();
    }
  }

  #dispatch(events: readonly RecordedEvent[]): void {
    const perProject = new Map<string, RecordedEvent[]>();
    for (const event of events) {
      const projectId = projectOf(event.stream);
      if (projectId === null || !this.#open.has(projectId)) continue;
      const list = perProject.get(projectId);
      if (list) list.push(event);
      else perProject.set(projectId, [event]);
    }
    for (const [projectId, list] of perProject) {
      try {
        this.#open.get(projectId)?.onTail(list);
      } catch (error) {
        if (!(error instanceof Refusal)) this.#options.onError(`tail of project ${projectId}`, error);
      }
    }
  }

  #closeIdle(): void {
    const now = this.#options.scheduler.monotonic();
    for (const [projectId, project] of this.#open) {
      if (now - project.lastUsedAt < IDLE_MS || project.writer.length > 0) continue;
      this.#open.delete(projectId);
      project.set.close();
    }
  }
}
