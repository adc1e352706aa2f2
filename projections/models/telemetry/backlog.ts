import { UnknownEvent } from '../../../src/log/decode.ts';
import { HistoryMismatch } from '../../checkpoints.ts';

const CONTENTION_BACKOFF_MS = 500;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** How often a stopped project is tried again, because an operator may have removed the cause. */
const REFRESH_MS = 10_000;
/** Time limit of a batch at its first try. It doubles for each further try, because a large sweep may really need longer. */
const TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 1_200_000;

/**
 * The known state of one project's telemetry: how long its stream is, and how much of it the tables show. All times are
 * `performance.now()`.
 */
export class ProjectBacklog {
  readonly projectId: string;
  /** Last revision of the stream. */
  head: number;
  /** Last revision that the tables show. */
  shown = -1;
  /** The project is not tried before this time. */
  notBefore = 0;
  /** Failures in a row. */
  attempts = 0;
  /** Whether this process knows how far the tables are. */
  hasCheckpoint = false;
  /** Why the project stopped, until an operator removes the cause. */
  failure: Error | null = null;

  constructor(projectId: string, head: number) {
    this.projectId = projectId;
    this.head = head;
  }

  get events(): number {
    return Math.max(0, this.head - this.shown);
  }

  get timeoutMs(): number {
    return Math.min(TIMEOUT_MS * 2 ** this.attempts, MAX_TIMEOUT_MS);
  }

  /** `asked`: the head when the batch was asked for. */
  written({ events, shown }: { readonly events: number; readonly shown: number }, asked: number): void {
    this.hasCheckpoint = true;
    this.shown = shown;
    // The log has no more events, even if the subscription said so. What it said meanwhile may be of later ones.
    if (events === 0 && this.head === asked) this.head = shown;
    this.attempts = 0;
    this.failure = null;
  }

  /** Another process holds the project. */
  contended(now: number): void {
    this.hasCheckpoint = true;
    this.notBefore = now + CONTENTION_BACKOFF_MS;
    this.attempts = 0;
    this.failure = null;
  }

  /** Notes a failure and returns what to report: a failure that is tried again, a stop, or a stop that was already reported. */
  failed(error: unknown, now: number): 'retried' | 'stopped' | 'still stopped' {
    this.attempts += 1;
    this.hasCheckpoint = false;
    if (!(error instanceof UnknownEvent || error instanceof HistoryMismatch)) {
      this.failure = null;
      this.notBefore = now + Math.min(RETRY_MS * 2 ** (this.attempts - 1), MAX_RETRY_MS);
      return 'retried';
    }
    const isKnown = this.failure?.message === error.message;
    this.failure = error;
    this.notBefore = now + REFRESH_MS;
    return isKnown ? 'still stopped' : 'stopped';
  }
}

/** The telemetry of all projects that the tables do not show yet. Projects take turns. */
export class Backlog {
  readonly #projects = new Map<string, ProjectBacklog>();

  /** Events in the log that the tables do not show, as far as this process knows. */
  get events(): number {
    let events = 0;
    for (const project of this.#projects.values()) events += project.events;
    return events;
  }

  /** Projects that stopped, with the reason. */
  get stopped(): ReadonlyMap<string, Error> {
    return new Map([...this.#projects].flatMap(([id, { failure }]) => (failure === null ? [] : [[id, failure] as const])));
  }

  setHead(projectId: string, revision: number): void {
    const project = this.#projects.get(projectId);
    if (project) project.head = Math.max(project.head, revision);
    else this.#projects.set(projectId, new ProjectBacklog(projectId, revision));
  }

  /** The project that is written next, and how long to wait before. `null`: everything is shown. */
  next(now: number): { readonly project: ProjectBacklog; readonly waitMs: number } | null {
    let next: { readonly project: ProjectBacklog; readonly waitMs: number } | null = null;
    for (const project of this.#projects.values()) {
      if (project.events === 0) continue;
      const waitMs = Math.max(0, project.notBefore - now);
      if (waitMs === 0) return { project, waitMs };
      if (next === null || waitMs < next.waitMs) next = { project, waitMs };
    }
    return next;
  }

  /** Gives the next turn to another project. */
  moveToEnd(project: ProjectBacklog): void {
    this.#projects.delete(project.projectId);
    this.#projects.set(project.projectId, project);
  }
}
