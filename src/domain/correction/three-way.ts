import type { POLICIES } from '../../contract/policies.ts';
import {
  addDecimals,
  compareNumbers,
  type ExactNumber,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  jsonEquals,
  numbersEqual,
  subtractNumbers,
} from '../../kernel/json.ts';
import { ancestorsOf, getPath, member, splitPath } from '../../kernel/path.ts';
import { fillDefaults } from '../document/schema.ts';
import type { LedgerEntry, Operation } from '../events.ts';
import type { FieldModel, SchemaModel } from '../model.ts';

/**
 * Undoes what one commit did to a document, in the document as it is now. Numbers that it paid or took go back by the opposite amount,
 * whatever happened since. Items that it put into lists or took out go the other way. Everything else goes back if nobody has touched it
 * since.
 */

/** `give`: nobody pays for it. `reverse`: whoever got something gives back what is left of it. */
export type Policy = (typeof POLICIES)[number];

/** What one commit did to one document. */
export interface DocumentChange {
  /** As stored, before the commit and after it; `null`: there was none. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Its operations in their order; `null`: a whole document was written. */
  readonly ops: readonly Operation[] | null;
  readonly entries: readonly Pick<LedgerEntry, 'field' | 'delta' | 'source'>[];
}

/** What stays as it is: somebody changed it since. Without a value: there was nothing. */
interface Left {
  /** Dotted; empty: the document. */
  readonly path: string;
  readonly before?: Json;
  /** What the commit made of it. */
  readonly made?: Json;
  readonly now?: Json;
}

/** A number that could not go back as far as it should. */
interface Shortfall {
  readonly field: string;
  readonly asked: NumberValue;
  readonly moved: NumberValue;
  /** How much is missing: without a sign. */
  readonly short: NumberValue;
}

export interface UndoneDocument {
  /** As it is to be stored; `null`: there is to be none. */
  readonly document: JsonObject | null;
  readonly left: readonly Left[];
  readonly shortfalls: readonly Shortfall[];
}

export interface UndoRules {
  readonly schema: SchemaModel;
  /** The schema whose defaults readers see. */
  readonly reads: SchemaModel;
  readonly policy: Policy;
}

type NumberValue = number | ExactNumber;
type Value = Json | undefined;

export function undoDocument(change: DocumentChange, present: JsonObject | null, rules: UndoRules): UndoneDocument {
  const { before, after } = change;
  if (present === null) return undoInMissing(change);
  if (before === null && after === null) return { document: present, left: [], shortfalls: [] };
  const undo = new ThreeWay(change, present, rules);
  const merged = undo.merge('', before ?? NOTHING, after ?? NOTHING, present);
  const document = isObject(merged) ? merged : NOTHING;
  const isGone = before === null && Object.keys(document).length === 0;
  return { document: isGone ? null : document, left: undo.left, shortfalls: undo.shortfalls() };
}

const NOTHING: JsonObject = {};

/** There is no document now. One that the commit deleted comes back; one that was deleted since stays away, and its money with it. */
function undoInMissing(change: DocumentChange): UndoneDocument {
  const { before, after } = change;
  if (after === null) return { document: before, left: [], shortfalls: [] };
  const shortfalls = [...moneyOf(change)].map(([field, delta]) => shortfallOf(field, subtractNumbers(0, delta), 0));
  if (before === null) return { document: null, left: [], shortfalls };
  return { document: null, left: [{ path: '', before, made: after }], shortfalls };
}

/** Sources of entries that no writer asked for. */
const UNASKED: ReadonlySet<string> = new Set(['default', 'definition']);

/** How much the commit paid into each ledger field. */
function moneyOf({ entries }: DocumentChange): ReadonlyMap<string, NumberValue> {
  const money = new Map<string, NumberValue>();
  for (const { field, delta, source } of entries) {
    if (isNumber(delta) && !UNASKED.has(source)) money.set(field, addDecimals(money.get(field) ?? 0, delta));
  }
  return money;
}

const LIST_OPS: ReadonlySet<string> = new Set(['push', 'pull', 'remove']);

/** The paths on which all operations were of these kinds, and around and below which nothing else was done. */
function pathsOf(ops: readonly Operation[], kinds: ReadonlySet<string>): ReadonlySet<string> {
  const paths = new Set(ops.filter(({ op }) => kinds.has(op)).map(({ path }) => path));
  for (const { op, path } of ops) {
    if (!kinds.has(op)) paths.delete(path);
    for (const ancestor of ancestorsOf(path)) paths.delete(ancestor);
  }
  const all = new Set(ops.map(({ path }) => path));
  return new Set([...paths].filter((path) => ![...ancestorsOf(path)].some((ancestor) => all.has(ancestor))));
}

class ThreeWay {
  readonly left: Left[] = [];
  readonly #shortfalls: Shortfall[] = [];
  readonly #rules: UndoRules;
  /** What the commit added to each number that goes back by the opposite. */
  readonly #deltas: ReadonlyMap<string, NumberValue>;
  readonly #lists: ReadonlySet<string>;
  readonly #read: JsonObject;
  readonly #seen = new Set<string>();

  constructor(change: DocumentChange, present: JsonObject, rules: UndoRules) {
    const ops = change.ops ?? [];
    const [before, after] = [fillDefaults(rules.reads, change.before ?? NOTHING), fillDefaults(rules.reads, change.after ?? NOTHING)];
    const counted = [...pathsOf(ops, new Set(['inc']))].map((path): [string, NumberValue] => [
      path,
      subtractNumbers(numberAt(after, path), numberAt(before, path)),
    ]);
    this.#rules = rules;
    this.#deltas = new Map([...counted, ...moneyOf(change)]);
    this.#lists = pathsOf(ops, LIST_OPS);
    this.#read = fillDefaults(rules.reads, present);
  }

