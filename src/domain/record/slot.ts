import type { CollectionModel } from '../model.ts';

/** A save slot as the key of its document names it. */
export interface Slot {
  readonly player: string;
  readonly recordId: string;
}

/**
 * The slot whose data a document holds, or `null`: in collections with one document per player, and in global ones, keys are free text. The
 * player ends at the first `_`.
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
