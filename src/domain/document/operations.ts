import {
  addNumbers,
  doubleDifference,
  isArray,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  NumberTooLong,
  toDouble,
} from '../../kernel/json.ts';
import { splitPath } from '../../kernel/path.ts';
import type { Change, Operation } from '../events.ts';
import { changesOf, Draft, PathBlocked } from './draft.ts';
import { type Matcher, pullMatcher, removeMatcher } from './match.ts';
import type { Move } from './moves.ts';
import { truncateText } from './truncate-text.ts';
import { weightOf } from './weight.ts';

export { applyChanges } from './draft.ts';

/** Why a list of operations was refused. The message leaves out the position; `index` is −1 if the list itself is wrong. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly index: number;

  constructor(index: number, message: string) {
    super(message);
    this.index = index;
  }
}

export interface OperationResult {
  readonly document: JsonObject;
  /** Applied in order to the old document, they give the new one. */
  readonly changes: readonly Change[];
  /** Path → sum of upward moves. A later downward move does not reduce it. */
  readonly increases: ReadonlyMap<string, number>;
  /** What each operation changed, in their order. */
  readonly moves: readonly Move[];
}

/** The result of operations on the document `to`, so they need not be applied to it again. */
export interface AppliedOperations {
  readonly to: JsonObject;
  readonly operated: OperationResult;
}

/** What the operations of one list share. */
interface OperationRun {
  readonly draft: Draft;
  readonly touched: Set<string>;
  readonly increases: Map<string, number>;
  readonly moves: Move[];
  /** The place of the operation that is applied. */
  at: number;
  /** Members that merges have copied so far. */
  merged: number;
  readonly spend: Spend;
}

/** Charges for work. It is called before items and members are visited or copied, and may throw. */
export type Spend = (units: number) => void;

const MAX_OPERATIONS = 100;
const MAX_PATH_PARTS = 64;
/** Longest path. V8 hashes very long texts by their length alone, so a map of thousands of them would compare each with all others. */
const MAX_PATH_LENGTH = 512;
const SOURCE_LENGTH = 64;
const REASON_LENGTH = 256;
/** Sums closer to zero than this are rounding errors of doubles, as in 0.1 + 0.2 − 0.3. */
const NOISE = 1e-9;
/** Cost of a merged member, which is copied and noted as a change. */
const MERGED_COST = 12;
/** Members that the merges of one request may copy, about half a second of work: each copies the whole object that it merges into. */
const MAX_MERGED = 150_000;
const REFUSED_NAMES: ReadonlySet<string> = new Set(['', '__proto__', 'constructor', 'prototype']);

type Apply = (run: OperationRun, operation: Operation) => void;

const APPLY: Readonly<Record<string, Apply>> = {
  set: applySet,
  inc: applyIncrement,
  push: applyPush,
  pull: applyPull,
  remove: applyRemove,
  delete: applyRemove,
  merge: applyMerge,
  set_if_null: (run, operation) => {
    operand(operation);
    if ((run.draft.get(operation.path) ?? null) === null) applySet(run, operation);
  },
};

/**
 * Runs operations in order on a copy. Each sees the result of the earlier ones; the first error stops them all. A `document` of `null`
 * counts as `{}`. The input is never changed, and untouched parts are shared. Throws {@link OperationError}.
 */
export function applyOperations(document: JsonObject | null, operations: readonly Operation[], spend: Spend = free): OperationResult {
  checkCount(operations.length);
  const run: OperationRun = {
    draft: new Draft(document ?? {}),
    touched: new Set(),
    increases: new Map(),
    moves: [],
    at: 0,
    merged: 0,
    spend,
  };
  operations.forEach((operation, index) => {
    run.at = index;
    try {
      applyOne(run, operation);
    } catch (error) {
      if (!(error instanceof MalformedOperation || error instanceof PathBlocked || error instanceof NumberTooLong)) throw error;
      throw new OperationError(index, error.message);
    }
  });
  const result = run.draft.document;
  return { document: result, changes: changesOf(result, run.touched), increases: run.increases, moves: run.moves };
}

/** Operations of a request are not charged for: the size of its body bounds them, and {@link MAX_MERGED}. */
function free(): void {}

/** Parses the `ops` member of a request. Throws {@link OperationError}. */
export function parseOperations(value: Json): readonly Operation[] {
  if (!isArray(value)) throw new OperationError(-1, 'ops must be a list');
  checkCount(value.length);
  return value.map((item, index) => {
    const { op, path, value: operand, match, source, reason } = isObject(item) ? item : {};
    if (typeof op !== 'string' || typeof path !== 'string') throw new OperationError(index, 'needs the texts op and path');
    return {
      op,
      path,
      ...(operand === undefined ? {} : { value: operand }),
      ...(match === undefined ? {} : { match }),
      ...(typeof source === 'string' && source !== '' ? { source } : {}),
      ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    };
  });
}

/** An operation with a wrong form. It becomes an {@link OperationError} with its position. */
class MalformedOperation extends Error {
  override readonly name = 'Misuse';
}

function checkCount(count: number): void {
  if (count === 0) throw new OperationError(-1, 'ops is empty');
  if (count > MAX_OPERATIONS) throw new OperationError(-1, `ops has more than ${MAX_OPERATIONS} items`);
}

