import { Buffer } from 'node:buffer';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, printOnce } from '../../kernel/json.ts';
import type { DomainEvent, RecordAppended, Space } from '../events.ts';
import { countDaily } from '../limit/daily.ts';
import type { CollectionModel } from '../model.ts';
import type { WindowState } from '../states.ts';
import { checkDocument } from './check.ts';
import { OWN_MEMBERS, recordDocument } from './evolve.ts';
import { MAX_ENTRIES, tooManyEntries } from './ledger.ts';
import { updateLedger } from './ledger-update.ts';
import { ReadDocument } from './read-document.ts';
import { WITHOUT_DEFAULTS } from './schema.ts';
import { refuseUnfollowed } from './unfollowed.ts';

export interface AppendCommand {
  readonly collection: CollectionModel;
  readonly space: Space;
  /** The parsed body: any JSON value. */
  readonly body: Json;
  /** Id of the new record: 32 lower-case hexadecimal characters. */
  readonly recordId: string;
  /** The record's writer, whom the daily limit counts. */
  readonly writerId: string;
  /** Unix ms. */
  readonly now: number;
  readonly maxBytes: number;
  readonly checkSchema: boolean;
  /** Whether readers see the defaults of what a record lacks. */
  readonly fillDefaults: boolean;
  windowOf(counter: string): WindowState | null;
}

export interface Appended {
  readonly events: readonly DomainEvent[];
  readonly record: JsonObject;
  readonly read: ReadDocument;
  /** JSON text of `record`. */
  readonly text: string;
}

/**
 * Decides one append to a global collection. Refusals, in order: 400 `COLLECTION_TYPE_MISMATCH`, 400 `INVALID_BODY`, 413
 * `PAYLOAD_TOO_LARGE`, 400 `SCHEMA_VALIDATION_FAILED`, 429 `RATE_LIMIT_DAILY`. Rate-limit rules do not apply to appends.
 */
export function decideAppend(command: AppendCommand): Appended | Refusal {
  const { collection, body, maxBytes } = command;
  if (collection.type !== 'global') return refusal('COLLECTION_TYPE_MISMATCH');
  if (!isObject(body) || Object.keys(body).length === 0) return refusal('INVALID_BODY', 'The body must be a JSON object with members');
  const document = withoutOwnMembers(body);
  if (Buffer.byteLength(printOnce(document)) > maxBytes) return refusal('PAYLOAD_TOO_LARGE', `A record may have at most ${maxBytes} bytes`);
  const fault = command.checkSchema ? checkDocument(collection.schema, document) : null;
  if (fault !== null) return refusal('SCHEMA_VALIDATION_FAILED', fault);
  return appended(command, document);
}

function appended(command: AppendCommand, document: JsonObject): Appended | Refusal {
  const { collection, space, recordId, writerId, now } = command;
  const windowOf = (counter: string) => command.windowOf(counter);
  const windows = countDaily({ collection, key: recordId, player: writerId, now, windowOf });
  if (windows instanceof Refusal) return windows;
  const { schema } = collection;
  const reads = command.fillDefaults ? schema : WITHOUT_DEFAULTS;
  const after = new ReadDocument(reads, document);
  const unfollowed = refuseUnfollowed(schema, () => null, after);
  if (unfollowed !== null) return unfollowed;
  const ledger = updateLedger({ collection, current: null, source: 'direct' }, () => null, after);
  if (ledger.required > MAX_ENTRIES) return tooManyEntries(ledger.required);
  const data: RecordAppended = {
    space,
    collection: collection.id,
    recordId,
    timestamp: now,
    writerId,
    document,
    ...(windows.length === 0 ? {} : { windows }),
    definition: collection.hash,
  };
  const record = recordDocument(data);
  return { events: [{ type: 'record.appended', data, ledger }], record, read: new ReadDocument(reads, record), text: printOnce(record) };
}

/**
 * JSON text of the record that this body was appended as. A kept answer holds only what the body does not, so a repeated request gets its
 * text from here.
 */
export function reprintedRecord(body: Json, made: Pick<RecordAppended, 'recordId' | 'timestamp' | 'writerId'>): string {
  return printOnce(recordDocument({ ...made, document: withoutOwnMembers(isObject(body) ? body : {}) }));
}

function withoutOwnMembers(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !OWN_MEMBERS.has(name)));
}
