import type { collection } from '../../../contract/resources/collection.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { type Json, type JsonObject, jsonEquals } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import { checkDocument } from '../../document/check.ts';
import { compileSchema, fillDefaults } from '../../document/schema.ts';
import { unfollowedFault } from '../../document/unfollowed.ts';
import { uniqueValues } from '../../document/unique.ts';
import type { Finding } from '../../finding.ts';
import type { CollectionModel, FieldModel, SchemaModel } from '../../model.ts';
import type { DefinitionsState } from '../../states.ts';
import { effectiveDefinitions } from '../model/effective.ts';
import { writtenSchema } from '../model/models.ts';
import { definitionOf } from '../model/overlay.ts';

/** What a promotion means for stored documents and ledgers. Pure: the use case reads the stored data. */

/** A collection whose schema a promotion would change. `next` is `null` if the promotion would remove the collection. */
export interface ChangedCollection {
  readonly id: string;
  readonly live: CollectionModel;
  readonly next: CollectionModel | null;
}

/** Live collections that a promotion would remove or give another schema. */
export function changedCollections(state: DefinitionsState): readonly ChangedCollection[] {
  const [live, next] = [effectiveDefinitions(state, 'live'), effectiveDefinitions(state, 'next')];
  if (live === next) return [];
  const staged = new Map(next.collections.map((model) => [model.id, model]));
  return live.collections.flatMap((model) => {
    const after = staged.get(model.id) ?? null;
    return after !== null && jsonEquals(schemaIn(model.definition), schemaIn(after.definition))
      ? []
      : [{ id: model.id, live: model, next: after }];
  });
}

function schemaIn(definition: Written<typeof collection>): Json {
  return writtenSchema(definition) ?? null;
}

/** Collections that a promotion would make, and that live does not have. */
export function newCollections(state: DefinitionsState): readonly string[] {
  const [live, next] = [effectiveDefinitions(state, 'live'), effectiveDefinitions(state, 'next')];
  if (live === next) return [];
  return next.collections.flatMap(({ id }) => (state.live.collection.has(id) ? [] : [id]));
}

/** Whether live has no such collection, or has it with another schema. */
export function isNewSchema(state: DefinitionsState, id: string, pushed: Written<typeof collection>): boolean {
  const live = state.live.collection.get(id);
  return live === undefined || !jsonEquals(schemaIn(objectOf(definitionOf(live))), schemaIn(pushed));
}

/** The schema of a pushed collection. */
export function schemaOfItem(pushed: Written<typeof collection>): SchemaModel {
  return compileSchema(writtenSchema(pushed));
}

const PURGE = (id: string) => `'savepoint doc purge ${id}' deletes them; or choose another id.`;

/** Documents of a collection that was deleted, under the id of one that is made. `most`: counting stopped there. */
export function earlierFinding(id: string, count: number, most: number): Finding {
  return { code: EARLIER, pointer: '', message: earlierMessage(id, count, most), fix: PURGE(id) };
}

/** Documents of a collection that is deleted. `most`: counting stopped there. */
export function leftFinding(id: string, count: number, most: number): Finding {
  const counted = `${count >= most ? 'at least ' : ''}${documentsOf(count)}`;
  const message = `'${id}' leaves ${counted} under its id: a collection that is made anew would show them.`;
  return { code: EARLIER, pointer: '', message, fix: `'savepoint doc purge ${id}' deletes them.` };
}

const EARLIER = 'EARLIER_DOCUMENTS';

function earlierMessage(id: string, count: number, most: number): string {
  const counted = `${count >= most ? 'at least ' : ''}${documentsOf(count)}`;
  return `'${id}' would show documents of a collection that was deleted: there ${count === 1 ? 'is' : 'are'} ${counted} under this id.`;
}

/** As {@link earlierFinding}, as a promotion answers it; none without documents. */
export function earlierFindings(id: string, count: number, most: number): JsonObject[] {
  const message = `${earlierMessage(id, count, most)} ${PURGE(id)}`;
  return count === 0 ? [] : [{ code: EARLIER, kind: 'collection', id, message, documents: count }];
}

/** Documents that the pushed schema would refuse, among those that were looked at; `null`: it refuses none of them. */
export function refusedFinding(id: string, { documents, refused, samples }: ScanFindings): Finding | null {
  const [first] = samples;
  if (first === undefined) return null;
  const message = `At least ${documentsOf(refused)} of '${id}' ${refused === 1 ? 'does' : 'do'} not fit this schema (${documentsOf(documents)} looked at), such as ${first.key}: ${first.fault}.`;
  const fix = `Give a new field a 'default', or change the documents; until then they cannot be saved whole.`;
  return { code: 'DOCUMENTS_REFUSED', pointer: '/schema', message, fix };
}

/** Results of checking a collection's documents. */
export interface ScanFindings {
  readonly documents: number;
  /** Documents that the staged schema would refuse. */
  readonly refused: number;
  /** The first of them, each with its first fault. */
  readonly samples: readonly { readonly key: string; readonly fault: string }[];
  /** Number of all documents, as far as they were counted; `null`: all were checked. */
  readonly total: number | null;
}

export const EMPTY_SCAN: ScanFindings = { documents: 0, refused: 0, samples: [], total: null };

const SAMPLES = 5;

