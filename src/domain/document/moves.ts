import { groupBy } from '../../kernel/group.ts';
import {
  addNumbers,
  compareNumbers,
  type ExactNumber,
  isNumber,
  type Json,
  NumberTooLong,
  numbersEqual,
  subtractNumbers,
} from '../../kernel/json.ts';
import { ancestorsOf, getPath } from '../../kernel/path.ts';

/** What the operations of one write did to a number, each by itself: the ledger has an entry for each, in their order. */

/** Who changed a number, and why, as far as an operation says so. */
interface Origin {
  readonly source?: string;
  readonly reason?: string;
}

/** What one operation changed. */
export interface Move {
  /** The place of the operation in its list. */
  readonly at: number;
  readonly path: string;
  /** The value at the path before the operation, and after it. */
  readonly before: Json | undefined;
  readonly after: Json;
  readonly origin: Origin;
}

type NumberValue = number | ExactNumber;

/** One change of a number. */
export interface NumberMove {
  readonly at: number;
  readonly before: NumberValue;
  readonly after: NumberValue;
  readonly origin: Origin;
}

export type MovesOf = (field: string) => readonly Move[];

export const NO_MOVES: readonly Move[] = [];

/** Finds the operations on a field or on an object around it, in their order. */
export function movesFinder(moves: readonly Move[]): MovesOf {
  if (moves.length === 0) return () => NO_MOVES;
  const byPath = groupBy(moves, ({ path }) => path);
  return (field) => [field, ...ancestorsOf(field)].flatMap((path) => byPath.get(path) ?? []).sort((a, b) => a.at - b.at);
}

/**
 * The changes of the number at `field`, from `old` to `now` without a gap. Operations that leave it alone have none. What rate-limit rules
 * took back is missing from the last increases; a default that came back belongs to the last operation.
 */
export function numberMoves(field: string, old: NumberValue, now: NumberValue, moves: readonly Move[]): readonly NumberMove[] {
  const changed = moves.map((move) => changeOf(field, move)).filter(({ before, after }) => !numbersEqual(before, after));
  const { at, origin } = changed.at(-1) ?? moves.at(-1) ?? { at: 0, origin: {} };
  const whole = numbersEqual(old, now) ? [] : [{ at, before: old, after: now, origin }];
  if (changed.length < 2) return whole;
  try {
    return endingAt(now, old, changed);
  } catch (error) {
    if (error instanceof NumberTooLong) return whole;
    throw error;
  }
}

function changeOf(field: string, { at, path, before, after, origin }: Move): NumberMove {
  const rest = field.slice(path.length + 1);
  const numberIn = (value: Json | undefined) => {
    const found = rest === '' || value === undefined ? value : getPath(value, rest);
    return isNumber(found) ? found : 0;
  };
  return { at, before: numberIn(before), after: numberIn(after), origin };
}

/** The changes, with the last ones moved so that they end at `now`. An increase gives way; what others changed stays as much as it was. */
function endingAt(now: NumberValue, old: NumberValue, changes: readonly NumberMove[]): readonly NumberMove[] {
  const ended: NumberMove[] = [];
  let end = now;
  for (const change of [...changes].reverse()) {
    const before = beforeOf(change, end);
    ended.unshift({ ...change, before, after: end });
    end = before;
  }
  const [first, ...others] = ended;
  const all = first === undefined ? [] : [{ ...first, before: old }, ...others];
  return all.filter(({ before, after }) => !numbersEqual(before, after));
}

/** Where a change begins that now ends at `end`. */
function beforeOf({ before, after }: NumberMove, end: NumberValue): NumberValue {
  const isLowered = compareNumbers(end, after) < 0;
  if (!isLowered) return before;
  if (compareNumbers(after, before) > 0) return compareNumbers(end, before) < 0 ? end : before;
  return addNumbers(end, subtractNumbers(before, after));
}
