import type { CollectionModel, EffectiveDefinitions, EndpointModel, QueryModel } from '../../domain/model.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { stringOf } from '../../kernel/json-read.ts';
import { type EndpointTypes, endpointTypes } from './endpoint-types.ts';
import { type InterfaceNames, interfaceNames } from './interface-names.ts';
import { rowType } from './query-types.ts';
import { type DocumentTypes, documentTypes } from './schema-types.ts';
import type { Type } from './type.ts';
import { type ValuesTypes, valuesTypes } from './values-types.ts';

/** All types of a game, each kind in the order of names. */
export interface GameTypes {
  readonly collections: readonly TypedCollection[];
  /** Endpoints that a game or a server may call. */
  readonly endpoints: readonly TypedEndpoint[];
  readonly queries: readonly TypedQuery[];
  readonly values: ValuesTypes;
}

export interface TypedCollection {
  readonly model: CollectionModel;
  readonly names: InterfaceNames;
  readonly types: DocumentTypes;
}

export interface TypedEndpoint {
  readonly model: EndpointModel;
  readonly types: EndpointTypes;
}

export interface TypedQuery {
  readonly model: QueryModel;
  readonly row: Type;
}

export function typesOfGame(definitions: EffectiveDefinitions): GameTypes {
  const collections = typedCollections(definitions);
  const documents = new Map(collections.map(({ model, types, names }) => [model.id, { ...types.read, name: names.read }]));
  const values = valuesTypes(definitions.values);
  const callable = definitions.endpoints.filter(({ enabled, deprecated, internal }) => enabled && !deprecated && !internal);
  const documentsOf = (id: string) => documents.get(definitions.collection(id)?.id ?? '') ?? null;
  return {
    collections,
    endpoints: sorted(callable, ({ slug }) => slug).map((model) => ({
      model,
      types: endpointTypes(definitions, documents, values.seen, model),
    })),
    queries: sorted(definitions.queries, ({ id }) => id).map((model) => ({ model, row: rowType(model, documentsOf, values.seen) })),
    values,
  };
}

function typedCollections(definitions: EffectiveDefinitions): readonly TypedCollection[] {
  const models = sorted(definitions.collections, ({ id }) => id);
  const names = interfaceNames(models.map(({ id }) => id));
  const written = writtenBySteps(definitions);
  return models.map((model) => ({
    model,
    names: names.get(model.id) ?? { read: model.id, save: model.id },
    types: documentTypes(model, written.has(model.id)),
  }));
}

/** Sorts by name, so that the order does not depend on the source. */
function sorted<T>(models: readonly T[], nameOf: (model: T) => string): readonly T[] {
  return [...models].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Collections that a step of any definition writes. */
function writtenBySteps(definitions: EffectiveDefinitions): ReadonlySet<string> {
  const { endpoints, workflows, libraries } = definitions;
  const found = new Set<string>();
  const look = (json: Json | undefined): void => {
    if (json !== undefined && isArray(json)) for (const item of json) look(item);
    if (json === undefined || !isObject(json)) return;
    const { type, collection: named } = json;
    const id = type === 'write' ? definitions.collection(stringOf(named) ?? '')?.id : undefined;
    if (id !== undefined) found.add(id);
    for (const value of Object.values(json)) look(value);
  };
  for (const { definition } of [...endpoints, ...workflows, ...libraries]) for (const part of Object.values(definition)) look(part);
  return found;
}
