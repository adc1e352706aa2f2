import type { AccessContext } from '../../domain/access/context.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { evolveDefinitions } from '../../domain/definition/model/evolve.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import { uniqueValues } from '../../domain/document/unique.ts';
import { type DomainEvent, type PublishTarget, projectEvent, type Space, type UniqueClaimed } from '../../domain/events.ts';
import type { CollectionModel, UniqueField } from '../../domain/model.ts';
import type { DefinitionsState } from '../../domain/states.ts';
import { uniqueSubject } from '../../domain/subjects.ts';
import { refusal } from '../../kernel/errors.ts';
import type { DocumentKeys } from '../ports/state-reader.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentIn, documentSubjects } from '../project/state-access.ts';
import { holderIn } from '../project/unique-claims.ts';

/**
 * A publish that makes a field unique goes through the existing documents. If two hold the same value it is refused. Otherwise the commit
 * of the publish claims their values, so later writes meet the claims.
 */

/** Documents of a collection, and their bytes, that one decision goes through. */
const MAX_SURVEYED = 4000;
const MAX_SURVEYED_BYTES = 32 * 1024 * 1024;
const CLAIMS_PER_EVENT = 500;
/** The member of a schema that makes a field unique. */
const UNIQUE = '"_unique"';
/** Keys that a refusal names. */
const MAX_NAMED = 5;

/** Thrown by a decision that has to know the keys of a collection. It is not an `Error`, because nothing failed. */
class NeedsKeys {
  readonly space: Space;
  readonly collection: string;

  constructor(space: Space, collection: string) {
    this.space = space;
    this.collection = collection;
  }
}

export class UniqueSurvey {
  readonly #project: Project;
  readonly #keys = new Map<string, DocumentKeys>();

  constructor(project: Project) {
    this.#project = project;
  }

  /** Loads the keys that a decision asked for. Answers whether `thrown` was such a request. */
  async loadRequested(thrown: unknown): Promise<boolean> {
    if (!(thrown instanceof NeedsKeys)) return false;
    const { space, collection } = thrown;
    this.#keys.set(`${space}/${collection}`, await this.#project.documentKeys(space, collection, MAX_SURVEYED + 1));
    return true;
  }

  /** The claims of a publish. Throws 409 `UNIQUE_VIOLATION`, 409 `COLLECTION_TOO_LARGE`, and what {@link loadRequested} takes. */
  claims(ctx: DecisionContext, { state, settings, space }: AccessContext, events: readonly DomainEvent[]): readonly DomainEvent[] {
    return madeUnique(state, events).flatMap(({ collection }) => this.#claimsIn(ctx, space, collection, settings.fillDefaults));
  }

  #claimsIn(ctx: DecisionContext, space: Space, collection: CollectionModel, fills: boolean): DomainEvent[] {
    const keys = this.#keysIn(ctx, space, collection.id);
    ctx.expect(keys.flatMap((key) => documentSubjects(space, collection.id, key)));
    const holders = new Map<string, string>();
    for (const key of keys) {
      const document = documentIn(ctx, space, collection.id, key).state?.document ?? null;
      const read = document !== null && fills ? fillDefaults(collection.schema, document) : document;
      for (const { field, hash } of uniqueValues(collection.schema, read)) {
        const other = holders.get(hash);
        if (other !== undefined) throw clash(collection, field, [other, key]);
        holders.set(hash, key);
      }
    }
    const hashes = [...holders.keys()];
    ctx.expect(hashes.map((hash) => uniqueSubject(space, collection.id, hash)));
    const claims = [...holders].filter(([hash, key]) => holderIn(ctx, space, collection.id, hash) !== key);
    return inParts(claims).map((part) => ({ type: 'unique.claimed', data: { space, collection: collection.id, claims: part } }));
  }

