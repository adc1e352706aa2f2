import { getPath } from '../../kernel/path.ts';
import { effectiveDefinitions } from '../definition/effective.ts';
import type { EffectiveDefinitions } from '../definition/model.ts';
import type { ReadDocument } from '../document/read-document.ts';
import type { DomainEvent } from '../events.ts';
import type { DefinitionsState } from '../states.ts';
import { metricOf } from './board-metric.ts';
import { queryPlan } from './plan.ts';

/**
 * When a document reached a number. Of equal numbers, the one that was there first comes first, so a write says which numbers it changed. Only
 * numbers count that a query sorts by: the others would make every write longer.
 */

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

/** Whether an event's document reaches another number in this field. */
export function reachesNumber(event: DomainEvent, field: string): boolean {
  if (event.type === 'record.appended') return true;
  return event.type === 'document.written' && event.data.reached?.includes(field) === true;
}

/** Those of the fields whose number a write changes, as readers see it; `undefined`: none. `before`: `null` where there was no document. */
export function reachedBy(fields: readonly string[], before: ReadDocument | null, after: ReadDocument): readonly string[] | undefined {
  const numberIn = (read: ReadDocument | null, field: string) => (read === null ? null : metricOf(getPath(read.asRead, field)));
  const reached = fields.filter((field) => numberIn(before, field) !== numberIn(after, field));
  return reached.length === 0 ? undefined : reached;
}
