import type { ProjectEvent } from '../src/domain/events.ts';
import type { Projection } from './batch.ts';
import { VIEWS } from './registry.ts';
import type { ProjectionName, Versions } from './tables.ts';

/** How far one view is. */
export interface ViewPlace {
  readonly revision: number;
  readonly failures: number;
  readonly paused: boolean;
}

/** How far the active version of every projection is in one project's stream. The state tables move together. */
export interface Standing {
  readonly versions: Versions;
  readonly revision: number;
  /** Chain hash of the event at `revision`; empty before the first. */
  readonly hash: string;
  readonly views: ReadonlyMap<ProjectionName, ViewPlace>;
}

/** Views that can be written in one transaction with the state tables. */
export function viewsInStep({ views, revision }: Standing): readonly Projection[] {
  return VIEWS.filter(({ name }) => {
    const place = views.get(name);
    return place?.revision === revision;
  });
}

/** Views that must be caught up with the state tables, paused ones included. */
export function viewsBehind({ views, revision }: Standing): readonly Projection[] {
  return VIEWS.filter(({ name }) => {
    const place = views.get(name);
    return place !== undefined && place.revision < revision;
  });
}

/** How many views are paused for the project. */
export function pausedViews({ views }: Standing): number {
  return [...views.values()].filter((view) => view.paused).length;
}

/** The revision that the state tables and all views that are not paused reflect. */
export function shownBy({ views, revision }: Standing): number {
  const places = [...views.values()].filter((view) => !view.paused);
  return Math.min(revision, ...places.map((view) => view.revision));
}

/** The standing after a batch that ended with `last` and was written into the state tables and the views `moved`. */
export function advancedTo(standing: Standing, last: ProjectEvent, moved: readonly Projection[]): Standing {
  const views = new Map(standing.views);
  for (const { name } of moved) views.set(name, { revision: last.revision, failures: 0, paused: false });
  return { ...standing, revision: last.revision, hash: last.hash, views };
}

/** The standing with this view at `place`. */
export function withView(standing: Standing, name: ProjectionName, place: ViewPlace): Standing {
  return { ...standing, views: new Map(standing.views).set(name, place) };
}
