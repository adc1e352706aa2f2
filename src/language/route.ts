import type { Written } from '../contract/resources/member.ts';
import type { onFail as onFailSchema, ROUTE_SIDES, route, StepSchema } from '../contract/resources/step.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { isNullish, toNumber } from './value.ts';

/** Where a condition step continues, in one form for all ways of writing it. */
export interface Route {
  readonly action: Action;
  /** Members of an object route, including its own status, code and message. */
  readonly json: Written<typeof route>;
}

export type Action = 'continue' | 'reject' | 'return' | 'goto' | 'skip' | 'run';

const ACTIONS: ReadonlySet<string> = new Set(['continue', 'reject', 'return', 'goto', 'skip', 'run']);
const ALIASES: ReadonlyMap<string, Action> = new Map([
  ['step', 'goto'],
  ['workflow', 'run'],
  ['flow', 'run'],
  ['endpoint', 'run'],
]);

const NOTHING: JsonObject = {};

type Step = Written<StepSchema<'condition'>>;

/** The route of a condition step that holds; `fallback` if it names none. */
export function trueRoute(step: Step, fallback: Action): Route {
  const routes = routesOf(step);
  return parseRoute(firstOf(step.onTrue, routes.true, routes.pass), fallback);
}

/** The route of a condition step that does not hold; `fallback` if it names none. */
export function falseRoute(step: Step, fallback: Action): Route {
  const routes = routesOf(step);
  const route = firstOf(step.onFalse, routes.false, routes.fail);
  if (route !== undefined) return parseRoute(route, fallback);
  const { onFail } = step;
  return onFail === undefined ? { action: fallback, json: NOTHING } : parseOnFail(onFail);
}

type Sides = { readonly [Side in (typeof ROUTE_SIDES)[number]]?: Json };

function routesOf({ routes }: Step): Sides {
  return objectOf(routes);
}

function firstOf(...values: readonly (Json | undefined)[]): Json | undefined {
  return values.find((value) => value !== undefined);
}

function parseRoute(value: Json | undefined, fallback: Action): Route {
  if (value === false) return { action: 'reject', json: NOTHING };
  if (typeof value === 'string') return parseWord(value);
  if (!isObject(value)) return { action: fallback, json: NOTHING };
  const { action: own, type }: Written<typeof route> = value;
  const named = firstOf(own, type);
  return { action: typeof named === 'string' ? (actionOf(named) ?? fallback) : fallback, json: value };
}

/** A word that is not an action names the step to go to. */
function parseWord(word: string): Route {
  if (word === 'skip') return { action: 'skip', json: { count: 1 } };
  return isAction(word) ? { action: word, json: NOTHING } : { action: 'goto', json: { step: word } };
}

function actionOf(word: string): Action | undefined {
  return isAction(word) ? word : ALIASES.get(word);
}

function isAction(word: string): word is Action {
  return ACTIONS.has(word);
}

/** The older form `onFail`. */
function parseOnFail(value: Json): Route {
  if (value === 'skip') return { action: 'skip', json: { count: 1 } };
  if (!isObject(value)) return { action: 'reject', json: NOTHING };
  const written: Written<typeof onFailSchema> = value;
  const skip = firstOf(written.skip, written.skipSteps, written.steps);
  if (written.action === 'skip' || !(isNullish(skip) || skip === false)) return parseSkip(skip);
  if (written.reject === false) return { action: 'continue', json: value };
  return { action: 'reject', json: value };
}

function parseSkip(skip: Json | undefined): Route {
  if (typeof skip === 'string' && skip !== 'next') return { action: 'goto', json: { step: skip } };
  return { action: 'skip', json: { count: skipCount(skip) } };
}

/** How many steps to skip: 1 unless a number is given. */
export function skipCount(value: Json | undefined): number {
  if (isNullish(value) || isArray(value) || isObject(value) || typeof value === 'boolean') return 1;
  const count = Math.floor(toNumber(value));
  return Number.isFinite(count) && count >= 0 ? count : 1;
}
