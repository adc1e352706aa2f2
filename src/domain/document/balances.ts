import {
  type ExactNumber,
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  numbersEqual,
  parseStored,
  stringifyJson,
} from '../../kernel/json.ts';
import { splitPath } from '../../kernel/path.ts';
import type { LedgerEntry } from '../events.ts';
import type { DocumentState } from '../states.ts';

/**
 * The ledger balances of one document: for every field the `after` of its last entry, which is the sum of all its entries. Zeros are left
 * out. It is a tree like the document, so it is never much larger. A number with numbers below it stands under the name `''`, which no path
 * contains.
 */
export type LedgerBalances = JsonObject;

type NumberValue = number | ExactNumber;
type Mutable = Record<string, Json>;

export const NO_BALANCES: LedgerBalances = {};
const OWN = '';

export function balancesOf(state: Pick<DocumentState, 'balances'> | null): LedgerBalances {
  return state?.balances === undefined ? NO_BALANCES : parseStored(state.balances);
}

/** The text that a state keeps; `undefined`: no balances. */
export function balancesText(balances: LedgerBalances): string | undefined {
  return isEmpty(balances) ? undefined : stringifyJson(balances);
}

/** The balance of the field at this part of the tree. */
export function balanceAt(part: Json | undefined): NumberValue {
  if (isNumber(part)) return part;
  const own = isObject(part) && Object.hasOwn(part, OWN) ? part[OWN] : undefined;
  return isNumber(own) ? own : 0;
}

/** The balances after these entries. Untouched parts are shared. */
export function withEntries(balances: LedgerBalances, entries: readonly Pick<LedgerEntry, 'field' | 'after'>[]): LedgerBalances {
  if (entries.length === 0) return balances;
  const copied = new Map<Json, Mutable>();
  const copyOf = (part: JsonObject): Mutable => {
    const known = copied.get(part);
    if (known !== undefined) return known;
    const copy: Mutable = { ...part };
    copied.set(copy, copy);
    return copy;
  };
  const root = copyOf(balances);
  for (const { field, after } of entries) put(root, splitPath(field), isNumber(after) ? after : 0, copyOf);
  return root;
}

function put(root: Mutable, path: readonly string[], value: NumberValue, copyOf: (part: JsonObject) => Mutable): void {
  const way: { readonly part: Mutable; readonly name: string }[] = [];
  let here = root;
  for (const [at, name] of path.entries()) {
    way.push({ part: here, name });
    if (at === path.length - 1) break;
    const next = Object.hasOwn(here, name) ? here[name] : undefined;
    const copy = isObject(next) ? copyOf(next) : copyOf(isNumber(next) ? { [OWN]: next } : {});
    here[name] = copy;
    here = copy;
  }
  const last = way.at(-1);
  if (last === undefined) return;
  const below = Object.hasOwn(last.part, last.name) ? last.part[last.name] : undefined;
  const [target, name] = isObject(below) ? [copyOf(below), OWN] : [last.part, last.name];
  if (isObject(below)) last.part[last.name] = target;
  if (numbersEqual(value, 0)) delete target[name];
  else target[name] = value;
  for (const { part, name } of way.reverse()) compact(part, name);
}

/** Removes a part without members, and replaces one that holds only its own number by that number. */
function compact(parent: Mutable, name: string): void {
  const part = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (!isObject(part)) return;
  if (isEmpty(part)) delete parent[name];
  else if (Object.hasOwn(part, OWN) && hasOne(part)) parent[name] = part[OWN] ?? 0;
}

/** Every balance, with its path. */
export function* balancesIn(balances: LedgerBalances, prefix = ''): Generator<readonly [path: string, value: NumberValue]> {
  for (const [name, part] of Object.entries(balances)) {
    const path = name === OWN ? prefix.slice(0, -1) : prefix + name;
    if (isNumber(part)) yield [path, part];
    else if (isObject(part)) yield* balancesIn(part, `${path}.`);
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

function hasOne(object: JsonObject): boolean {
  let count = 0;
  for (const _ in object) {
    count += 1;
    if (count > 1) return false;
  }
  return true;
}
