import { TAKEN_ADDRESSES, type TakenAddress } from '../../contract/taken-addresses.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { CollectionModel } from '../model.ts';

/** Names that data cannot have, because another route answers their address. */

const COLLECTIONS: ReadonlyMap<string, TakenAddress> = firstBy(TAKEN_ADDRESSES.filter(({ key }) => key === null));
const KEYS: ReadonlyMap<string, TakenAddress> = firstBy(TAKEN_ADDRESSES.filter(({ key }) => key !== null));

function firstBy(taken: readonly TakenAddress[]): ReadonlyMap<string, TakenAddress> {
  return new Map(taken.toReversed().map((each) => [nameOf(each), each]));
}

function nameOf({ collection, key, isOfRecords }: Omit<TakenAddress, 'takenBy'>): string {
  return `${collection ?? '*'}/${key ?? '*'}/${isOfRecords}`;
}

/** What is wrong with this id or name of a collection, or `null`. Collections are found in any letter case. */
export function takenCollection(name: string): string | null {
  const taken = COLLECTIONS.get(nameOf({ collection: name.toLowerCase(), key: null, isOfRecords: false }));
  return taken === undefined ? null : `A collection '${name}' could not be read: ${taken.takenBy} is another route.`;
}

/** Refuses a key under which a new document could not be reached; `null`: it can be. */
export function refuseTakenKey({ id, type }: Pick<CollectionModel, 'id' | 'type'>, key: string): Refusal | null {
  const taken = takenKey(id, key, false) ?? (type === 'global' ? takenKey(id, key, true) : undefined);
  if (taken === undefined) return null;
  return refusal('ADDRESS_TAKEN', `No document can have the key "${key}" here: ${taken.takenBy} is another route; choose another key`);
}

function takenKey(collection: string, written: string, isOfRecords: boolean): TakenAddress | undefined {
  const key = written.toLowerCase();
  return (
    KEYS.get(nameOf({ collection: null, key, isOfRecords })) ?? KEYS.get(nameOf({ collection: collection.toLowerCase(), key, isOfRecords }))
  );
}
