import type { EffectiveDefinitions } from '../model.ts';
import { definesValues, gameValues } from '../values.ts';
import type { Known } from './finding.ts';

/** What definitions may refer to in what a target holds. */
export function knownIn(held: EffectiveDefinitions): Known {
  return {
    collection: (name) => held.collection(name) !== undefined,
    playersCollection: (name) => held.collection(name)?.type === 'per-platformid',
    callable: (name) => held.workflow(name) !== undefined || held.endpoint(name) !== undefined,
    workflow: (id) => held.workflow(id)?.definition,
    library: (id) => held.library(id)?.definition ?? held.workflow(id)?.definition,
    table: (name) => Object.hasOwn(held.values.values, name),
  };
}

/** Whether a collection defines game values under this id: they come before those of the project's document. */
export function takenIn(held: EffectiveDefinitions): (id: string) => boolean {
  const { values } = gameValues(held.collections.filter(definesValues), undefined, { version: null, updatedAt: null });
  return (id) => Object.hasOwn(values, id);
}
