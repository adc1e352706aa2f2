import type { Corrected } from '../../contract/answers.ts';
import type { OBSTACLES } from '../../contract/routes/corrections.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { differences, firstLines } from '../../domain/correction/differences.ts';
import type { SlotChanges } from '../../domain/correction/slots.ts';
import type { UndoneDocument } from '../../domain/correction/three-way.ts';
import { checkDocument } from '../../domain/document/check.ts';
import { applyChanges } from '../../domain/document/draft.ts';
import { isDocumentEvent, keyOf } from '../../domain/document/evolve.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import type { Change, DomainEvent, LedgerEntry } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { slotKey } from '../../domain/record/slot.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { addDecimals, isNumber, type Json, type JsonObject, jsonEquals } from '../../kernel/json.ts';
import { getPath } from '../../kernel/path.ts';
import type { SeenSchema } from '../management/stored-documents.ts';
import type { DocumentWrites } from '../storage/document-writes.ts';

/** What stands in the way of a correction, unless it is chosen to go on despite it. */
export type Obstacle = (typeof OBSTACLES)[number];

export interface How {
  /** What ledgers name as the source of its entries. */
  readonly source: string;
  readonly reason: string;
  readonly despite: readonly Obstacle[];
  /** Changes of each document that are told; left out: all. */
  readonly lines?: number | undefined;
  /** What of schemas whoever asks may be told of; left out: all. */
  readonly seen?: SeenSchema;
}

/** Lines of each list of an answer. */
export const MAX_LINES = 500;
/** Obstacles that a refusal names. */
const MAX_BLOCKED = 50;

type Report = { -readonly [Name in keyof Corrected]: Corrected[Name] extends readonly (infer Line)[] ? Line[] : Corrected[Name] };

/**
 * The changes of one correction, in its decision: documents and lists become what they are to be, no rate limit applies or counts, and
 * everything that stands in the way is gathered before anything is refused.
 */
export class Correcting {
  readonly #access: AccessContext;
  readonly #writes: DocumentWrites;
  readonly #how: How;
  readonly #blocked: JsonObject[] = [];
  readonly #documents: Report['documents'] = [];
  readonly #slots: Report['slots'] = [];
  readonly #left: Report['left'] = [];
  readonly #shortfalls: Report['shortfalls'] = [];

  constructor(access: AccessContext, writes: DocumentWrites, how: How) {
    this.#access = access;
    this.#writes = writes;
    this.#how = how;
  }

  /** The collection of this id; `null`, and in the way: there is none any more. */
  collection(id: string, what: JsonObject): CollectionModel | null {
    const found = this.#access.definitions.collections.find((each) => each.id === id);
    if (found === undefined) this.#block('collection', what, `The collection ${id} is no longer defined`);
    return found ?? null;
  }

  /** Makes a document what `become` makes of it. */
  document(id: string, key: string, become: (present: JsonObject | null, collection: CollectionModel) => UndoneDocument): void {
    const collection = this.collection(id, { collection: id, key });
    if (collection === null) return;
    const present = this.#writes.located(id, key).state?.document ?? null;
    const { document, left, shortfalls } = become(present, collection);
    this.#left.push(...left.map((each) => ({ collection: id, key, ...each })));
    this.#shortfalls.push(...shortfalls.map((each) => ({ collection: id, key, ...each })));
    if (isSame(present, document)) return;
    const stored = this.#store(collection, key, present, document);
    if (stored === undefined) return;
    const { lines } = this.#how;
    const after = stored.document;
    const told = lines === undefined ? { changes: [...differences(present, after)] } : firstLines(present, after, lines);
    this.#documents.push({ collection: id, key, version: stored.version, ...told });
  }

  /** Makes slots of a player and renames them: before their documents are written, which would make a slot without its name. */
  makeSlots(id: string, player: string, { create, rename }: SlotChanges): void {
    const collection = this.collection(id, { collection: id, player });
    if (collection === null) return;
    const known = this.#writes.recordsOf(id, player);
    for (const { recordId, recordName } of create) {
      if (known.some((each) => each.recordId === recordId)) continue;
      this.#trying({ collection: id, player, recordId }, () => this.#writes.createRecord(collection, { player, recordId }, recordName));
      this.#slots.push({ collection: id, player, recordId, is: 'made' });
    }
    for (const { recordId, recordName } of rename) {
      this.#trying({ collection: id, player, recordId }, () => this.#writes.renameRecord(collection, { player, recordId }, recordName));
      this.#slots.push({ collection: id, player, recordId, is: 'renamed' });
    }
  }

  /** Removes slots whose documents are gone now; with one, somebody saved into the slot since. */
  removeSlots(id: string, player: string, { remove }: SlotChanges): void {
    const collection = this.collection(id, { collection: id, player });
    if (collection === null) return;
    for (const recordId of remove) {
      const key = slotKey(player, recordId);
      const saved = this.#writes.located(id, key).state?.document ?? null;
      if (saved !== null) {
        this.#left.push({ collection: id, key, path: '' });
        continue;
      }
      this.#slots.push({ collection: id, player, recordId, is: 'removed' });
      if (this.#writes.recordsOf(id, player).some((each) => each.recordId === recordId)) {
        this.#writes.removeRecord(collection, { player, recordId }, this.#how.source);
      }
    }
  }

