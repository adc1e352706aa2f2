import type { Written } from '../contract/resources/member.ts';
import type { route, StepSchema } from '../contract/resources/step.ts';
import type { EndpointModel } from '../domain/model.ts';
import { isArray, isObject, type Json } from '../kernel/json.ts';
import type { Definitions } from './step.ts';

/** Whether an endpoint may write. Outdated games may be allowed to read only. */

const WRITING: ReadonlySet<Json | undefined> = new Set<Json | undefined>(['write', 'delete']);
/** Members that name other logic: of workflow and call steps, and of routes that run something. */
const REFERRING = ['workflow', 'target', 'flow', 'endpoint'] as const;
/** The members of a step or a route that say what it does. */
type Logic = Pick<Written<typeof route>, (typeof REFERRING)[number]> & Pick<Written<StepSchema<'write'>>, 'type'>;

/** Members without steps. */
const PASSIVE: ReadonlySet<string> = new Set(['input', 'response', 'sourceText', 'params']);

/**
 * Whether the definition, or anything that it may call, has a write or delete step, reached or not. Any object that looks like such a step
 * counts.
 */
export function mayWrite(endpoint: EndpointModel, definitions: Pick<Definitions, 'workflow' | 'endpoint' | 'library'>): boolean {
  const seen = new Set<string>();

  const inDefinition = (definition: Json): boolean => {
    if (!isObject(definition)) return inJson(definition);
    return Object.entries(definition).some(([name, value]) => !PASSIVE.has(name) && inJson(value));
  };
  const inJson = (json: Json): boolean => {
    if (isArray(json)) return json.some(inJson);
    if (!isObject(json)) return false;
    const logic: Logic = json;
    return WRITING.has(logic.type) || REFERRING.some((name) => inNamed(logic[name])) || inDefinition(json);
  };
  const inNamed = (name: Json | undefined): boolean => {
    if (typeof name !== 'string' || seen.has(name)) return false;
    seen.add(name);
    const dot = name.indexOf('.');
    const prefix = dot < 0 ? null : name.slice(0, dot);
    const library = prefix === null ? undefined : (definitions.library?.(prefix) ?? definitions.workflow(prefix));
    const found = [definitions.workflow(name), definitions.endpoint(name), library];
    return found.some((model) => model !== undefined && inDefinition(model.definition));
  };
  return inDefinition(endpoint.definition);
}
