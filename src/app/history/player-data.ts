import type * as contract from '../../contract/answers.ts';
import { ledgerValues } from '../../domain/document/ledger-values.ts';
import { isThere } from '../../domain/document/packed.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { SaveRecord } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { slotKey } from '../../domain/record/slot.ts';
import { documentSubject, recordListSubject } from '../../domain/subjects.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import { type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import type { OwnedAddress } from '../ports/documents.ts';
import { slotEntry } from '../storage/save-records.ts';
import { type Looked, pageOf, type Shown, storagePath } from './player-part.ts';

/** What a player has: documents, balances, save records; of now, or as of a moment. */

type OwnedDocument = NonNullable<contract.PlayerPage['documents']>['items'][number];
type Balance = NonNullable<contract.PlayerPage['balances']>['items'][number];
type Slot = NonNullable<contract.PlayerPage['slots']>['items'][number];

/** Characters of all documents that a page shows whole. */
const MAX_SHOWN = 262_144;
const MAX_BALANCES = 200;
const MAX_SLOTS = 200;

/** A document at the moment that is looked at. `document` `null`: deleted. */
interface Found extends OwnedAddress {
  readonly document: JsonObject | null;
  readonly version: number;
  readonly updatedAt: number;
}

/** Documents, and the balances of those that are there. */
export async function documentsOf(looked: Looked): Promise<Shown> {
  const { context, project, player, limit, after } = looked;
  const collections = ownCollections(looked).map(({ id }) => id);
  const within = { collections, limit: limit + 1, ...(after === null ? {} : { after: placeIn(after) }) };
  const addresses = await context.views.documentsOf(project.id, player, within);
  const { items, about } = pageOf(looked, 'documents', addresses, ({ collection, key }) => `${collection}.${key}`);
  const found = (await inTurns(items, (at) => storedAt(looked, at))).filter((each) => each !== null);
  const shown = await context.roundRobin.run(project.id, () => showing(looked, found));
  const more = about.more === undefined ? {} : { more: about.more };
  return { documents: { items: shown.documents, ...about }, balances: { items: shown.balances, ...more, ...shown.moreBalances } };
}

/** Collections of which players have documents. */
export function ownCollections({ access }: Looked): readonly CollectionModel[] {
  return access.definitions.collections.filter(({ type }) => type !== 'global');
}

/** A document at the moment that is looked at; `null`: there was none yet. */
export async function storedAt({ context, project, moment }: Looked, at: OwnedAddress): Promise<Found | null> {
  if (moment !== null) {
    const then = await context.past.documentAt(project, { space: 'live', ...at }, moment.revision);
    return then === null ? null : { ...at, document: then.document, version: then.version, updatedAt: then.updatedAt };
  }
  const { state } = await project.read(documentSubject('live', at.collection, at.key));
  return state === null ? null : { ...at, document: state.document, version: state.version, updatedAt: state.updatedAt };
}

/** What is shown of documents. Those for which there is no room are named alone. */
function showing(looked: Looked, found: readonly Found[]) {
  const { access } = looked;
  const documents: OwnedDocument[] = [];
  const balances: Balance[] = [];
  let moreBalances: { readonly more?: string } = {};
  let room = MAX_SHOWN;
  for (const { collection, key, document: stored, version, updatedAt } of found) {
    const link = storagePath(looked, collection, key);
    const known = { collection, key, version, updatedAt: new Date(updatedAt).toISOString(), link, history: `${link}/history` };
    const schema = access.definitions.collection(collection)?.schema;
    if (stored === null || schema === undefined) {
      documents.push({ ...known, ...(stored === null ? { deleted: true as const } : {}) });
      continue;
    }
    const document = access.settings.fillDefaults ? fillDefaults(schema, stored) : stored;
    const { length } = stringifyJson(document);
    const fits = length <= room;
    if (fits) room -= length;
    documents.push(fits ? { ...known, document } : known);
    for (const { field, currency, amount } of ledgerValues(schema, document)) {
      if (balances.length === MAX_BALANCES) moreBalances = { more: moreBalances.more ?? link };
      else balances.push({ collection, key, field, ...(currency === null ? {} : { currency }), amount, link: ledgerPath(link, field) });
    }
  }
  return { documents, balances, moreBalances };
}

function ledgerPath(document: string, field: string): string {
  return `${document}/ledger?${new URLSearchParams({ field, order: 'desc' })}`;
}

const PLACE = /^([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_:-]{1,256})$/;

function placeIn(after: string): OwnedAddress {
  const [, collection, key] = PLACE.exec(after) ?? [];
  if (collection === undefined || key === undefined) throw invalidCursor('after');
  return { collection, key };
}

/** Save records of every collection that has some. */
export async function slotsOf(looked: Looked): Promise<Shown> {
  const slotted = ownCollections(looked).filter(({ maxRecords }) => maxRecords > 1);
  const lists = await inTurns(slotted, async ({ id }) => ({ collection: id, records: await recordsOf(looked, id) }));
  const all = lists.flatMap(({ collection, records }) => records.map((record) => ({ collection, record })));
  const shown = all.slice(0, MAX_SLOTS);
  const items = await inTurns(shown, ({ collection, record }) => slotOf(looked, collection, record));
  const next = all[shown.length];
  return {
    slots: { items, ...(next === undefined ? {} : { more: storagePath(looked, next.collection, looked.player, 'records') }) },
  };
}

async function recordsOf({ context, project, player, moment }: Looked, collection: string): Promise<readonly SaveRecord[]> {
  if (moment !== null) return context.past.recordsAt(project, 'live', collection, player, moment.revision);
  return (await project.read(recordListSubject('live', collection, player))).state?.records ?? [];
}

async function slotOf(looked: Looked, collection: string, record: SaveRecord): Promise<Slot> {
  const { recordId, recordName, createdAt, updatedAt } = slotEntry(record, await savedAt(looked, collection, record));
  const link = storagePath(looked, collection, slotKey(looked.player, recordId));
  return { collection, recordId, recordName, createdAt, updatedAt, link };
}

/** When the data of a save record were saved last, unix ms; 0: there are none. */
async function savedAt({ context, project, player, moment }: Looked, collection: string, { recordId }: SaveRecord): Promise<number> {
  const key = slotKey(player, recordId);
  if (moment === null) {
    const { state } = await project.read(documentSubject('live', collection, key));
    return isThere(state) ? state.updatedAt : 0;
  }
  const change = await context.past.lastChangeAt(project, { space: 'live', collection, key }, moment.revision);
  return change === null || change.isDeleted ? 0 : change.at;
}
