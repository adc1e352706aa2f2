import type { Manifest } from '../../../contract/answers.ts';
import type { Item } from '../../../contract/resources/definition.ts';
import type { block, library } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import type { PublishTarget } from '../../events.ts';
import type { EffectiveDefinitions } from '../../model.ts';
import { writtenSchema } from '../model/models.ts';

/**
 * What a project holds, for tools that write games against it without reading every definition: names, how each definition is called, and
 * its hash. It has no steps and texts, so its size is bounded.
 */
export function manifestOf(definitions: EffectiveDefinitions, target: PublishTarget): Omit<Manifest, 'ok' | 'manifestVersion' | 'project'> {
  return {
    target,
    hash: definitions.hash,
    collections: definitions.collections.map(({ id, name, type, access: { read, write }, maxRecords, hash, definition }) => {
      const schema = writtenSchema(definition) ?? {};
      const accessMode = read === 'public' && write === 'public' ? 'public' : 'endpoint';
      return { id, name, collectionType: type, accessMode, access: { read, write }, maxRecords, schema, hash };
    }),
    endpoints: definitions.endpoints.map(({ id, slug, method, enabled, deprecated, internal, requiresSecretKey, hash, definition }) => ({
      id,
      slug,
      method,
      enabled,
      deprecated,
      requiresSecretKey,
      exposure: internal ? 'internal' : 'public',
      input: objectOf(definition.input),
      description: described(definition),
      hash,
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

function described({ description }: Item): Json {
  return typeof description === 'string' ? description : null;
}

function paramsOf({ params }: Written<typeof block>): JsonObject {
  return objectOf(params);
}

function blocksOf({ blocks }: Written<typeof library>): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(blocks)).map(([name, each]) => [name, { params: paramsOf(objectOf(each)) }]));
}
