import type { AccessContext } from '../../domain/access/context.ts';
import { sortedFields } from '../../domain/definition/model/sorted-fields.ts';
import { ByAddress } from '../../domain/document/by-address.ts';
import { decideDelete, decideWrite, type WriteBody, type WriteCommand } from '../../domain/document/decide.ts';
import { ReadDocument } from '../../domain/document/read-document.ts';
import type { DomainEvent, SaveRecord, WindowChange } from '../../domain/events.ts';
import { evolveWindow } from '../../domain/limit/evolve.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { type Slot, slotKey, slotOf } from '../../domain/record/slot.ts';
import type { DocumentState, WindowState } from '../../domain/states.ts';
import { accepted } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import { documentIn, documentSubjects, type LocatedDocument, windowIn } from '../project/state-access.ts';
import { UniqueClaims, withUnique } from '../project/unique-claims.ts';
import { RecordWrites } from './record-writes.ts';

/** How a caller writes. `player` counts in global collections; ledger entries name `source`. */
type WriteOptions = Pick<
  WriteCommand,
  'player' | 'saveVersion' | 'strictSaveVersion' | 'checkSchema' | 'source' | 'reason' | 'isCorrection'
>;

/**
 * The document writes of one command. Each write sees documents and windows as earlier writes of the command left them, so several writes
 * to one document add up, and a limit is exact over the whole command. The result is events only.
 */
export class DocumentWrites {
  readonly events: DomainEvent[] = [];
  readonly #ctx: DecisionContext;
  readonly #access: AccessContext;
  readonly #now: number;
  readonly #maxBytes: number;
  readonly #documents = new ByAddress<LocatedDocument>();
  /** Documents as they read now: those of collections with defaults that this command has read or written. */
  #read: ByAddress<ReadDocument | null> | null = null;
  /** Made when first needed: most writes count nothing. */
  #windows: Map<string, WindowState> | null = null;
  #unique: UniqueClaims | null = null;
  /** Made when first needed: most collections have one document per player. */
  #records: RecordWrites | null = null;

  constructor(ctx: DecisionContext, access: AccessContext, now: number, maxBytes: number) {
    this.#ctx = ctx;
    this.#access = access;
    this.#now = now;
    this.#maxBytes = maxBytes;
  }

