import type { DefinitionsState } from '../../states.ts';
import { effectiveDefinitions } from './effective.ts';

/** Whether a collection's documents, by its id or name, are no player's: it is global in live, or staged so where live has none. */
export function isShared(state: DefinitionsState, collection: string): boolean {
  const model = effectiveDefinitions(state, 'live').collection(collection) ?? effectiveDefinitions(state, 'next').collection(collection);
  return model?.type === 'global';
}

/** Whether the rows of a query, by its id or name, are of such collections alone. */
export function isOfShared(state: DefinitionsState, query: string): boolean {
  const model = effectiveDefinitions(state, 'live').query(query) ?? effectiveDefinitions(state, 'next').query(query);
  return model !== undefined && model.sources.length > 0 && model.sources.every(({ collectionId }) => isShared(state, collectionId));
}
