import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { canonicalJson, isObject, type Json, type JsonObject, printOnce } from '../../kernel/json.ts';
import type { CollectionModel } from '../definition/model.ts';
import type { DomainEvent, RecordAppended, Space } from '../events.ts';
import { countDaily } from '../limit/daily.ts';
import type { IdempotencyState, WindowState } from '../states.ts';
import { checkDocument } from './check.ts';
import { OWN_MEMBERS, recordDocument } from './evolve.ts';
import { ledgerEntries, MOST_ENTRIES, tooManyEntries } from './ledger.ts';
import { WITHOUT_DEFAULTS } from './schema.ts';
import { NOTHING_TOLD } from './told.ts';

export interface AppendCommand {
  readonly collection: CollectionModel;
  readonly space: Space;
  /** The parsed body, any JSON value. */
  readonly body: Json;
  /** For a new record: 32 lower-case hexadecimal characters. */
  readonly recordId: string;
  /** Whom the record is by; also the caller that an idempotency key belongs to, and whom the daily limit counts. */
  readonly writerId: string;
  /** Unix ms. */
  readonly now: number;
  readonly maxBytes: number;
  readonly checkSchema: boolean;
  /** Whether readers see the defaults of what a record lacks. */
  readonly fillDefaults: boolean;
  /** 1 to 255 characters, or `null` for none. */
  readonly idempotencyKey: string | null;
  /** What is known of that key; ignored without one. */
  readonly idempotency: IdempotencyState | null;
  windowOf(counter: string): WindowState | null;
}

export interface Appended {
  /** Empty when the idempotency key was used with the same body: then `record` is the first answer. */
  readonly events: readonly DomainEvent[];
  readonly record: JsonObject;
  /** JSON text of `record`. */
  readonly text: string;
}

/** An idempotency key counts this long, unix ms (runtime-storage 10.1). */
const KEY_LIFETIME = 24 * 60 * 60 * 1000;

/**
 * Decides one append to a global collection. In order: 400 `COLLECTION_TYPE_MISMATCH`, 400 `INVALID_BODY`, 409
 * `IDEMPOTENCY_KEY_REUSED`, 413 `PAYLOAD_TOO_LARGE`, 400 `SCHEMA_VALIDATION_FAILED`, 429 `RATE_LIMIT_DAILY`. Rate-limit rules do
 * not apply to appends. Source: runtime-storage 10.1.
 */
export function decideAppend(command: AppendCommand): Appended | Refusal {
  const { collection, body, idempotencyKey, maxBytes } = command;
  if (collection.type !== 'global') return refusal('COLLECTION_TYPE_MISMATCH');
  if (!isObject(body) || Object.keys(body).length === 0) return refusal('INVALID_BODY', 'The body must be a JSON object with members');
  const document = withoutOwnMembers(body);
  const bodyHash = idempotencyKey === null ? '' : createHash('sha256').update(canonicalJson(body)).digest('hex');
  const known = validKey(command);
  if (known !== null) return known.bodyHash === bodyHash ? repeated(command, known, document) : refusal('IDEMPOTENCY_KEY_REUSED');
  if (Buffer.byteLength(printOnce(document)) > maxBytes) return refusal('PAYLOAD_TOO_LARGE', `A record may have at most ${maxBytes} bytes`);
  const fault = command.checkSchema ? checkDocument(collection.schema, document) : null;
  if (fault !== null) return refusal('SCHEMA_VALIDATION_FAILED', fault);
  return appended(command, document, bodyHash);
}

function appended(command: AppendCommand, document: JsonObject, bodyHash: string): Appended | Refusal {
  const { collection, space, recordId, writerId, now, idempotencyKey } = command;
  const windowOf = (counter: string) => command.windowOf(counter);
  const windows = countDaily({ collection, key: recordId, player: writerId, now, windowOf });
  if (windows instanceof Refusal) return windows;
  const { schema } = collection;
  const { entries: ledger, asked } = ledgerEntries({
    schema,
    reads: command.fillDefaults ? schema : WITHOUT_DEFAULTS,
    told: NOTHING_TOLD,
    from: null,
    isNew: true,
    after: document,
    originOf: () => undefined,
    source: 'direct',
  });
  if (asked > MOST_ENTRIES) return tooManyEntries(asked);
  const data: RecordAppended = {
    space,
    collection: collection.id,
    recordId,
    timestamp: now,
    writerId,
    document,
    ...(ledger.length === 0 ? {} : { ledger }),
    ...(windows.length === 0 ? {} : { windows }),
    ...(idempotencyKey === null ? {} : { idempotency: { caller: writerId, key: idempotencyKey, bodyHash } }),
    definition: collection.hash,
  };
  return answer([{ type: 'record.appended', data }], recordDocument(data));
}

/** The first answer again: it is made of the body, which is the same, and of what the fact keeps. */
function repeated({ writerId }: AppendCommand, { recordId, timestamp }: IdempotencyState, document: JsonObject): Appended {
  return answer([], recordDocument({ recordId, timestamp, writerId, document }));
}

function answer(events: readonly DomainEvent[], record: JsonObject): Appended {
  return { events, record, text: printOnce(record) };
}

function validKey({ idempotencyKey, idempotency, now }: AppendCommand): IdempotencyState | null {
  if (idempotencyKey === null || idempotency === null) return null;
  return now - idempotency.recordedAt < KEY_LIFETIME ? idempotency : null;
}

function withoutOwnMembers(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !OWN_MEMBERS.has(name)));
}