  #keysIn(ctx: DecisionContext, space: Space, collection: string): readonly string[] {
    const found = this.#keys.get(`${space}/${collection}`);
    if (found === undefined || found.revision < ctx.horizon) throw new NeedsKeys(space, collection);
    const keys = [...new Set([...found.keys, ...ctx.changedKeys(space, collection)])].sort();
    if (keys.length <= MAX_SURVEYED && found.bytes <= MAX_SURVEYED_BYTES) return keys;
    throw refusal(
      'COLLECTION_TOO_LARGE',
      `${collection} holds more than ${MAX_SURVEYED} documents or 32 MiB: make its field unique while it is smaller`,
    );
  }
}

/** The collections in which a publish makes fields unique, with these fields. `isNew`: there was none of this id. */
export function madeUnique(
  state: DefinitionsState,
  events: readonly DomainEvent[],
): readonly { readonly collection: CollectionModel; readonly fields: readonly UniqueField[]; readonly isNew: boolean }[] {
  const target = targetOf(state, events);
  if (target === null) return [];
  const before = effectiveDefinitions(state, target);
  const after = effectiveDefinitions(folded(state, events), target);
  return after.collections.flatMap((collection) => {
    const known = before.collection(collection.id);
    const fields = collection.schema.unique.filter((field) => !known?.schema.unique.some((each) => isSame(each, field)));
    return fields.length === 0 ? [] : [{ collection, fields, isNew: known === undefined }];
  });
}

/** The target if the publish changes a collection with unique fields; `null`: no documents have to be checked. */
function targetOf({ sources }: DefinitionsState, events: readonly DomainEvent[]): PublishTarget | null {
  const publish = events.find((event): event is Publish => isPublish(event));
  const collections = new Set(publish?.data.changes.flatMap(({ kind, hash }) => (kind === 'collection' && hash !== null ? [hash] : [])));
  if (publish === undefined || collections.size === 0) return null;
  const mentionsUnique = (hash: string) => (sources.get(hash) ?? storedSource(events, hash) ?? UNIQUE).includes(UNIQUE);
  if (![...collections].some(mentionsUnique)) return null;
  return publish.type === 'definitions.published' ? publish.data.target : 'live';
}

/** The text that these events store; `null` if a part of it was stored earlier. */
function storedSource(events: readonly DomainEvent[], hash: string): string | null {
  const stored = events.flatMap((event) => (event.type === 'source.stored' && event.data.hash === hash ? [event.data] : []));
  return stored.length > 0 && stored.length === stored[0]?.parts ? stored.map(({ text }) => text).join('') : null;
}

type Publish = Extract<DomainEvent, { readonly type: 'definitions.published' | 'definitions.promoted' | 'definitions.rolledBack' }>;

function isPublish({ type }: DomainEvent): boolean {
  return type === 'definitions.published' || type === 'definitions.promoted' || type === 'definitions.rolledBack';
}

function folded(state: DefinitionsState, events: readonly DomainEvent[]): DefinitionsState {
  const metadata = { commandId: '', cause: '', actor: { kind: 'operator' as const }, schemaVersion: 1, recordedAt: 0 };
  return events.reduce((before, event) => evolveDefinitions(before, projectEvent(event, -1, '', metadata, '')), state);
}

function isSame(one: UniqueField, other: UniqueField): boolean {
  return one.path === other.path && one.caseless === other.caseless && one.default === other.default;
}

function clash({ id }: CollectionModel, field: string, keys: readonly string[]): Error {
  const named = keys.slice(0, MAX_NAMED);
  return refusal('UNIQUE_VIOLATION', `Documents of ${id} hold one value under "${field}", which is to be unique: ${named.join(', ')}`, {
    error: { collection: id, field, documents: named },
  });
}

function inParts(claims: UniqueClaimed['claims']): UniqueClaimed['claims'][] {
  const count = Math.ceil(claims.length / CLAIMS_PER_EVENT);
  return Array.from({ length: count }, (_, at) => claims.slice(at * CLAIMS_PER_EVENT, (at + 1) * CLAIMS_PER_EVENT));
}
