import type { SaveRecord } from '../events.ts';

/** What is to be done to a player's list of save records. The data of a slot are a document of its own. */
export interface SlotChanges {
  readonly create: readonly SaveRecord[];
  readonly rename: readonly SaveRecord[];
  /** Ids. */
  readonly remove: readonly string[];
}

/** Undoes what a commit did to a list, in the list as it is now. What somebody changed since stays. */
export function undoSlots(before: readonly SaveRecord[], after: readonly SaveRecord[], present: readonly SaveRecord[]): SlotChanges {
  return {
    create: before.filter((record) => !isIn(after, record) && !isIn(present, record)),
    rename: before.filter((record) => {
      const [made, now] = [named(after, record), named(present, record)];
      return made !== undefined && made !== record.recordName && now === made;
    }),
    remove: after.filter((record) => !isIn(before, record) && isIn(present, record)).map(({ recordId }) => recordId),
  };
}

/** Brings a list back to what it was. */
export function restoreSlots(past: readonly SaveRecord[], present: readonly SaveRecord[]): SlotChanges {
  return undoSlots(past, present, present);
}

/** The changes of a list but for these slots, by their ids. */
export function withoutSlots({ create, rename, remove }: SlotChanges, ids: readonly string[]): SlotChanges {
  const isChanged = (id: string) => !ids.includes(id);
  const ofOthers = (records: readonly SaveRecord[]) => records.filter(({ recordId }) => isChanged(recordId));
  return { create: ofOthers(create), rename: ofOthers(rename), remove: remove.filter(isChanged) };
}

/** The changes of a list of which what came since stays, but for these slots. */
export function withoutCome(changes: SlotChanges, ids: readonly string[]): SlotChanges {
  return { ...changes, remove: changes.remove.filter((id) => ids.includes(id)) };
}

function isIn(records: readonly SaveRecord[], { recordId }: SaveRecord): boolean {
  return records.some((each) => each.recordId === recordId);
}

function named(records: readonly SaveRecord[], { recordId }: SaveRecord): string | undefined {
  return records.find((each) => each.recordId === recordId)?.recordName;
}
