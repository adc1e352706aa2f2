import { conditionOf, stepOf, stepRefusing } from './calls.ts';
import { type Members, objectOf, saidValue } from './value.ts';

/** Where a call was refused: the step in what it called, or the rule, as the definitions of then say. */

export interface Logic {
  readonly endpoints: readonly Members[];
  readonly workflows: readonly Members[];
  readonly libraries: readonly Members[];
}

/** A definition that a call was in, or a block of one. */
interface Place {
  readonly kind: 'endpoint' | 'workflow' | 'library';
  readonly id: string;
  readonly block?: string;
  readonly definition: Members;
}

export interface Failing {
  /** What the call was in, from the endpoint on; the last one refused it. */
  readonly places: readonly Place[];
  /** As it is written; `null`: no one step of it refuses so. */
  readonly step: Members | null;
  /** What did not hold, as it is written: of the step, or of the workflow before its steps; `null`: none is known. */
  readonly condition: string | null;
}

/** Whether a path leads out of the endpoint itself. */
export function isNested(path: string | null): boolean {
  return path?.includes(PARTS) === true;
}

const PARTS = ' > ';

/**
 * Follows a path such as `pay > charge > enough`: ids of steps, each with what it called. `null`: there is no such endpoint. What is not
 * there any more ends the way.
 */
export function failingStep(logic: Logic, slug: string, path: string | null, code: string): Failing | null {
  const endpoint = logic.endpoints.find((each) => (each['slug'] ?? each['id']) === slug);
  if (endpoint === undefined) return null;
  const names = path?.split(PARTS) ?? [];
  const places: Place[] = [{ kind: 'endpoint', id: String(endpoint['id'] ?? slug), definition: endpoint }];
  let definition = endpoint;
  for (let at = 1; at < names.length; at += 2) {
    const called = calledIn(logic, places, names[at] ?? '');
    if (called === null) return { places, step: null, condition: null };
    places.push(called);
    definition = called.definition;
  }
  // A refusal by what was called as a whole names no step of it.
  const last = names.length % 2 === 0 ? undefined : names.at(-1);
  const step = last === undefined ? stepRefusing(definition, code) : stepOf(definition, last);
  if (step !== null) return { places, step, condition: conditionOf(step) };
  // What a workflow checks before its steps is no step of it.
  return { places, step, condition: last === undefined && places.length > 1 ? conditionOf(definition) : null };
}

/** A block of what calls it, else a workflow, a block of a library, or another endpoint. */
function calledIn(logic: Logic, places: readonly Place[], name: string): Place | null {
  for (const place of places.toReversed()) {
    const own = blockOf(place.kind === 'library' ? logic.libraries.find(({ id }) => id === place.id) : place.definition, name);
    if (own !== null) return { ...place, block: name, definition: own };
  }
  const workflow = logic.workflows.find(({ id }) => id === name);
  if (workflow !== undefined) return { kind: 'workflow', id: name, definition: workflow };
  const dot = name.indexOf('.');
  const [id, block] = [name.slice(0, dot), name.slice(dot + 1)];
  const shared = blockOf(
    logic.libraries.find((each) => each['id'] === id),
    block,
  );
  if (dot > 0 && shared !== null) return { kind: 'library', id, block, definition: shared };
  const endpoint = logic.endpoints.find((each) => each['id'] === name || each['slug'] === name);
  return endpoint === undefined ? null : { kind: 'endpoint', id: String(endpoint['id'] ?? name), definition: endpoint };
}

function blockOf(definition: Members | undefined, name: string): Members | null {
  const blocks = definition?.['blocks'];
  const block = typeof blocks === 'object' && blocks !== null && Object.hasOwn(blocks, name) ? (blocks as Members)[name] : null;
  return typeof block === 'object' ? (block as Members | null) : null;
}

/** How a condition compares, in words. */
const COMPARES: Readonly<Record<string, string>> = {
  '>=': 'is at least',
  '>': 'is more than',
  '<=': 'is at most',
  '<': 'is less than',
  '==': 'is',
  '!=': 'is not',
  gte: 'is at least',
  gt: 'is more than',
  lte: 'is at most',
  lt: 'is less than',
  eq: 'is',
  equals: 'is',
  ne: 'is not',
  neq: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'has in it',
  not_contains: 'has not in it',
  starts_with: 'begins with',
  not_starts_with: 'does not begin with',
};
const IS_THERE: Readonly<Record<string, string>> = {
  exists: 'is there',
  is_not_null: 'is there',
  not_exists: 'is not there',
  is_null: 'is not there',
};

/** A condition in words: `purse is at least cost`; as it is written, where it is a formula, or has what has no words here. */
export function conditionSaid(written: string): string {
  return wordsOf(parsed(written)) ?? unbraced(written);
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function wordsOf(condition: unknown): string | null {
  if (typeof condition === 'string') return unbraced(condition);
  const { expression, all, any, ...clause } = objectOf(condition);
  const { left, field = left, operator, op = operator, right, value = right ?? expression } = clause;
  if (typeof expression === 'string' && field === undefined) return unbraced(expression);
  const joined = all ?? any;
  if (Array.isArray(joined)) {
    const parts = joined.map(wordsOf);
    return parts.length === 0 || parts.includes(null) ? null : parts.join(all === undefined ? ', or ' : ', and ');
  }
  if (typeof field !== 'string' || typeof op !== 'string') return null;
  const name = unbraced(field);
  if (IS_THERE[op] !== undefined) return `${name} ${IS_THERE[op]}`;
  return COMPARES[op] === undefined || value === undefined ? null : `${name} ${COMPARES[op]} ${comparedSaid(value)}`;
}

function comparedSaid(value: unknown): string {
  if (Array.isArray(value)) return value.map(comparedSaid).join(', ');
  return typeof value === 'string' && value.includes('{{') ? unbraced(value) : saidValue(value);
}

/** A template as the formula that it holds. */
function unbraced(text: string): string {
  return text.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, '$1');
}

/** What refused by a limit, as its message names it: a rule by its name, or how often an endpoint may be called; `null`: neither. */
export function limitNamed(message: string | null): { readonly rule: string } | { readonly endpoint: string } | null {
  const rule = /^The rate limit "(.*)" was reached$/s.exec(message ?? '')?.[1];
  if (rule !== undefined) return { rule };
  const endpoint = /^The endpoint "(.*)" may not be called more often$/s.exec(message ?? '')?.[1];
  return endpoint === undefined ? null : { endpoint };
}

/** The rule that has this name or id among those that were pushed; `null`: it is the limit of a field, or there is none. */
export function ruleNamed(rules: readonly Members[], name: string): Members | null {
  return rules.find((each) => (each['name'] ?? each['id']) === name) ?? rules.find((each) => each['id'] === name) ?? null;
}

/** The limit that a field has itself is called by its collection and its path: `saves.gold`. */
export function fieldLimited(
  collections: readonly { readonly id: string }[],
  name: string,
): { readonly id: string; readonly field: string } | null {
  const found = collections.filter(({ id }) => name.startsWith(`${id}.`)).sort((one, other) => other.id.length - one.id.length)[0];
  return found === undefined ? null : { id: found.id, field: name.slice(found.id.length + 1) };
}
