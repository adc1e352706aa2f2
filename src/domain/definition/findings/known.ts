import type { block, library, workflow as workflowSchema } from '../../../contract/resources/logic.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import type { EffectiveDefinitions } from '../model.ts';
import { objectOf } from '../read.ts';
import { definesValues, gameValues } from '../values.ts';
import type { Known } from './finding.ts';

/** What definitions may refer to in a target. */
export function knownIn(held: EffectiveDefinitions): Known {
  const libraries = (id: string) => held.library(id)?.definition ?? held.workflow(id)?.definition;
  return {
    collection: (name) => held.collection(name) !== undefined,
    playersCollection: (name) => held.collection(name)?.type === 'per-platformid',
    callable: (name) => held.workflow(name) !== undefined || held.endpoint(name) !== undefined,
    workflow: (id) => held.workflow(id)?.definition,
    returns: (id) => returnsOf(held.workflow(id)?.definition),
    library: (id) => libraries(id) !== undefined,
    block: (name) => blockIn(name, libraries),
    table: (name) => Object.hasOwn(held.values.values, name),
  };
}

export function returnsOf(workflow: Written<typeof workflowSchema> | undefined): JsonObject | undefined {
  const returns = workflow?.returns;
  return isObject(returns) ? returns : undefined;
}

/** What {@link Known} says about `library.block`. */
export function blockIn(name: string, libraries: (id: string) => Written<typeof library> | undefined): JsonObject | boolean {
  const dot = name.indexOf('.');
  const blocks = objectOf(libraries(name.slice(0, dot))?.blocks);
  const found = member(blocks, name.slice(dot + 1));
  if (!isObject(found)) return false;
  const { params }: Written<typeof block> = found;
  return isObject(params) ? params : true;
}

/** Whether a collection defines game values under this id: they take precedence over the project's document. */
export function takenIn(held: EffectiveDefinitions): (id: string) => boolean {
  const { values } = gameValues(held.collections.filter(definesValues), undefined, { version: null, updatedAt: null });
  return (id) => Object.hasOwn(values, id);
}
