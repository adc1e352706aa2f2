import { hashText } from '../../../kernel/hash.ts';
import type { Json } from '../../../kernel/json.ts';
import type { DefinitionKind, PublishTarget } from '../../events.ts';
import { SINGLE_ID } from '../../events.ts';
import { fieldRules } from '../../limit/fields.ts';
import { normaliseRules, sentRules } from '../../limit/rules.ts';
import type {
  CollectionModel,
  EffectiveDefinitions,
  EndpointModel,
  GameValuesModel,
  LibraryModel,
  QueryModel,
  RuleModel,
  WorkflowModel,
} from '../../model.ts';
import type { DefinitionsState, Layer } from '../../states.ts';
import { collectionModel, endpointModel, libraryModel, queryModel, workflowModel } from './models.ts';
import { type Entry, entriesOf } from './overlay.ts';
import { definesValues, gameValues } from './values.ts';

/** Cached by layer: a publish to `next` leaves the models of `live` in place. */
const ofLive = new WeakMap<Layer, EffectiveDefinitions>();
const ofNext = new WeakMap<Layer, { readonly live: Layer; readonly definitions: EffectiveDefinitions }>();

/**
 * The definitions that a request to `target` runs with. Pure, and cheap when it is called again with the same state. It never fails: any
 * stored definition gives a model. With nothing staged, `next` is the same object as `live`.
 */
export function effectiveDefinitions(state: DefinitionsState, target: PublishTarget): EffectiveDefinitions {
  if (target === 'live' || !isStaged(state.next)) {
    const known = ofLive.get(state.live) ?? new LayeredDefinitions(state, 'live');
    ofLive.set(state.live, known);
    return known;
  }
  const known = ofNext.get(state.next);
  if (known?.live === state.live) return known.definitions;
  const definitions = new LayeredDefinitions(state, 'next');
  ofNext.set(state.next, { live: state.live, definitions });
  return definitions;
}

export function isStaged(next: Layer): boolean {
  return Object.values(next).some((items) => items.size > 0);
}

class LayeredDefinitions implements EffectiveDefinitions {
  readonly hash: string;
  readonly collections: readonly CollectionModel[];
  readonly endpoints: readonly EndpointModel[];
  readonly workflows: readonly WorkflowModel[];
  readonly libraries: readonly LibraryModel[];
  readonly queries: readonly QueryModel[];
  readonly rules: readonly RuleModel[];
  readonly rawRules: readonly Json[];
  readonly #collectionIds: ReadonlyMap<string, CollectionModel>;
  readonly #collectionNames: ReadonlyMap<string, CollectionModel>;
  readonly #endpointNames: ReadonlyMap<string, EndpointModel>;
  readonly #workflows: ReadonlyMap<string, WorkflowModel>;
  readonly #libraries: ReadonlyMap<string, LibraryModel>;
  readonly #queryNames: ReadonlyMap<string, QueryModel>;
  readonly #document: Entry | undefined;
  #values: GameValuesModel | undefined;
  readonly #valueSources: readonly Entry[];

  constructor(state: DefinitionsState, target: PublishTarget) {
    this.hash = target === 'live' ? state.liveHash : hashText(`${state.liveHash} ${state.nextHash}`);
    const of = (kind: DefinitionKind) => entriesOf(state, target, kind);
    const single = (kind: DefinitionKind) => of(kind).find((entry) => entry.id === SINGLE_ID);
    this.collections = of('collection').map(collectionModel);
    this.#collectionIds = new Map(this.collections.map((model) => [model.id, model]));
    this.#collectionNames = indexed(this.collections, (model) => [model.id.toLowerCase(), model.name.toLowerCase()]);
    this.endpoints = of('endpoint').map(endpointModel);
    this.#endpointNames = indexed(this.endpoints, (model) => [model.id, model.slug]);
    this.workflows = of('workflow').map(workflowModel);
    this.#workflows = new Map(this.workflows.map((model) => [model.id, model]));
    this.libraries = of('library').map(libraryModel);
    this.#libraries = new Map(this.libraries.map((model) => [model.id, model]));
    this.queries = of('query').map((entry) => queryModel(entry, (id) => this.collection(id)?.name));
    this.#queryNames = indexed(this.queries, (model) => [model.id, model.name]);
    const rules = single('rate-limit-rules')?.value ?? null;
    this.rawRules = sentRules(rules);
    const pushed = normaliseRules(rules).map((rule) => ({ ...rule, exact: this.#collectionIds.has(rule.collection) }));
    this.rules = [...pushed, ...this.collections.flatMap(fieldRules)];
    this.#document = single('game-values');
    this.#valueSources = of('collection').filter((entry) => definesValues(collectionModel(entry)));
  }

  /** By exact id, then by id or name in any letter case: two ids may differ in case alone. */
  collection(idOrName: string): CollectionModel | undefined {
    return this.#collectionIds.get(idOrName) ?? this.#collectionNames.get(idOrName.toLowerCase());
  }

  endpoint(slug: string): EndpointModel | undefined {
    return this.#endpointNames.get(slug);
  }

  workflow(id: string): WorkflowModel | undefined {
    return this.#workflows.get(id);
  }

  library(id: string): LibraryModel | undefined {
    return this.#libraries.get(id);
  }

  query(id: string): QueryModel | undefined {
    return this.#queryNames.get(id);
  }

  /** Made when first read: most publishes do not change them, and tables can be large. */
  get values(): GameValuesModel {
    if (this.#values !== undefined) return this.#values;
    const sources = this.#document === undefined ? this.#valueSources : [...this.#valueSources, this.#document];
    const version = sources.length === 0 ? null : hashText(sources.map((entry) => entry.hash).join(' ')).slice(0, 16);
    const updatedAt = sources.length === 0 ? null : new Date(Math.max(...sources.map((entry) => entry.updatedAt))).toISOString();
    this.#values = gameValues(this.#valueSources.map(collectionModel), this.#document?.value, { version, updatedAt });
    return this.#values;
  }
}

/** An index by the first name of each model, then by the second. The first definition with a name wins. */
function indexed<T>(models: readonly T[], names: (model: T) => readonly [string, string]): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const at of [0, 1] as const) {
    for (const model of models) {
      const name = names(model)[at];
      if (!index.has(name)) index.set(name, model);
    }
  }
  return index;
}
