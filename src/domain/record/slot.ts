import type { CollectionModel } from '../definition/model.ts';

/** A save slot as a document's key names it. */
export interface Slot {
  readonly player: string;
  readonly recordId: string;
}

/**
 * The slot whose data a document is, or `null`: in collections of one document per player, and in global ones, keys are free text
 * (runtime-storage 8.5). The player ends at the first `_`, as everywhere (runtime-storage 2.2).
 */
export function slotOf({ maxRecords, type }: CollectionModel, key: string): Slot | null {
  if (maxRecords < 2 || type === 'global') return null;
  const end = key.indexOf('_');
  if (end < 1 || end === key.length - 1) return null;
  return { player: key.slice(0, end), recordId: key.slice(end + 1) };
}

/** Key of the document that holds a slot's data. */
export function slotKey(player: string, recordId: string): string {
  return `${player}_${recordId}`;
}