function applyOne(run: OperationRun, operation: Operation): void {
  const apply = Object.hasOwn(APPLY, operation.op) ? APPLY[operation.op] : undefined;
  if (apply === undefined)
    throw new MalformedOperation(
      `unknown operation ${JSON.stringify(truncateText(operation.op, 32))}; known are ${Object.keys(APPLY).join(', ')}`,
    );
  if (operation.path.length > MAX_PATH_LENGTH) throw new MalformedOperation(`the path is longer than ${MAX_PATH_LENGTH} characters`);
  const parts = splitPath(operation.path);
  if (parts.some((part) => REFUSED_NAMES.has(part)))
    throw new MalformedOperation(`the path ${JSON.stringify(truncateText(operation.path, 64))} is not usable`);
  if (parts.length > MAX_PATH_PARTS) throw new MalformedOperation('the path is too long');
  apply(run, operation);
}

function applySet(run: OperationRun, operation: Operation): void {
  const value = operand(operation);
  const old = run.draft.get(operation.path);
  noteGrowth(run, operation.path, old, value);
  write(run, operation, old, value);
}

function applyIncrement(run: OperationRun, operation: Operation): void {
  const { value, path } = operation;
  if (!isNumber(value)) throw new MalformedOperation('inc needs a number');
  const old = run.draft.get(path);
  const sum = addNumbers(isNumber(old) ? old : 0, value);
  if (!Number.isFinite(toDouble(sum))) throw new MalformedOperation('the number leaves the range of numbers');
  write(run, operation, old, Math.abs(toDouble(sum)) < NOISE ? 0 : sum);
  addGrowth(run, path, toDouble(value));
}

function applyPush(run: OperationRun, operation: Operation): void {
  const value = operand(operation);
  const old = run.draft.get(operation.path);
  if (isArray(old)) run.spend(old.length);
  write(run, operation, old, isArray(old) ? [...old, value] : [value]);
}

function applyPull(run: OperationRun, operation: Operation): void {
  const { match } = operation;
  if (!isObject(match)) throw new MalformedOperation('pull needs an object match');
  filter(run, operation, pullMatcher(match), weightOf(match));
}

function applyRemove(run: OperationRun, operation: Operation): void {
  const value = operand(operation);
  filter(run, operation, removeMatcher(value), weightOf(value));
}

function applyMerge(run: OperationRun, operation: Operation): void {
  const { value, path } = operation;
  if (!isObject(value)) throw new MalformedOperation('merge needs an object');
  const old = run.draft.get(path) ?? null;
  if (old !== null && !isObject(old)) throw new MalformedOperation('merge needs an object to merge into');
  const members = Object.entries(value);
  const copied = members.length + (old === null ? 0 : Object.keys(old).length);
  run.spend(MERGED_COST * copied);
  run.merged += copied;
  if (run.merged > MAX_MERGED) throw new MalformedOperation(`the merges copy more than ${MAX_MERGED} members together: merge fewer times`);
  for (const [name, item] of members) noteMember(run, path, name, old, item);
  const merged = { ...old, ...value };
  run.draft.set(path, merged);
  if (old === null) run.touched.add(path);
  noteMove(run, operation, old, merged);
}

/** Notes a changed member. If no path can name it, the whole object is stored, and no rule counts the member. */
function noteMember(run: OperationRun, path: string, name: string, old: JsonObject | null, item: Json): void {
  if (REFUSED_NAMES.has(name) || name.includes('.') || path.length + name.length >= MAX_PATH_LENGTH) {
    run.touched.add(path);
    return;
  }
  const memberPath = `${path}.${name}`;
  noteGrowth(run, memberPath, old !== null && Object.hasOwn(old, name) ? old[name] : undefined, item);
  run.touched.add(memberPath);
}

/** Removes the items that match. `weight`: of the value that every item is compared with. */
function filter(run: OperationRun, operation: Operation, matches: Matcher, weight: number): void {
  const old = run.draft.get(operation.path);
  if (!isArray(old)) return;
  run.spend(old.length * weight);
  const kept = old.filter((item) => !matches(item));
  if (kept.length !== old.length) write(run, operation, old, kept);
}

function write(run: OperationRun, operation: Operation, old: Json | undefined, value: Json): void {
  run.draft.set(operation.path, value);
  run.touched.add(operation.path);
  noteMove(run, operation, old, value);
}

function operand({ op, value }: Operation): Json {
  if (value === undefined) throw new MalformedOperation(`${op} needs a value`);
  return value;
}

function noteGrowth(run: OperationRun, path: string, old: Json | undefined, value: Json): void {
  if (isNumber(value)) addGrowth(run, path, doubleDifference(value, isNumber(old) ? old : 0));
}

function addGrowth(run: OperationRun, path: string, amount: number): void {
  if (amount > 0) run.increases.set(path, (run.increases.get(path) ?? 0) + amount);
}

/** Values are never changed in place: what a later operation changes, it copies. */
function noteMove(run: OperationRun, { path, source, reason }: Operation, before: Json | undefined, after: Json): void {
  const origin = {
    ...(source === undefined ? {} : { source: truncateText(source, SOURCE_LENGTH) }),
    ...(reason === undefined ? {} : { reason: truncateText(reason, REASON_LENGTH) }),
  };
  run.moves.push({ at: run.at, path, before, after, origin });
}
