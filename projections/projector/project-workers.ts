import type { WorkerContext } from './context.ts';
import { ProjectWorker } from './project-worker.ts';

/** The workers of all projects that this projector knows. */
export class ProjectWorkers {
  readonly #context: WorkerContext;
  readonly #workers = new Map<string, ProjectWorker>();

  constructor(context: WorkerContext) {
    this.#context = context;
  }

  /** The worker of a project. Creates one for a project that is new here. */
  of(projectId: string): ProjectWorker {
    const worker = this.#workers.get(projectId) ?? new ProjectWorker(projectId, this.#context);
    this.#workers.set(projectId, worker);
    return worker;
  }

  /** The revision of the project's state tables; −1 while nothing is known. */
  revisionOf(projectId: string): number {
    return this.#workers.get(projectId)?.revision ?? -1;
  }

  /** Whether a project has no checkpoints yet. */
  get hasNew(): boolean {
    return [...this.#workers.values()].some((worker) => worker.isNew);
  }

  /** Projects that stopped, with the reason. */
  get stopped(): ReadonlyMap<string, Error> {
    return new Map([...this.#workers].flatMap(([id, { failure }]) => (failure === null ? [] : [[id, failure] as const])));
  }

  get pausedViews(): number {
    return [...this.#workers.values()].reduce((sum, worker) => sum + worker.pausedViews, 0);
  }

  get buildingBoards(): number {
    return [...this.#workers.values()].reduce((sum, worker) => sum + worker.buildingBoards, 0);
  }

  get viewLag(): number {
    return Math.max(0, ...[...this.#workers.values()].map((worker) => worker.viewLag));
  }

  refresh(): void {
    for (const worker of this.#workers.values()) worker.refresh();
  }

  /** The division of the projects among projectors has changed. */
  divided(): void {
    for (const worker of this.#workers.values()) worker.divided();
  }

  /** Resolves after the current batches. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()));
  }
}
