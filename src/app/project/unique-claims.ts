import type { CollectionModel } from '../../domain/definition/model.ts';
import { ReadDocument } from '../../domain/document/read-document.ts';
import { WITHOUT_DEFAULTS } from '../../domain/document/schema.ts';
import { type UniqueValue, uniqueValues } from '../../domain/document/unique.ts';
import type { DomainEvent, Space, UniqueChange } from '../../domain/events.ts';
import { asUnique } from '../../domain/states.ts';
import { uniqueSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Located } from './state-access.ts';

/** Where a command writes, and whether readers there see defaults. */
interface Where {
  readonly space: Space;
  readonly settings: { readonly fillDefaults: boolean };
}

/**
 * Values of unique fields, for the writes of one command. A claim is a subject: a write reads who holds its value, so of two writes at once
 * the second is decided again and refused. A claim counts only while the document that holds it has the value. A claim that was left behind
 * (the field was not unique for a while) blocks nobody.
 */
export class UniqueClaims {
  readonly #view: DecisionContext;
  readonly #access: Where;
  readonly #located: (collection: string, key: string) => Located;
  /** Claims that this command has changed. */
  readonly #changed = new Map<string, string | null>();

  constructor(ctx: DecisionContext, where: Where, located: (collection: string, key: string) => Located) {
    this.#view = ctx;
    this.#access = where;
    this.#located = located;
  }

  /** Claims that a write changes; `undefined`: none. Throws 409 `UNIQUE_VIOLATION`, unless `lenient` leaves a value with its holder. */
  change(
    collection: CollectionModel,
    key: string,
    before: ReadDocument | null,
    after: ReadDocument | null,
    lenient = false,
  ): UniqueChange | undefined {
    const [old, now] = [heldBy(collection, before), heldBy(collection, after)];
    const [had, has] = [hashesOf(old), hashesOf(now)];
    const gone = old.filter(({ hash }) => !has.has(hash));
    const come = now.filter(({ hash }) => !had.has(hash));
    if (gone.length === 0 && come.length === 0) return undefined;
    const freed = gone.filter(({ hash }) => this.#holder(collection.id, hash) === key).map(({ hash }) => hash);
    const taken: string[] = [];
    for (const held of come) {
      const holder = this.#holder(collection.id, held.hash);
      if (holder === key) continue;
      if (holder === null || !this.#stillHolds(collection, holder, held.hash)) taken.push(held.hash);
      else if (!lenient) throw violation(collection, held);
    }
    for (const hash of freed) this.#changed.set(uniqueSubject(this.#access.space, collection.id, hash), null);
    for (const hash of taken) this.#changed.set(uniqueSubject(this.#access.space, collection.id, hash), key);
    return freed.length === 0 && taken.length === 0 ? undefined : { taken, freed };
  }

  #holder(collection: string, hash: string): string | null {
    const { space } = this.#access;
    const changed = this.#changed.get(uniqueSubject(space, collection, hash));
    return changed === undefined ? holderIn(this.#view, space, collection, hash) : changed;
  }

  #stillHolds(collection: CollectionModel, key: string, hash: string): boolean {
    const document = this.#located(collection.id, key).state?.document ?? null;
    const reads = this.#access.settings.fillDefaults ? collection.schema : WITHOUT_DEFAULTS;
    const read = document === null ? null : new ReadDocument(reads, document);
    return heldBy(collection, read).some((each) => each.hash === hash);
  }
}

function hashesOf(held: readonly UniqueValue[]): ReadonlySet<string> {
  return new Set(held.map(({ hash }) => hash));
}

function heldBy({ schema }: CollectionModel, document: ReadDocument | null): readonly UniqueValue[] {
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
  const own = asUnique(ctx.read(uniqueSubject(space, collection, hash)));
  if (own !== null || space === 'live') return own?.holder ?? null;
  return asUnique(ctx.read(uniqueSubject('live', collection, hash)))?.holder ?? null;
}

function violation({ id }: CollectionModel, { field }: UniqueValue): Error {
  return refusal('UNIQUE_VIOLATION', `Another document of ${id} has this value under "${field}"`, { error: { collection: id, field } });
}
