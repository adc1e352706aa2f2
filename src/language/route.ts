import type { onFail as onFailSchema, route } from '../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../contract/resources/synonyms.ts';
import { isArray, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { objectOf } from '../kernel/json-read.ts';
import { isNullish, toNumber } from './expressions/value.ts';
import type { NormalStep } from './normal/logic.ts';

/** Where a condition step continues. */
export interface Route {
  readonly action: Action;
  /** Its members, including its own status, code and message. */
  readonly json: NormalRoute;
}

/** A route in normal form, or the older `onFail`. */
export type NormalRoute = Normal<typeof route, (typeof PART_SYNONYMS)['route']> &
  Normal<typeof onFailSchema, (typeof PART_SYNONYMS)['onFail']>;

export type Action = 'continue' | 'reject' | 'return' | 'goto' | 'skip' | 'run';

const ACTIONS: ReadonlySet<string> = new Set(['continue', 'reject', 'return', 'goto', 'skip', 'run']);

const NOTHING: JsonObject = {};

type Step = NormalStep<'condition'>;

/** The route of a condition step that holds; `fallback` if it names none. */
export function trueRoute({ routes }: Step, fallback: Action): Route {
  const { true: written } = sidesOf(routes);
  return routeOf(written, fallback);
}

/** The route of a condition step that does not hold; `fallback` if it names none. */
export function falseRoute({ routes, onFail }: Step, fallback: Action): Route {
  const { false: written } = sidesOf(routes);
  return written === undefined && onFail !== undefined ? routeOfFail(onFail) : routeOf(written, fallback);
}

function sidesOf(routes: Json | undefined): { readonly true?: Json; readonly false?: Json } {
  return objectOf(routes);
}

function routeOf(written: Json | undefined, fallback: Action): Route {
  const json: NormalRoute = objectOf(written);
  const { action } = json;
  return { action: typeof action === 'string' && isAction(action) ? action : fallback, json };
}

function isAction(word: string): word is Action {
  return ACTIONS.has(word);
}

/** The older form `onFail`. */
function routeOfFail(value: Json): Route {
  if (value === 'skip') return { action: 'skip', json: { count: 1 } };
  if (!isObject(value)) return { action: 'reject', json: NOTHING };
  const written: NormalRoute = value;
  const { skip } = written;
  if (written.action === 'skip' || !(isNullish(skip) || skip === false)) return routeOfSkip(skip);
  if (written.reject === false) return { action: 'continue', json: value };
  return { action: 'reject', json: value };
}

function routeOfSkip(skip: Json | undefined): Route {
  if (typeof skip === 'string' && skip !== 'next') return { action: 'goto', json: { step: skip } };
  return { action: 'skip', json: { count: skipCount(skip) } };
}

/** How many steps to skip: 1 unless a number is given. */
export function skipCount(value: Json | undefined): number {
  if (isNullish(value) || isArray(value) || isObject(value) || typeof value === 'boolean') return 1;
  const count = Math.floor(toNumber(value));
  return Number.isFinite(count) && count >= 0 ? count : 1;
}
