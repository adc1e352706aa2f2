import type { Json, JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { PublishTarget } from '../events.ts';
import type { EffectiveDefinitions } from './model.ts';
import { objectOf } from './read.ts';

/**
 * What a project holds, for tools that write games against it without reading every definition: names, what is called how, and what each
 * thing is by its hash. Bounded by the definitions themselves, without their steps and texts.
 */
export function manifestOf(definitions: EffectiveDefinitions, target: PublishTarget): JsonObject {
  return {
    target,
    hash: definitions.hash,
    collections: definitions.collections.map(({ id, name, type, access: { read, write }, maxRecords, hash, definition }) => {
      const schema = member(definition, 'schema') ?? member(definition, 'fields') ?? {};
      const accessMode = read === 'public' && write === 'public' ? 'public' : 'endpoint';
      return { id, name, collectionType: type, accessMode, access: { read, write }, maxRecords, schema, hash };
    }),
    endpoints: definitions.endpoints.map(({ id, slug, method, enabled, deprecated, internal, requiresSecretKey, hash, definition }) => ({
      ...{ id, slug, method, enabled, deprecated, requiresSecretKey, exposure: internal ? 'internal' : 'public' },
      ...{ input: objectOf(member(definition, 'input')), description: described(definition), hash },
    })),
    workflows: definitions.workflows.map(({ id, hash, definition }) => ({ id, params: paramsOf(definition), hash })),
    libraries: definitions.libraries.map(({ id, hash, definition }) => ({ id, blocks: blocksOf(definition), hash })),
    queries: definitions.queries.map(({ id, name, type, requiresSecretKey, hash }) => ({ id, name, type, requiresSecretKey, hash })),
    gameValues: Object.keys(definitions.values.values),
    rateLimitRules: definitions.rules.map(({ id, name, collection, field, scope, action }) => ({
      id,
      name,
      collection,
      field,
      scope,
      action,
    })),
  };
}

function described(definition: JsonObject): Json {
  const description = member(definition, 'description');
  return typeof description === 'string' ? description : null;
}

function paramsOf(definition: JsonObject): JsonObject {
  return objectOf(member(definition, 'params'));
}

function blocksOf(definition: JsonObject): JsonObject {
  const blocks = Object.entries(objectOf(member(definition, 'blocks')));
  return Object.fromEntries(blocks.map(([name, block]) => [name, { params: paramsOf(objectOf(block)) }]));
}
