import type { switchCase } from '../../../contract/resources/condition.ts';
import type { StepType } from '../../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../../contract/resources/synonyms.ts';
import { isArray, isNumber, isObject, type Json } from '../../../kernel/json.ts';
import { bracketParts } from '../../expressions/brackets.ts';
import { LanguageError } from '../../expressions/errors.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { readsName } from '../../reading.ts';
import { firstString, type StepDefinition } from '../../step.ts';
import { type Flow, goesOn, REFUSED, type StepFlow } from '../flow.ts';
import { typeOfLiteral } from '../json-type.ts';
import { bind, type Names, typeOfName } from '../names.ts';
import { objectOf, segmentsOf, typeOfDeep, typeOfExpression, typeOfShallow, typeOfTemplate, typeOfToken } from '../templates.ts';
import {
  ANY_OBJECT,
  EMPTY_OBJECT,
  isNever,
  laidOver,
  list,
  MISSING,
  mayBe,
  merged,
  NEVER,
  NULL,
  NUMBER,
  nullForMissing,
  type ObjectType,
  partsOf,
  type Type,
  UNKNOWN,
  union,
} from '../type.ts';
import { changedType, itemsOf, walkType } from '../walk.ts';

/** Steps that compute a value. */

type Of<T extends StepType> = NormalStep<T>;

/** Binds the result to the step's name. If there is never a result, the call is refused. */
export function binds({ name }: StepDefinition<unknown>, names: Names, type: Type): Flow {
  return isNever(type) ? REFUSED : goesOn(bind(names, [name, type]));
}

export const transformFlow: StepFlow<Of<'transform'>> = (step, names) => {
  const { json } = step;
  const own = ownValue(names, json);
  const changes = [...changesOf(json.set, 'set'), ...changesOf(json.append, 'append')];
  let current = own === null ? names : bind(names, [step.name, own]);
  if (own !== null && isNever(own)) return REFUSED;
  for (const change of changes) {
    const after = applied(current, change, step);
    if (after === null) return REFUSED;
    current = after;
  }
  return goesOn(current);
};

function ownValue(names: Names, { expression, value }: Of<'transform'>): Type | null {
  if (typeof expression === 'string') return typeOfExpression(names, expression);
  if (isNumber(expression)) return NUMBER;
  return value === undefined ? null : typeOfShallow(names, value);
}

interface Change {
  readonly verb: 'set' | 'append';
  readonly path: string;
  /** `null`: the step's own value. */
  readonly value: Json | null;
  readonly own: boolean;
}

function changesOf(written: Json | undefined, verb: Change['verb']): Change[] {
  if (typeof written === 'string') return [{ verb, path: written, value: null, own: true }];
  return isObject(written) ? Object.entries(written).map(([path, value]) => ({ verb, path, value, own: false })) : [];
}

/** The names after a change; `null`: it fails. */
function applied(names: Names, { verb, path, value, own }: Change, { name }: StepDefinition): Names | null {
  const given = nullForMissing(own ? typeOfName(names, name) : changedTo(names, value));
  const parts = attemptParts(path);
  if (isNever(given) || parts === null) return null;
  const segments = segmentsOf(names, parts, false);
  const root = segments?.[0] ?? parts[0]?.text.split('.', 1)[0]?.trim() ?? '';
  if (typeof root !== 'string') return null;
  if (segments === null) return bind(names, [root, UNKNOWN]);
  const change = verb === 'set' ? () => given : (before: Type) => appended(before, given);
  const after = changedType(typeOfName(names, root), segments.slice(1), change);
  return isNever(after) ? null : bind(names, [root, after]);
}

function attemptParts(path: string): NonNullable<ReturnType<typeof bracketParts>> | null {
  try {
    return bracketParts(path) ?? [{ kind: 'names', text: path }];
  } catch (error) {
    if (error instanceof LanguageError) return null;
    throw error;
  }
}

function changedTo(names: Names, json: Json): Type {
  const expression = isObject(json) && Object.keys(json).length === 1 ? json['expression'] : undefined;
  return typeof expression === 'string' ? typeOfExpression(names, expression) : typeOfDeep(names, json);
}

