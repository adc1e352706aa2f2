import { notFound, Refusal, refusal } from '../../kernel/errors.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import type { CollectionModel, OpenTo } from '../model.ts';
import { allows } from '../project/permissions.ts';
import type { AccessContext } from './context.ts';
import { type Credential, isUnproven, namedPlayer, needsProof } from './credential.ts';
import { collectionIn } from './next.ts';
import { missingPermission, noSuch, outdated } from './refusals.ts';

/**
 * Who may do what with the data of a collection. A use case asks before it reads a body or proves a player, and its decision asks the same
 * question again if authority or definitions have changed since.
 */

/** What a caller does with data of a collection. `slots`: the save records of a player. */
export type Operation =
  | 'document.read'
  | 'document.write'
  | 'document.delete'
  | 'slots.read'
  | 'slots.write'
  | 'slots.delete'
  | 'ledger.read'
  | 'record.append';

/** `collection`: id or name. `key`: of a document; of slots and of a ledger the player. An append has none. */
export interface DataAddress {
  readonly collection: string;
  readonly key?: string;
}

/** The operation is allowed: if `isUnproven`, only to a player who is proven. Ask again with the proven caller. */
export interface Allowed {
  readonly collection: CollectionModel;
  readonly isUnproven: boolean;
}

/** Whether the caller may do this to data of a collection. */
export function dataAccess(access: AccessContext, who: Credential, operation: Operation, at: DataAddress): Allowed | Refusal {
  const rule = DATA_RULES[operation];
  const key = at.key ?? '';
  const collection = rule.collection(access, who, at.collection, key);
  if (collection instanceof Refusal) return collection;
  if (isUnproven(access, who)) return { collection, isUnproven: true };
  return rule.player(access, who, collection, key) ?? { collection, isUnproven: false };
}

/** Whether the caller may read one record. `writer`: who appended it; asked for only if it matters. `accessMode` does not apply. */
export function recordAccess(
  access: AccessContext,
  who: Credential,
  collection: CollectionModel,
  writer: () => unknown,
): Allowed | Refusal {
  if (isOpenToRead(collection, who)) return { collection, isUnproven: false };
  if (collection.access.records === 'endpoints') return refusal('ENDPOINT_ONLY');
  if (isUnproven(access, who)) return { collection, isUnproven: true };
  const reader = ownerIn(who);
  if (reader instanceof Refusal) return reader;
  return reader === writer() ? { collection, isUnproven: false } : ofAnother();
}

/** Refuses a list of records to callers who may not read all of them: it shows what everybody wrote. */
export function closedList(collection: CollectionModel, who: Credential): Refusal | null {
  return isOpenToRead(collection, who) ? null : refusal('ENDPOINT_ONLY');
}

/** Refuses callers who may not know by whom the entries of a ledger were made. */
export function hiddenActors({ isSecret }: Pick<Credential, 'isSecret'>): Refusal | null {
  return isSecret ? null : refusal('FORBIDDEN', '`who` needs a secret key');
}

interface DataRule {
  /** The collection, if it is open to callers of this kind. */
  collection(access: AccessContext, who: Credential, idOrName: string, key: string): CollectionModel | Refusal;
  /** Refuses the player, who is proven where the project demands it. */
  player(access: AccessContext, who: Credential, collection: CollectionModel, key: string): Refusal | null;
}

type Action = 'read' | 'write' | 'delete';

const DATA_RULES: Readonly<Record<Operation, DataRule>> = {
  'document.read': {
    collection: documentsOpenTo('read'),
    // Whoever is proven may read the documents of others, unless they are their owners'.
    player: (_access, who, collection, key) => (collection.access.read === 'owner' ? otherOwner(who, key) : null),
  },
  'document.write': { collection: documentsOpenTo('write'), player: otherPlayer('write') },
  'document.delete': { collection: documentsOpenTo('delete'), player: otherPlayer('delete') },
  'slots.read': { collection: slotsOpenTo('read'), player: otherPlayer('read') },
  'slots.write': { collection: slotsOpenTo('write'), player: otherPlayer('write') },
  'slots.delete': { collection: slotsOpenTo('delete'), player: otherPlayer('delete') },
  'ledger.read': {
    collection: ledgerOpenTo,
    // A ledger belongs to its player, whatever the collection.
    player: (access, who, collection, key) =>
      needsProof(access, who) || collection.access.records === 'owner' ? otherOwner(who, key) : null,
  },
  'record.append': {
    collection: appendsOpenTo,
    // Where owners write, the record needs a player as its writer.
    player: (_access, who, { access: { write } }) => {
      const writer = write === 'owner' && !who.isSecret ? ownerIn(who) : null;
      return writer instanceof Refusal ? writer : null;
    },
  },
};

const COLLECTION_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** The id of a player, as save records are kept by it. */
export const PLAYER_ID = /^[A-Za-z0-9_:-]{1,128}$/;

