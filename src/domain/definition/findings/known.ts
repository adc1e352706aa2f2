import type { block, library as librarySchema, workflow as workflowSchema } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import { member } from '../../../kernel/path.ts';
import { closedSchema, fieldsOf } from '../../../language/validate/fields.ts';
import { type KnownByName, suggestionsAmong } from '../../../language/validate/meant.ts';
import type { MissingName } from '../../finding.ts';
import type { EffectiveDefinitions } from '../../model.ts';
import { writtenSchema } from '../model/models.ts';
import { definesValues, gameValues } from '../model/values.ts';

/** What definitions may refer to in a target. */
export function knownIn(held: EffectiveDefinitions): KnownByName {
  const libraries = (id: string) => held.library(id)?.definition ?? held.workflow(id)?.definition;
  return {
    collection: (name) => held.collection(name) !== undefined,
    playersCollection: (name) => held.collection(name)?.type === 'per-platformid',
    endpoint: (name) => held.endpoint(name) !== undefined,
    callable: (name) => held.workflow(name) !== undefined || held.endpoint(name)?.internal === true,
    workflow: (id) => held.workflow(id)?.definition,
    returns: (id) => returnsOf(held.workflow(id)?.definition),
    library: (id) => libraries(id) !== undefined,
    block: (name) => blockIn(name, libraries),
    table: (name) => Object.hasOwn(held.values.values, name),
    value: (path) => hasValue(held.values.values, path),
    closedSchema: (name) => closedSchema(writtenSchema(held.collection(name)?.definition ?? {})),
    suggestion: suggestionsAmong((missing) => namesIn(held, missing)),
    fields: (name) => fieldsOf(writtenSchema(held.collection(name)?.definition ?? {})),
  };
}

/** The existing names of a kind; for blocks, those of the named library. */
export function namesIn(held: EffectiveDefinitions, { kind, name }: MissingName): readonly string[] {
  switch (kind) {
    case 'collection':
      return held.collections.flatMap((each) => [each.name, each.id]);
    case 'endpoint':
      return held.endpoints.map(({ slug }) => slug);
    case 'callable':
      return [...held.workflows.map(({ id }) => id), ...held.endpoints.filter(({ internal }) => internal).map(({ slug }) => slug)];
    case 'library':
      return held.libraries.map(({ id }) => id);
    case 'block':
      return blocksOf(held.library(libraryOf(name))?.definition ?? held.workflow(libraryOf(name))?.definition, name);
    case 'table':
      return Object.keys(held.values.values);
    case 'value':
      return valuesLike(held.values.values, name);
  }
}

/** The blocks of a library, under the names by which other definitions call them. */
export function blocksOf(library: Written<typeof librarySchema> | undefined, called: string): readonly string[] {
  return Object.keys(objectOf(library?.blocks)).map((block) => `${libraryOf(called)}.${block}`);
}

/** The library in `library.block`. */
export function libraryOf(called: string): string {
  return called.slice(0, called.indexOf('.'));
}

export function returnsOf(workflow: Written<typeof workflowSchema> | undefined): JsonObject | undefined {
  const returns = workflow?.returns;
  return isObject(returns) ? returns : undefined;
}

/** The answer of {@link Known.block} for `library.block`. */
export function blockIn(name: string, libraries: (id: string) => Written<typeof librarySchema> | undefined): JsonObject | boolean {
  const library = libraryOf(name);
  const blocks = objectOf(libraries(library)?.blocks);
  const found = member(blocks, name.slice(library.length + 1));
  if (!isObject(found)) return false;
  const { params }: Written<typeof block> = found;
  return isObject(params) ? params : true;
}

/** Whether there is such a group or table, by `id`, or such an entry of a group, by `id.name`. A table has rows and no entries. */
export function hasValue(values: JsonObject, path: string): boolean {
  const [id, name] = partsOf(path);
  const entries = member(values, id);
  return entries !== undefined && (name === null || !isObject(entries) || member(entries, name) !== undefined);
}

/** The existing names where a missing one was looked for. */
export function valuesLike(values: JsonObject, path: string): readonly string[] {
  const [id, name] = partsOf(path);
  const entries = member(values, id);
  if (name === null || !isObject(entries)) return Object.keys(values);
  return Object.keys(entries).map((each) => `${id}.${each}`);
}

function partsOf(path: string): readonly [id: string, name: string | null] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, null] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** Whether a collection defines game values under an id. They take precedence over the project's document. */
export function isValueTaken(held: EffectiveDefinitions): (id: string) => boolean {
  const { values } = gameValues(held.collections.filter(definesValues), undefined, { version: null, updatedAt: null });
  return (id) => Object.hasOwn(values, id);
}
