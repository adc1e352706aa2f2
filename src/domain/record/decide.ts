import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import type { SaveRecord, Space } from '../events.ts';
import type { CollectionModel } from '../model.ts';
import type { RecordListEvent } from './evolve.ts';

/** Decides about a player's save records: a list of slots, apart from the documents that hold their data. */

export interface RecordCommand {
  readonly collection: CollectionModel;
  readonly space: Space;
  readonly player: string;
  /** The list, oldest first. */
  readonly records: readonly SaveRecord[];
  /** Set for the first change of a list in a `next` space. */
  readonly fork?: readonly SaveRecord[] | undefined;
}

type EventOf<Type extends RecordListEvent['type']> = Extract<RecordListEvent, { readonly type: Type }>;

const DEFAULT_NAME = 'Save';
const MAX_NAME = 64;

/** A name as it is stored: trimmed, and cut to 64 characters. `null`: it is not a text, or blank. */
export function recordName(requested: Json | undefined): string | null {
  if (typeof requested !== 'string') return null;
  const name = requested.trim();
  // Cut between code points: half a surrogate pair is not valid text.
  return name === '' ? null : name.length <= MAX_NAME ? name : [...name].slice(0, MAX_NAME).join('');
}

/** Creates a record. 409 `RECORD_LIMIT_REACHED` at `maxRecords`. `name`: `null` for the default. */
export function createRecord(command: RecordCommand, recordId: string, name: string | null): EventOf<'record.created'> | Refusal {
  const { maxRecords } = command.collection;
  if (command.records.length >= maxRecords) return refusal('RECORD_LIMIT_REACHED', `At most ${maxRecords} records per player`);
  return { type: 'record.created', data: { ...about(command, recordId), recordName: name ?? DEFAULT_NAME } };
}

/** Renames a record. 404 `RECORD_NOT_FOUND`. */
export function renameRecord(command: RecordCommand, recordId: string, name: string): EventOf<'record.renamed'> | Refusal {
  if (!has(command, recordId)) return refusal('RECORD_NOT_FOUND');
  return { type: 'record.renamed', data: { ...about(command, recordId), recordName: name } };
}

/** Deletes a record. 404 `RECORD_NOT_FOUND`. */
export function deleteRecord(command: RecordCommand, recordId: string): EventOf<'record.deleted'> | Refusal {
  if (!has(command, recordId)) return refusal('RECORD_NOT_FOUND');
  return { type: 'record.deleted', data: about(command, recordId) };
}

/** The first drawn id that is not in the list. Each is one of 16 million, and a list holds 50. */
export function freeId(records: readonly SaveRecord[], drawn: readonly string[]): string {
  const free = drawn.find((id) => !records.some(({ recordId }) => recordId === id));
  if (free === undefined) throw new Error('every drawn record id is taken');
  return free;
}

function has({ records }: RecordCommand, recordId: string): boolean {
  return records.some((record) => record.recordId === recordId);
}

function about({ collection, space, player, fork }: RecordCommand, recordId: string) {
  return { space, collection: collection.id, player, recordId, definition: collection.hash, ...(fork === undefined ? {} : { fork }) };
}
