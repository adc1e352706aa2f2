import type { EffectiveDefinitions } from '../../model.ts';
import { queryPlan } from '../../query/plan.ts';
import type { DefinitionsState } from '../../states.ts';
import { effectiveDefinitions } from './effective.ts';

/** The fields by which queries sort: for their numbers, writes say when a document reached them. */

/** Dotted paths by collection id. */
type FieldsByCollection = ReadonlyMap<string, readonly string[]>;

const NO_FIELDS: readonly string[] = [];
const known = new WeakMap<DefinitionsState, FieldsByCollection>();

/** The fields of a collection by which queries sort its documents, those of staged queries included. */
export function sortedFields(state: DefinitionsState, collection: string): readonly string[] {
  const fields = known.get(state) ?? fieldsOf(state);
  known.set(state, fields);
  return fields.get(collection) ?? NO_FIELDS;
}

function fieldsOf(state: DefinitionsState): FieldsByCollection {
  const all = [effectiveDefinitions(state, 'live'), effectiveDefinitions(state, 'next')].flatMap(sortedIn);
  const fields = new Map<string, readonly string[]>();
  for (const [collection, field] of all) fields.set(collection, [...new Set([...(fields.get(collection) ?? NO_FIELDS), field])]);
  return fields;
}

function sortedIn(definitions: EffectiveDefinitions): readonly (readonly [collection: string, field: string])[] {
  return definitions.queries.flatMap((query) => {
    const plan = queryPlan(query);
    const sortedBy = typeof plan === 'string' ? null : plan.sortedBy;
    const collection = sortedBy === null ? undefined : definitions.collection(sortedBy.collectionId);
    return sortedBy === null || collection === undefined ? [] : [[collection.id, sortedBy.field] as const];
  });
}
