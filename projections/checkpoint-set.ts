import type { ProjectEvent } from '../src/domain/events.ts';
import type { Projection } from './batch.ts';
import { VIEWS } from './registry.ts';
import type { ProjectionName, Versions } from './tables.ts';

/** How far one view is. */
export interface ViewCheckpoint {
  readonly revision: number;
  readonly failures: number;
  readonly paused: boolean;
}

/** The checkpoints of the active version of every projection in one project's stream. The state tables share one. */
export interface CheckpointSet {
  readonly versions: Versions;
  readonly revision: number;
  /** Chain hash of the event at `revision`; empty before the first. */
  readonly hash: string;
  readonly views: ReadonlyMap<ProjectionName, ViewCheckpoint>;
}

/** Views that can be written in one transaction with the state tables. */
export function viewsInStep({ views, revision }: CheckpointSet): readonly Projection[] {
  return VIEWS.filter(({ name }) => {
    const checkpoint = views.get(name);
    return checkpoint?.revision === revision;
  });
}

/** Views that must be caught up with the state tables, paused ones included. */
export function viewsBehind({ views, revision }: CheckpointSet): readonly Projection[] {
  return VIEWS.filter(({ name }) => {
    const checkpoint = views.get(name);
    return checkpoint !== undefined && checkpoint.revision < revision;
  });
}

/** How many views are paused for the project. */
export function pausedViews({ views }: CheckpointSet): number {
  return [...views.values()].filter((view) => view.paused).length;
}

/** The revision that the state tables and all views that are not paused reflect. */
export function shownBy({ views, revision }: CheckpointSet): number {
  const active = [...views.values()].filter((view) => !view.paused);
  return Math.min(revision, ...active.map((view) => view.revision));
}

/** The checkpoints after a batch that ended with `last` and was written into the state tables and the views in `moved`. */
export function advancedTo(checkpoints: CheckpointSet, last: ProjectEvent, moved: readonly Projection[]): CheckpointSet {
  const views = new Map(checkpoints.views);
  for (const { name } of moved) views.set(name, { revision: last.revision, failures: 0, paused: false });
  return { ...checkpoints, revision: last.revision, hash: last.hash, views };
}

/** The checkpoints with this view at `checkpoint`. */
export function withView(checkpoints: CheckpointSet, name: ProjectionName, checkpoint: ViewCheckpoint): CheckpointSet {
  return { ...checkpoints, views: new Map(checkpoints.views).set(name, checkpoint) };
}