  /** Places a document for this command alone: a test run starts from it. */
  insert(collection: string, key: string, document: JsonObject): void {
    const state = { document, version: 1, createdAt: this.#now, updatedAt: this.#now };
    this.#documents.set(collection, key, { state, fork: undefined });
    this.#read?.set(collection, key, null);
  }

  /** Keys of the documents placed in a collection. */
  insertedKeys(collection: string): readonly string[] {
    return this.#documents.keysIn(collection);
  }

  /** Has these documents loaded together if they are not in memory. */
  expect(collection: string, keys: readonly string[]): void {
    this.#ctx.expect(keys.flatMap((key) => documentSubjects(this.#access.space, collection, key)));
  }

  /** The document after the writes so far. */
  located(collection: string, key: string): LocatedDocument {
    return this.#documents.get(collection, key) ?? documentIn(this.#ctx, this.#access.space, collection, key);
  }

  /** The document as it reads now, with its defaults filled in once; `null`: there is none. */
  read(collection: CollectionModel, key: string): JsonObject | null {
    const known = this.#read?.get(collection.id, key);
    if (known) return known.asRead;
    const document = this.located(collection.id, key).state?.document ?? null;
    if (document === null || !collection.schema.hasDefaults || !this.#access.settings.fillDefaults) return document;
    const read = new ReadDocument(collection.schema, document);
    this.#setRead(collection.id, key, read);
    return read.asRead;
  }

  /** Throws the `Refusal` of schema, size, save version, limits, unique values or number of records. */
  write(collection: CollectionModel, key: string, body: WriteBody, how: WriteOptions): DocumentState {
    const { state, fork } = this.located(collection.id, key);
    const { settings, definitions, space } = this.#access;
    const decision = accepted(
      decideWrite({
        collection,
        space,
        key,
        current: state,
        read: this.#read?.get(collection.id, key) ?? undefined,
        fork,
        body,
        fillDefaults: settings.fillDefaults,
        rules: definitions.rules,
        sortedFields: sortedFields(this.#access.state, collection.id),
        windowOf: (counter) => this.#window(counter),
        now: this.#now,
        maxBytes: this.#maxBytes,
        ...how,
      }),
    );
    const { draft } = decision;
    const events = this.#withClaims(collection, key, () => draft.before, draft.after, decision.events);
    this.#append(collection.id, key, events, decision.state);
    if (collection.schema.hasDefaults) this.#setRead(collection.id, key, draft.after);
    const slot = slotOf(collection, key);
    if (slot !== null) this.#recordWrites().saved(collection, slot);
    return decision.state;
  }

  /** Deletes a document; no effect if there is none. Throws 409 STALE_SAVE if the caller names another version than the present one. */
  remove(collection: CollectionModel, key: string, source: string, saveVersion: number | null = null, reason?: string): void {
    const { state, fork } = this.located(collection.id, key);
    const { space, settings } = this.#access;
    const read = this.#read?.get(collection.id, key) ?? undefined;
    const { fillDefaults } = settings;
    const command = { collection, space, key, current: state, read, fork, now: this.#now, source, reason, fillDefaults };
    const decision = accepted(decideDelete(command, saveVersion));
    if (decision.events.length > 0 && decision.state) {
      this.#append(collection.id, key, this.#withClaims(collection, key, decision.before, null, decision.events), decision.state);
    }
    const slot = slotOf(collection, key);
    if (slot !== null) this.#recordWrites().emptied(collection, slot);
  }

  /** Deletes a save record with its data. Throws 404 RECORD_NOT_FOUND. */
  removeRecord(collection: CollectionModel, { player, recordId }: Slot, source: string): void {
    this.#recordWrites().remove(collection, player, recordId);
    this.remove(collection, slotKey(player, recordId), source);
  }

  /** Adds a save record to a player's list under this id. Throws 409 RECORD_LIMIT_REACHED. */
  createRecord(collection: CollectionModel, { player, recordId }: Slot, name: string): void {
    this.#recordWrites().create(collection, player, [recordId], name);
  }

  /** Throws 404 RECORD_NOT_FOUND. */
  renameRecord(collection: CollectionModel, { player, recordId }: Slot, name: string): void {
    this.#recordWrites().rename(collection, player, recordId, name);
  }

  /** A player's save records after the writes so far. */
  recordsOf(collection: string, player: string): readonly SaveRecord[] {
    return this.#recordWrites().list(collection, player);
  }

  /** A write's events, with its changes of unique values. */
  #withClaims(
    collection: CollectionModel,
    key: string,
    before: () => ReadDocument | null,
    after: ReadDocument | null,
    events: readonly DomainEvent[],
  ): readonly DomainEvent[] {
    if (collection.schema.unique.length === 0) return events;
    this.#unique ??= new UniqueClaims(this.#ctx, this.#access, (id, other) => this.located(id, other));
    return withUnique(events, this.#unique.change(collection, key, before(), after));
  }

  #setRead(collection: string, key: string, read: ReadDocument): void {
    this.#read ??= new ByAddress();
    this.#read.set(collection, key, read);
  }

  #recordWrites(): RecordWrites {
    this.#records ??= new RecordWrites(this.#ctx, this.#access.space, this.#now, this.events);
    return this.#records;
  }

  #append(collection: string, key: string, events: readonly DomainEvent[], state: DocumentState): void {
    this.#documents.set(collection, key, { state, fork: undefined });
    this.#read?.set(collection, key, null);
    for (const event of events) {
      this.events.push(event);
      if (event.type === 'document.written' && event.data.windows !== undefined) this.#count(event.data.windows);
    }
  }

  #window(counter: string): WindowState | null {
    return this.#windows?.get(counter) ?? windowIn(this.#ctx, this.#access.space, counter);
  }

  #count(changes: readonly WindowChange[]): void {
    this.#windows ??= new Map();
    for (const change of changes) this.#windows.set(change.counter, evolveWindow(this.#window(change.counter), change));
  }
}
