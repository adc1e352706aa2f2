import type { ProjectEvent } from '../src/domain/events.ts';
import type { Projection } from './batch.ts';
import { VIEWS } from './registry.ts';
import type { ProjectionName, Versions } from './tables.ts';

/** Where one view stands. */
export interface ViewPlace {
  readonly revision: number;
  readonly failures: number;
  readonly paused: boolean;
}

/** Where the active version of every projection stands in one project's stream. The state tables move together. */
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

/** Views that have to be brought up to the state tables, paused ones among them. */
export function viewsBehind({ views, revision }: Standing): readonly Projection[] {
  return VIEWS.filter(({ name }) => {
    const place = views.get(name);
    return place !== undefined && place.revision < revision;
  });
}

export function pausedViews({ views }: Standing): number {
  return [...views.values()].filter((view) => view.paused).length;
}

/** The revision that the state tables and every view that is not paused reflect. */
export function shownBy({ views, revision }: Standing): number {
  const places = [...views.values()].filter((view) => !view.paused);
  return Math.min(revision, ...places.map((view) => view.revision));
}

/** After a batch that ended with `last`, written into the state tables and the views that `moved`. */
export function advancedTo(standing: Standing, last: ProjectEvent, moved: readonly Projection[]): Standing {
  const views = new Map(standing.views);
  for (const { name } of moved) views.set(name, { revision: last.revision, failures: 0, paused: false });
  return { ...standing, revision: last.revision, hash: last.hash, views };
}

export function withView(standing: Standing, name: ProjectionName, place: ViewPlace): Standing {
  return { ...standing, views: new Map(standing.views).set(name, place) };
}
