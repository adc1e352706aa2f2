import {
  doubleDifference,
  type ExactNumber,
  isNumber,
  type JsonObject,
  NumberTooLong,
  numbersEqual,
  subtractNumbers,
} from '../../kernel/json.ts';
import { ancestorsOf, getPath } from '../../kernel/path.ts';
import type { SchemaModel } from '../definition/model.ts';
import type { LedgerEntry } from '../events.ts';
import { OWN_MEMBERS } from './evolve.ts';
import type { Origin } from './operations.ts';
import { ledgerPathsIn } from './schema.ts';

type NumberValue = number | ExactNumber;

/**
 * One entry for every `_ledger` number field whose stored value a write changed, in the order of the schema; exact numbers stay
 * exact. A missing document, member or number counts as 0, defaults included: so `after` of one entry is always `before` of the
 * next. Fields inside objects only, be they named or described by `additionalProperties`: an item of a list has no path that would
 * name it from one write to the next.
 * Source: runtime-storage 9.1.
 */
export function ledgerEntries(
  schema: SchemaModel,
  before: JsonObject | null,
  after: JsonObject | null,
  originOf: (path: string) => Origin | undefined,
  fallbackSource: string,
): LedgerEntry[] {
  return ledgerPathsIn(schema, [before, after]).flatMap((field) => {
    if (OWN_MEMBERS.has(field)) return [];
    const [old, now] = [numberAt(before, field), numberAt(after, field)];
    if (numbersEqual(old, now)) return [];
    const { source = fallbackSource, reason } = originOf(field) ?? {};
    return [{ field, before: old, after: now, delta: difference(old, now), source, ...(reason === undefined ? {} : { reason }) }];
  });
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

function numberAt(document: JsonObject | null, path: string): NumberValue {
  const value = document === null ? undefined : getPath(document, path);
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
