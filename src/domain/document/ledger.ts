import { type Refusal, refusal } from '../../kernel/errors.ts';
import {
  doubleDifference,
  type ExactNumber,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  NumberTooLong,
  numbersEqual,
  subtractNumbers,
} from '../../kernel/json.ts';
import { ancestorsOf, member } from '../../kernel/path.ts';
import type { FieldModel, SchemaModel } from '../definition/model.ts';
import type { LedgerEntry } from '../events.ts';
import { OWN_MEMBERS } from './evolve.ts';
import type { Origin } from './operations.ts';
import { isPathPart } from './schema.ts';

type NumberValue = number | ExactNumber;

/** Of one write. So many fit a commit, whatever their paths; a document whose members nobody has declared can have nine times as many. */
export const MOST_ENTRIES = 1000;
/** Names that `additionalProperties` describes are followed up to the length that a schema's own names have (runtime-storage 6.1). */
const LONGEST_NAME = 64;
/** Every entry holds its whole path: of a longer one, thousands would make a commit that no log takes. */
const LONGEST_PATH = 256;

/**
 * One entry for every `_ledger` number field whose stored value a write changed, in the order of the schema; exact numbers stay
 * exact. A missing document, member or number counts as 0, defaults included: so `after` of one entry is always `before` of the
 * next. Fields inside objects only, be they named or described by `additionalProperties`: an item of a list has no path that would
 * name it from one write to the next. What a write left as it was is not looked into.
 * Source: runtime-storage 9.1.
 */
export function ledgerEntries(
  { root }: SchemaModel,
  before: JsonObject | null,
  after: JsonObject | null,
  originOf: (path: string) => Origin | undefined,
  fallbackSource: string,
): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  const look = (field: FieldModel, path: string, before: Json | undefined, after: Json | undefined) => {
    if (before === after) return;
    if (field.ledger && !OWN_MEMBERS.has(path)) compare(path, before, after);
    if (field.ledgerBelow) lookBelow(field, `${path}.`, membersOf(before), membersOf(after));
  };
  const lookBelow = ({ tracked, properties, additional }: FieldModel, prefix: string, before: JsonObject, after: JsonObject) => {
    for (const [name, child] of tracked) look(child, prefix + name, member(before, name), member(after, name));
    if (typeof additional !== 'object' || !(additional.ledger || additional.ledgerBelow)) return;
    const isFollowed = (name: string) =>
      name.length <= LONGEST_NAME && prefix.length + name.length <= LONGEST_PATH && isPathPart(name) && !properties?.has(name);
    for (const name of Object.keys(before)) if (isFollowed(name)) look(additional, prefix + name, before[name], member(after, name));
    for (const name of Object.keys(after)) {
      if (isFollowed(name) && !Object.hasOwn(before, name)) look(additional, prefix + name, undefined, after[name]);
    }
  };
  const compare = (field: string, before: Json | undefined, after: Json | undefined) => {
    const [old, now] = [numberOf(before), numberOf(after)];
    if (numbersEqual(old, now)) return;
    const { source = fallbackSource, reason } = originOf(field) ?? {};
    entries.push({ field, before: old, after: now, delta: difference(old, now), source, ...(reason === undefined ? {} : { reason }) });
  };
  if (root !== null && before !== after) lookBelow(root, '', before ?? NOTHING, after ?? NOTHING);
  return entries;
}

const NOTHING: JsonObject = {};

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value ?? null) ? (value as JsonObject) : NOTHING;
}

/** The refusal of a write that would make more than {@link MOST_ENTRIES}. */
export function tooManyEntries(count: number): Refusal {
  const message = `This write changes ${count} numbers that the ledger follows; a write may change ${MOST_ENTRIES} of them`;
  return refusal('APPEND_TOO_LARGE', message);
}

/** What was said about a path: by an operation on it, else by one on the nearest object around it. */
export function originFinder(origins: ReadonlyMap<string, Origin>): (path: string) => Origin | undefined {
  return (path) => {
    const own = origins.get(path);
    if (own !== undefined || origins.size === 0) return own;
    for (const ancestor of ancestorsOf(path)) if (origins.has(ancestor)) return origins.get(ancestor);
    return undefined;
  };
}

function numberOf(value: Json | undefined): NumberValue {
  return isNumber(value) ? value : 0;
}

/** A difference too long to write out is given as the nearest double. */
function difference(old: NumberValue, now: NumberValue): NumberValue {
  try {
    return subtractNumbers(now, old);
  } catch (error) {
    if (error instanceof NumberTooLong) return doubleDifference(now, old);
    throw error;
  }
}