/** Who may do this, besides secret keys and endpoints. */
function openTo({ access }: CollectionModel, action: Action): OpenTo {
  return action === 'read' ? access.read : access.write;
}

/** Unknown and malformed ids of collections get the same answer. */
function documentsOpenTo(action: Action): DataRule['collection'] {
  const what = action === 'read' ? 'read' : 'write';
  return (access, who, id, key) => {
    const lacking = action === 'read' ? unreadable(access) : missingPermission(access.key, ['collections'], 'x');
    if (lacking !== null) return lacking;
    const collection = COLLECTION_ID.test(id) ? collectionIn(access, id) : undefined;
    if (!collection) return noSuch('collection', id, access.target);
    if (!DOCUMENT_KEY.test(key)) return notFound('document', 'No document under this key');
    if (!who.isSecret && openTo(collection, action) === 'endpoints') return refusal('ENDPOINT_ONLY');
    if (!who.isSecret && action === 'delete' && !collection.allowRecordDelete) return refusal('RECORD_DELETE_DISABLED');
    return outdated(who, what) ?? collection;
  };
}

/** Refuses who may read nothing of players. A person who may read what was may read what is; a key for the one is none for the other. */
function unreadable({ key }: AccessContext): Refusal | null {
  return key.kind === 'person' && allows(key, 'history', 'r') ? null : missingPermission(key, ['collections'], 'x');
}

/** As documents are. A player id that is none is refused before anything is said about the collection. */
function slotsOpenTo(action: Action): DataRule['collection'] {
  const asDocuments = documentsOpenTo(action);
  return (access, who, id, key) => {
    if (!PLAYER_ID.test(key)) return refusal('INVALID_KEY');
    const collection = asDocuments(access, who, id, key);
    // This applies to secret keys too, unlike for documents.
    if (action !== 'delete' || collection instanceof Refusal || collection.allowRecordDelete) return collection;
    return refusal('RECORD_DELETE_DISABLED');
  };
}

/** Any valid key may read ledgers, and a person who may read documents, unless `access` says otherwise. Ids are checked first. */
function ledgerOpenTo(access: AccessContext, who: Credential, id: string, key: string): CollectionModel | Refusal {
  const lacking = access.key.kind === 'person' ? unreadable(access) : null;
  if (lacking !== null) return lacking;
  const collection = collectionIn(access, id);
  const keys = collection?.type === 'global' ? DOCUMENT_KEY : PLAYER_ID;
  if (!keys.test(key)) return refusal('INVALID_KEY');
  if (!collection) return noSuch('collection', id, access.target);
  return collection.access.records === 'endpoints' && !who.isSecret ? refusal('ENDPOINT_ONLY') : collection;
}

/** A public key may append only if the collection says so. */
function appendsOpenTo(access: AccessContext, who: Credential, id: string): CollectionModel | Refusal {
  const lacking = missingPermission(access.key, ['collections'], 'x');
  if (lacking !== null) return lacking;
  const collection = collectionIn(access, id);
  if (!who.isSecret && !(collection && collection.access.write !== 'endpoints' && collection.publicAppend)) {
    const cure = '`access: {write: public}` (or owner) and `publicAppend: true` in the definition';
    return refusal('FORBIDDEN', `Appending needs a secret key, or ${cure}`);
  }
  if (!collection) return noSuch('collection', id, access.target);
  // The append's own decision refuses this, too. Here it comes before the body is read.
  if (collection.type !== 'global') return refusal('COLLECTION_TYPE_MISMATCH');
  return outdated(who, 'write') ?? collection;
}

function isOpenToRead({ access: { records } }: CollectionModel, { isSecret }: Credential): boolean {
  return isSecret || records === 'public';
}

/**
 * A proven player may write and delete its own documents and those of global collections. In a collection with owner access the player must
 * be the document's owner; the player's name is enough where the project demands no proof.
 */
function otherPlayer(action: Action): DataRule['player'] {
  return (access, who, collection, key) => {
    const isOwned = openTo(collection, action) === 'owner' || (needsProof(access, who) && collection.type !== 'global');
    return isOwned ? otherOwner(who, key) : null;
  };
}

/** Refuses a public key for a player whose document this is not: its key is the player's id, or begins with `{id}_`. */
export function otherOwner(who: Credential, key: string): Refusal | null {
  if (who.isSecret) return null;
  const player = ownerIn(who);
  if (player instanceof Refusal) return player;
  return key === player || key.startsWith(`${player}_`) ? null : ofAnother();
}

function ownerIn(who: Credential): string | Refusal {
  return (
    namedPlayer(who) ??
    refusal('MISSING_PLATFORM_ID', 'This is open to the player whose it is: name the player, in the header x-platform-id')
  );
}

function ofAnother(): Refusal {
  return refusal('FORBIDDEN', 'This belongs to another player');
}
