import type { DomainEvent, RecordCreated, SaveRecord, Space } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { createRecord, deleteRecord, freeId, type RecordCommand, renameRecord } from '../../domain/record/decide.ts';
import { evolveRecordList, type RecordListEvent } from '../../domain/record/evolve.ts';
import type { Slot } from '../../domain/record/slot.ts';
import { accepted } from '../../kernel/errors.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import { type LocatedList, recordListIn } from '../project/state-access.ts';

/** The changes to save records of one command. Each sees what earlier ones made. They are added to the command's `events`. */
export class RecordWrites {
  readonly #ctx: DecisionContext;
  readonly #space: Space;
  readonly #now: number;
  readonly #events: DomainEvent[];
  readonly #lists = new Map<string, LocatedList>();

  constructor(ctx: DecisionContext, space: Space, now: number, events: DomainEvent[]) {
    this.#ctx = ctx;
    this.#space = space;
    this.#now = now;
    this.#events = events;
  }

  /** Creates a slot under the first free one of the drawn ids. `name`: `null` for the default. Throws 409 RECORD_LIMIT_REACHED. */
  create(collection: CollectionModel, player: string, drawn: readonly string[], name: string | null): RecordCreated {
    const command = this.#command(collection, player);
    const created = accepted(createRecord(command, freeId(command.records, drawn), name));
    this.#append(command, created);
    return created.data;
  }

  /** Throws 404 RECORD_NOT_FOUND. */
  rename(collection: CollectionModel, player: string, recordId: string, name: string): void {
    const command = this.#command(collection, player);
    this.#append(command, accepted(renameRecord(command, recordId, name)));
  }

  /** Throws 404 RECORD_NOT_FOUND. */
  remove(collection: CollectionModel, player: string, recordId: string): void {
    const command = this.#command(collection, player);
    this.#append(command, accepted(deleteRecord(command, recordId)));
  }

  /** The slot's data was saved, so it is added to the list. Throws 409 RECORD_LIMIT_REACHED if there is no room. */
  saved(collection: CollectionModel, { player, recordId }: Slot): void {
    if (!this.#has(collection, player, recordId)) this.create(collection, player, [recordId], null);
  }

  /** The slot's data was deleted, and its list entry goes with it. */
  emptied(collection: CollectionModel, { player, recordId }: Slot): void {
    if (this.#has(collection, player, recordId)) this.remove(collection, player, recordId);
  }

  /** The list as it is now. */
  list(collection: string, player: string): readonly SaveRecord[] {
    return this.#located(collection, player).records;
  }

  #has(collection: CollectionModel, player: string, recordId: string): boolean {
    return this.list(collection.id, player).some((record) => record.recordId === recordId);
  }

  #located(collection: string, player: string): LocatedList {
    return this.#lists.get(`${collection}/${player}`) ?? recordListIn(this.#ctx, this.#space, collection, player);
  }

  #command(collection: CollectionModel, player: string): RecordCommand {
    return { collection, space: this.#space, player, ...this.#located(collection.id, player) };
  }

  #append({ collection, player, records }: RecordCommand, event: RecordListEvent): void {
    this.#events.push(event);
    this.#lists.set(`${collection.id}/${player}`, { ...evolveRecordList({ records }, event, this.#now), fork: undefined });
  }
}