/** The results with one more document checked. */
export function withDocument(before: ScanFindings, schema: SchemaModel, key: string, document: JsonObject): ScanFindings {
  const fault = checkDocument(schema, document) ?? unfollowedFault(schema, document);
  const documents = before.documents + 1;
  if (fault === null) return { ...before, documents };
  const samples = before.samples.length < SAMPLES ? [...before.samples, { key, fault }] : before.samples;
  return { ...before, documents, refused: before.refused + 1, samples };
}

/** Two documents that hold one value in a field that becomes unique. */
export interface Clash {
  readonly field: string;
  readonly keys: readonly [string, string];
}

/** Collects the values of unique fields in the checked documents. A value in two documents is a clash. */
export class UniqueScan {
  readonly #schema: SchemaModel;
  readonly #fills: boolean;
  readonly #holders = new Map<string, string>();
  readonly clashes: Clash[] = [];
  #count = 0;

  /** `fills`: readers see defaults. */
  constructor(schema: SchemaModel, fills: boolean) {
    this.#schema = schema;
    this.#fills = fills;
  }

  get count(): number {
    return this.#count;
  }

  add(key: string, document: JsonObject): void {
    if (this.#schema.unique.length === 0) return;
    for (const { field, hash } of uniqueValues(this.#schema, this.#fills ? fillDefaults(this.#schema, document) : document)) {
      const holder = this.#holders.get(hash);
      if (holder === undefined) {
        this.#holders.set(hash, key);
        continue;
      }
      this.#count += 1;
      if (this.clashes.length < SAMPLES) this.clashes.push({ field, keys: [holder, key] });
    }
  }
}

/** Fields that would lose their ledger. `ledgerFields`: fields that have entries. */
export function vanishingFields({ live, next }: ChangedCollection, ledgerFields: readonly string[]): readonly string[] {
  return ledgerFields.filter((path) => isFollowed(live.schema.root, path) && !isFollowed(next?.schema.root ?? null, path));
}

function isFollowed(root: FieldModel | null, path: string): boolean {
  let field: FieldModel | boolean = root ?? false;
  for (const name of path.split('.')) {
    if (typeof field === 'boolean') return false;
    field = field.properties?.get(name) ?? field.additional;
  }
  return typeof field === 'object' && field.ledger;
}

/** The findings of one collection, as a promotion answers them. `fields`: those that lose their ledger. */
export function collectionFindings(
  { id, next }: ChangedCollection,
  seen: ScanFindings,
  fields: readonly string[],
  unique: UniqueScan | null = null,
): JsonObject[] {
  const about = { kind: 'collection', id };
  return [...documentFindings(about, next === null, seen), ...uniqueFindings(about, unique), ...ledgerFindings(about, fields)];
}

/** The code of what stops nothing, and is told instead of what personal fields hold. */
export const PERSONAL_UNSEEN = 'PERSONAL_UNSEEN';

/** The ids of the collections that such findings are about. */
export function unseenIn(findings: readonly JsonObject[]): readonly string[] {
  return findings.flatMap(({ code, id }) => (code === PERSONAL_UNSEEN && typeof id === 'string' ? [id] : []));
}

/** What is told of a collection of which documents were compared with a part of its schema alone. */
export function unseenFindings({ id, schema }: CollectionModel, seen: SchemaModel): JsonObject[] {
  if (schema === seen) return [];
  const message = `Whether documents of '${id}' fit its personal fields was not looked at, since it tells what they hold: it takes a reason in the header x-ns-reveal.`;
  return [{ code: PERSONAL_UNSEEN, kind: 'collection', id, message }];
}

type CollectionName = { readonly kind: string; readonly id: string };

function documentFindings(about: CollectionName, isRemoved: boolean, seen: ScanFindings): JsonObject[] {
  const { documents, refused, samples, total } = seen;
  if (isRemoved) {
    const count = total ?? documents;
    const message = `'${about.id}' would be removed, and it holds ${documentsOf(count)} that nothing could read any more.`;
    return count === 0 ? [] : [{ code: 'COLLECTION_HOLDS_DOCUMENTS', ...about, message, documents: count }];
  }
  if (refused === 0) return [];
  const estimate = total === null ? refused : Math.max(refused, Math.round((refused / documents) * total));
  const [first] = samples;
  const count = `${total === null ? '' : 'About '}${documentsOf(estimate)}`;
  const message = `${count} of '${about.id}' ${estimate === 1 ? 'does' : 'do'} not fit the staged schema, such as ${first?.key}: ${first?.fault}.`;
  return [{ code: 'DOCUMENTS_REFUSED', ...about, message, refused, documents, complete: total === null, estimate, samples: [...samples] }];
}

function documentsOf(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}

function uniqueFindings(about: CollectionName, unique: UniqueScan | null): JsonObject[] {
  const [first] = unique?.clashes ?? [];
  if (unique === null || first === undefined) return [];
  const message = `Documents of '${about.id}' hold the same value in ${first.field}, which would have to be unique: ${first.keys.join(' and ')}. Even a forced promotion is refused.`;
  const samples = unique.clashes.map(({ field, keys }) => ({ field, keys: [...keys] }));
  return [{ code: 'VALUES_NOT_UNIQUE', ...about, message, clashes: unique.count, samples }];
}

function ledgerFindings(about: CollectionName, fields: readonly string[]): JsonObject[] {
  if (fields.length === 0) return [];
  const message = `The ledger of '${about.id}' would no longer follow ${fields.join(', ')}; the balance that it shows would vanish with the next write.`;
  return [{ code: 'LEDGER_FIELDS_VANISH', ...about, message, fields: [...fields] }];
}
