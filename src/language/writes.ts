import type { EndpointModel } from '../domain/model.ts';
import { isArray, isObject, type Json } from '../kernel/json.ts';
import { type NormalStep, normalise } from './normal/logic.ts';
import type { Definitions } from './step.ts';
import { kindOf } from './steps/registry.ts';

/** Whether an endpoint may write. Outdated games may be allowed to read only. */

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
    // Steps and routes that run other logic name it alike.
    const { workflow }: NormalStep<'call'> = json;
    return kindOf(json)?.writes === true || inNamed(workflow) || inDefinition(json);
  };
  const inNamed = (name: Json | undefined): boolean => {
    if (typeof name !== 'string' || seen.has(name)) return false;
    seen.add(name);
    const dot = name.indexOf('.');
    const prefix = dot < 0 ? null : name.slice(0, dot);
    const library = prefix === null ? undefined : (definitions.library?.(prefix) ?? definitions.workflow(prefix));
    const found = [definitions.workflow(name), definitions.endpoint(name), library];
    return found.some((model) => model !== undefined && inDefinition(normalise(model.definition).definition));
  };
  return inDefinition(normalise(endpoint.definition).definition);
}