  /** The events so far. Throws 409 CORRECTION_BLOCKED, with everything that stands in the way. */
  events(): readonly DomainEvent[] {
    const [first] = this.#blocked;
    if (first === undefined) return this.#writes.events;
    const others = this.#blocked.length === 1 ? '' : `, and ${this.#blocked.length - 1} more, which \`blocked\` lists`;
    throw refusal('CORRECTION_BLOCKED', `${String(first['message'])}${others}; nothing was written. ${CHOICES}`, {
      error: { blocked: this.#blocked.slice(0, MAX_BLOCKED), blockedCount: this.#blocked.length },
    });
  }

  report(): Corrected {
    const lists = {
      documents: this.#documents,
      slots: this.#slots,
      coins: coinsOf(this.#writes.events),
      left: this.#left,
      shortfalls: this.#shortfalls,
    };
    const more = Object.values(lists).reduce((sum, list) => sum + Math.max(list.length - MAX_LINES, 0), 0);
    return {
      documents: lists.documents.slice(0, MAX_LINES),
      slots: lists.slots.slice(0, MAX_LINES),
      coins: lists.coins.slice(0, MAX_LINES),
      left: lists.left.slice(0, MAX_LINES),
      shortfalls: lists.shortfalls.slice(0, MAX_LINES),
      more,
    };
  }

  /** What was stored; `undefined`: something stands in the way. */
  #store(
    collection: CollectionModel,
    key: string,
    present: JsonObject | null,
    document: JsonObject | null,
  ): { readonly document: JsonObject | null; readonly version: number | null } | undefined {
    const { source, reason, despite } = this.#how;
    if (document === null) {
      this.#writes.remove(collection, key, source, null, reason);
      return { document, version: null };
    }
    this.#requireTold(collection, present, document);
    const how = { player: playerOfKey(key), saveVersion: null, strictSaveVersion: false, isCorrection: true, source, reason };
    const write = (made: JsonObject) => {
      const body = { kind: 'replace' as const, document: made };
      return this.#writes.write(collection, key, body, { ...how, checkSchema: !despite.includes('schema') });
    };
    return this.#trying({ collection: collection.id, key }, () => {
      try {
        return write(document);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'SCHEMA_VALIDATION_FAILED') throw this.#toldFault(collection, document, error);
        if (error.code !== 'UNIQUE_VIOLATION' || !despite.includes('unique')) throw error;
        return write(withPresentUnique(collection, document, present));
      }
    });
  }

  /** Throws 403 REVEAL_NEEDED where a unique value comes back that may not be told: that somebody holds it now would be. */
  #requireTold({ id, schema }: CollectionModel, present: JsonObject | null, document: JsonObject): void {
    const { unique } = this.#how.seen?.(id, schema) ?? schema;
    const value = (of: JsonObject | null, path: string) => getPath(of ?? {}, path) ?? null;
    const back = schema.unique.find((field) => {
      const wanted = value(document, field.path);
      return !unique.includes(field) && wanted !== null && !jsonEquals(wanted, value(present, field.path));
    });
    if (back !== undefined)
      throw refusal(
        'REVEAL_NEEDED',
        `Whether "${back.path}" of ${id} can go back tells whether somebody holds that value now: it takes a reason in the header x-ns-reveal. A restore may leave it as it is (\`keep\`)`,
      );
  }

  /** Why a document does not fit, as far as whoever asks may be told: of a personal field neither its bounds nor the names below it. */
  #toldFault({ id, schema }: CollectionModel, document: JsonObject, fault: Refusal): Refusal {
    const seen = this.#how.seen?.(id, schema) ?? schema;
    if (seen === schema) return fault;
    const hidden = `A personal field does not fit the schema of ${id}: why takes a reason in the header x-ns-reveal`;
    return refusal('SCHEMA_VALIDATION_FAILED', checkDocument(seen, document) ?? hidden);
  }

  /** Runs a write. What refuses it is gathered. */
  #trying<T>(what: JsonObject, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#block(OBSTACLE_OF[error.code] ?? error.code, what, error.message);
      return undefined;
    }
  }

  #block(obstacle: string, what: JsonObject, message: string): void {
    this.#blocked.push({ ...what, obstacle, message });
  }
}

const CHOICES =
  '`despite` goes on in spite of a schema, or leaves a unique value with who has it; `keep` and `collections` leave parts alone.';

const OBSTACLE_OF: Readonly<Record<string, string>> = { SCHEMA_VALIDATION_FAILED: 'schema', UNIQUE_VIOLATION: 'unique' };

function isSame(a: JsonObject | null, b: JsonObject | null): boolean {
  return a === b || (a !== null && b !== null && jsonEquals(a, b));
}

/** The document with the values that its unique fields have now. */
function withPresentUnique({ schema }: CollectionModel, document: JsonObject, present: JsonObject | null): JsonObject {
  const changes = schema.unique.map(({ path }): Change => [path, getPath(present ?? {}, path) ?? null]);
  return applyChanges(document, changes);
}

/** What the ledgers of these events come to, by document and field. */
export function coinsOf(events: readonly DomainEvent[]): Report['coins'] {
  const coins = new Map<string, Report['coins'][number]>();
  for (const event of events) {
    if (!isDocumentEvent(event)) continue;
    for (const entry of event.ledger?.entries ?? []) {
      const { collection } = event.data;
      const key = keyOf(event);
      const name = `${collection}/${key}/${entry.field}`;
      const known = coins.get(name);
      const { before, delta } = known === undefined ? entry : { before: known.before, delta: sum(known.delta, entry) };
      coins.set(name, { player: playerOfKey(key), collection, key, field: entry.field, before, after: entry.after, delta });
    }
  }
  return [...coins.values()];
}

function sum(delta: Json, entry: LedgerEntry): Json {
  return isNumber(delta) && isNumber(entry.delta) ? addDecimals(delta, entry.delta) : entry.delta;
}