function appended(before: Type, given: Type): Type {
  const lists = partsOf(before).flatMap((part) => {
    if (part.kind === 'null' || part.kind === 'missing') return [list(given)];
    if (part.kind === 'unknown') return [list(UNKNOWN)];
    return part.kind === 'list' ? [list(union(part.item, given))] : [];
  });
  return union(...lists);
}

export const objectFlow: StepFlow<Of<'object'>> = (step, names) => binds(step, names, only(typeOfDeep(names, step.json.fields), 'object'));

export const arrayFlow: StepFlow<Of<'array'>> = (step, names) => binds(step, names, only(typeOfDeep(names, step.json.items), 'list'));

/** Narrows a type to a kind, because any other value fails. */
function only(type: Type, kind: 'object' | 'list'): Type {
  const any = kind === 'object' ? ANY_OBJECT : list(UNKNOWN);
  return union(...partsOf(type).flatMap((part) => (part.kind === kind ? [part] : part.kind === 'unknown' ? [any] : [])));
}

export const mergeFlow: StepFlow<Of<'merge'>> = (step, names) => {
  const { sources } = step.json;
  if (!isArray(sources)) return binds(step, names, ANY_OBJECT);
  const types = sources.map((item) => only(typeOfDeep(names, item), 'object'));
  if (types.some(isNever)) return REFUSED;
  const objects = types.map((type) => merged(partsOf(type).filter((part) => part.kind === 'object')));
  return binds(step, names, objects.reduce<ObjectType>(laidOver, EMPTY_OBJECT));
};

export const computeFlow: StepFlow<Of<'compute'>> = (step, names) => {
  const { values } = step.json;
  if (!isObject(values)) return REFUSED;
  const asTemplates = firstString(step.json, 'mode') === 'template';
  const done: { readonly name: string; readonly type: Type; readonly waits: boolean }[] = [];
  let current = names;
  for (const [name, json] of Object.entries(values)) {
    done.push({ name, type: entryType(current, json, asTemplates), waits: readsName({ json }, step.name) });
    // An entry that needs a later one is computed after the others, which may not see it.
    const seen = objectOf(done.map(({ name: each, type, waits }) => [each, waits ? union(type, MISSING) : type]));
    if (isNever(seen)) return REFUSED;
    current = bind(current, [step.name, seen]);
  }
  const result = done.map(({ name, type }) => [name, type] as const);
  return firstString(step.json, 'output') === 'scalars' ? goesOn(bind(names, ...result)) : binds(step, names, objectOf(result));
};

function entryType(names: Names, json: Json, asTemplate: boolean): Type {
  if (typeof json === 'string') return asTemplate ? typeOfTemplate(names, json) : typeOfExpression(names, json);
  if (!isObject(json)) return typeOfLiteral(json);
  const { expression, value } = json;
  if (typeof expression === 'string') return typeOfExpression(names, expression);
  return value === undefined ? typeOfLiteral(json) : typeOfShallow(names, value);
}

export const switchFlow: StepFlow<Of<'switch'>> = (step, names) => {
  const { cases } = step.json;
  if (!isArray(cases)) return REFUSED;
  const results = cases.map((item) => (isObject(item) ? caseType(names, item) : NEVER));
  return binds(step, names, union(...results, typeOfDeep(names, step.json.default ?? null)));
};

function caseType(names: Names, { then }: Normal<typeof switchCase, typeof PART_SYNONYMS.case>): Type {
  return typeOfDeep(names, then);
}

export const sortFlow: StepFlow<Of<'sort'>> = (step, names) => binds(step, names, only(typeOfShallow(names, step.json.source), 'list'));

export const randomFlow: StepFlow<Of<'random'>> = (step, names) => {
  if ((step.json.mode ?? 'int') !== 'weighted') return binds(step, names, NUMBER);
  const item = nullForMissing(itemsOf(drawnFrom(names, step.json)));
  return binds(step, names, step.json.where === undefined ? item : union(item, NULL));
};

function drawnFrom(names: Names, json: Of<'random'>): Type {
  if (json.source === 'values') return walkType(names.world.values, [firstString(json, 'table', 'collection') ?? '']);
  const items = typeOfDeep(names, json.items);
  if (items.kind === 'literal' && typeof items.value === 'string') return typeOfToken(names, items.value);
  return mayBe(items, 'string') ? UNKNOWN : items;
}
