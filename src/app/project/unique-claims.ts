import { ReadDocument } from '../../domain/document/read-document.ts';
import { WITHOUT_DEFAULTS } from '../../domain/document/schema.ts';
import { type UniqueValue, uniqueValues } from '../../domain/document/unique.ts';
import type { DomainEvent, Space, UniqueChange } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { uniqueSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { DecisionContext } from './decision-context.ts';
import type { LocatedDocument } from './state-access.ts';

/** Where a command writes, and whether readers there see defaults. */
interface ClaimSpace {
  readonly space: Space;
  readonly settings: { readonly fillDefaults: boolean };
}

/**
 * Values of unique fields, for the writes of one command. A claim is a subject: a write reads who holds its value, so of two writes at once
 * the second is decided again and refused. A claim counts only while the document that holds it has the value. A claim that was left behind
 * (the field was not unique for a while) blocks nobody.
 */
export class UniqueClaims {
  readonly #ctx: DecisionContext;
  readonly #access: ClaimSpace;
  readonly #documentAt: (collection: string, key: string) => LocatedDocument;
  /** Claims that this command has changed. */
  readonly #changed = new Map<string, string | null>();

  constructor(ctx: DecisionContext, access: ClaimSpace, documentAt: (collection: string, key: string) => LocatedDocument) {
    this.#ctx = ctx;
    this.#access = access;
    this.#documentAt = documentAt;
  }

  /** Claims that a write changes; `undefined`: none. Throws 409 `UNIQUE_VIOLATION`, unless `lenient` leaves a value with its holder. */
  change(
    collection: CollectionModel,
    key: string,
    before: ReadDocument | null,
    after: ReadDocument | null,
    lenient = false,
  ): UniqueChange | undefined {
    const [oldValues, newValues] = [uniqueValuesOf(collection, before), uniqueValuesOf(collection, after)];
    const [oldHashes, newHashes] = [hashesOf(oldValues), hashesOf(newValues)];
    const removed = oldValues.filter(({ hash }) => !newHashes.has(hash));
    const added = newValues.filter(({ hash }) => !oldHashes.has(hash));
    if (removed.length === 0 && added.length === 0) return undefined;
    const freed = removed.filter(({ hash }) => this.#holder(collection.id, hash) === key).map(({ hash }) => hash);
    const taken: string[] = [];
    for (const value of added) {
      const holder = this.#holder(collection.id, value.hash);
      if (holder === key) continue;
      if (holder === null || !this.#stillHolds(collection, holder, value.hash)) taken.push(value.hash);
      else if (!lenient) throw violation(collection, value);
    }
    for (const hash of freed) this.#changed.set(uniqueSubject(this.#access.space, collection.id, hash), null);
    for (const hash of taken) this.#changed.set(uniqueSubject(this.#access.space, collection.id, hash), key);
    return freed.length === 0 && taken.length === 0 ? undefined : { taken, freed };
  }

  #holder(collection: string, hash: string): string | null {
    const { space } = this.#access;
    const changed = this.#changed.get(uniqueSubject(space, collection, hash));
    return changed === undefined ? holderIn(this.#ctx, space, collection, hash) : changed;
  }

  #stillHolds(collection: CollectionModel, key: string, hash: string): boolean {
    const document = this.#documentAt(collection.id, key).state?.document ?? null;
    const reads = this.#access.settings.fillDefaults ? collection.schema : WITHOUT_DEFAULTS;
    const read = document === null ? null : new ReadDocument(reads, document);
    return uniqueValuesOf(collection, read).some((each) => each.hash === hash);
  }
}

function hashesOf(values: readonly UniqueValue[]): ReadonlySet<string> {
  return new Set(values.map(({ hash }) => hash));
}

function uniqueValuesOf({ schema }: CollectionModel, document: ReadDocument | null): readonly UniqueValue[] {
  return document === null || schema.unique.length === 0 ? [] : uniqueValues(schema, document.asRead);
}

/** The events of one document's write, its own first, with its changes of unique values. */
export function withUnique(events: readonly DomainEvent[], unique: UniqueChange | undefined): readonly DomainEvent[] {
  const [own, ...rest] = events;
  if (unique === undefined || own === undefined) return events;
  switch (own.type) {
    case 'document.written':
      return [{ ...own, data: { ...own.data, unique } }, ...rest];
    case 'document.deleted':
      return [{ ...own, data: { ...own.data, unique } }, ...rest];
    case 'record.appended':
      return [{ ...own, data: { ...own.data, unique } }, ...rest];
    default:
      return events;
  }
}

/** Holder of a value, as decisions in this space see it. A `next` space sees live's claim, unless it has its own. */
export function holderIn(ctx: DecisionContext, space: Space, collection: string, hash: string): string | null {
  const own = ctx.read(uniqueSubject(space, collection, hash));
  if (own !== null || space === 'live') return own?.holder ?? null;
  return ctx.read(uniqueSubject('live', collection, hash))?.holder ?? null;
}

function violation({ id }: CollectionModel, { field }: UniqueValue): Error {
  return refusal('UNIQUE_VIOLATION', `Another document of ${id} has this value under "${field}"`, { error: { collection: id, field } });
}
