import { isNumber, type Json, toDouble } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { DomainEvent } from '../events.ts';
import type { ReadDocument } from './read-document.ts';

/**
 * When a document reached a number. Of equal numbers, the one that was there first comes first, so a write says which numbers it changed.
 * Only numbers count that a query sorts by: the others would make every write longer.
 */

/** The number of a value on a board. Only finite JSON numbers count. */
export function metricOf(value: Json | undefined): number | null {
  if (!isNumber(value)) return null;
  const number = toDouble(value);
  return Number.isFinite(number) ? number : null;
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