  /** What is to stand at a path. `before`, `after`: around the commit. */
  merge(path: string, before: Value, after: Value, now: Value): Value {
    const delta = this.#deltas.get(path);
    if (delta !== undefined && isCount(before) && isCount(after) && isCount(now)) return this.#number(path, delta, before, after, now);
    if (same(before, after)) return now;
    if (isObject(now) && isPart(before) && isPart(after)) return this.#members(path, before, after, now);
    if (same(now, after)) return before;
    if (same(now, before)) return now;
    if (this.#lists.has(path) && isList(before) && isList(after) && isArray(now)) return this.#items(path, before, after, now);
    this.#leave(path, before, after, now);
    return now;
  }

  /** Those that were found, and the money that stood where now nothing stands. */
  shortfalls(): readonly Shortfall[] {
    const missed = [...this.#deltas].filter(([field, delta]) => !this.#seen.has(field) && !numbersEqual(delta, 0));
    return [...this.#shortfalls, ...missed.map(([field, delta]) => shortfallOf(field, subtractNumbers(0, delta), 0))];
  }

  #members(path: string, before: Value, after: Value, now: Value): Value {
    const [was, made, present] = [partOf(before), partOf(after), partOf(now)];
    const merged: Record<string, Json> = {};
    for (const name of new Set([...Object.keys(present), ...Object.keys(was), ...Object.keys(made)])) {
      const below = path === '' ? name : `${path}.${name}`;
      const value = this.merge(below, member(was, name), member(made, name), member(present, name));
      if (value !== undefined) merged[name] = value;
    }
    return before === undefined && Object.keys(merged).length === 0 ? undefined : merged;
  }

  #number(path: string, delta: NumberValue, before: Value, after: Value, now: Value): Value {
    this.#seen.add(path);
    const asked = subtractNumbers(0, delta);
    const takes = compareNumbers(asked, 0) < 0;
    if (takes && this.#rules.policy === 'give') {
      this.#shortfalls.push(shortfallOf(path, asked, 0));
      return now;
    }
    if (same(now, after)) return before;
    const present = isNumber(now) ? now : numberAt(this.#read, path);
    const target = addDecimals(present, asked);
    const floor = takes ? this.#floor(path, present, before) : target;
    if (compareNumbers(target, floor) >= 0) return target;
    this.#shortfalls.push(shortfallOf(path, asked, subtractNumbers(floor, present)));
    return floor;
  }

  /** What a balance may be lowered to: the schema's least, else 0, and never above what it was. */
  #floor(path: string, present: NumberValue, before: Value): NumberValue {
    const least = fieldAt(this.#rules.schema, path)?.min ?? 0;
    const all = [least, present, ...(isNumber(before) ? [before] : [])];
    return all.reduce((a, b) => (compareNumbers(b, a) < 0 ? b : a));
  }

  #items(path: string, before: Value, after: Value, now: Value): Value {
    const [was, made] = [listOf(before), listOf(after)];
    const kept = [...listOf(now)];
    for (const item of without(made, was)) {
      const at = kept.findLastIndex((each) => jsonEquals(each, item));
      if (at >= 0) kept.splice(at, 1);
      else this.left.push({ path, made: item });
    }
    return [...kept, ...without(was, made)];
  }

  #leave(path: string, before: Value, made: Value, now: Value): void {
    this.left.push({
      path,
      ...(before === undefined ? {} : { before }),
      ...(made === undefined ? {} : { made }),
      ...(now === undefined ? {} : { now }),
    });
  }
}

function shortfallOf(field: string, asked: NumberValue, moved: NumberValue): Shortfall {
  const missing = subtractNumbers(asked, moved);
  return { field, asked, moved, short: compareNumbers(missing, 0) < 0 ? subtractNumbers(0, missing) : missing };
}

function same(a: Value, b: Value): boolean {
  return a === undefined || b === undefined ? a === b : jsonEquals(a, b);
}

function isCount(value: Value): boolean {
  return value === undefined || value === null || isNumber(value);
}

function isPart(value: Value): boolean {
  return value === undefined || isObject(value);
}

function isList(value: Value): boolean {
  return value === undefined || isArray(value);
}

function partOf(value: Value): JsonObject {
  return isObject(value) ? value : NOTHING;
}

function listOf(value: Value): readonly Json[] {
  return isArray(value) ? value : [];
}

/** The items of a list that another lacks; equal ones are counted. */
function without(list: readonly Json[], other: readonly Json[]): readonly Json[] {
  const rest = [...other];
  return list.filter((item) => {
    const at = rest.findIndex((each) => jsonEquals(each, item));
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}

function numberAt(document: JsonObject, path: string): NumberValue {
  const found = getPath(document, path);
  return isNumber(found) ? found : 0;
}

/** The field that describes a path; `undefined`: none. */
function fieldAt({ root }: SchemaModel, path: string): FieldModel | undefined {
  let field: FieldModel | undefined = root ?? undefined;
  for (const name of splitPath(path)) {
    const additional: FieldModel | boolean | undefined = field?.additional;
    field = field?.properties?.get(name) ?? (typeof additional === 'object' ? additional : undefined);
  }
  return field;
}
