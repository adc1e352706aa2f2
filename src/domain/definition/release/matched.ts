import { isArray, isNumber, isObject, type Json, type JsonObject, jsonEquals, numberForm } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { NAMES, nameIn, textIn } from './field-label.ts';

/**
 * Which items of a list are the same in two forms of it, whatever was put in, taken out or moved between them. Each step takes time by the
 * length of the lists: a table has many rows, and its author may mean harm.
 */

/** Places of items in the other form. */
export interface Matched {
  /** By place before: the place after, or {@link NONE}. */
  readonly to: Int32Array;
  /** By place after: the place before, or {@link NONE}. */
  readonly from: Int32Array;
}

export const NONE = -1;

/** Most items of both forms that are matched. Of more, each is what stands at its place. */
const MAX_ITEMS = 100_000;
/** Most values in items that are matched by what they hold, which takes longer than comparing. Of more, each is what its place holds. */
const MAX_VALUES = 400_000;
/** Members beside {@link NAMES} that are tried as names of all items. */
const MAX_TRIED = 8;

/**
 * By `id` where all items have one, else by the member that names them all; then by content, and what is left by its place behind the same
 * item. Cells are what they are by their place: those of a row that is written as a list, and numbers of a list that stays as long.
 */
export function matchItems(before: readonly Json[], after: readonly Json[], contents: Contents, isRow = false): Matched {
  const found = { to: new Int32Array(before.length).fill(NONE), from: new Int32Array(after.length).fill(NONE) };
  if (before.length + after.length > MAX_ITEMS || areCells(before, after, isRow)) {
    for (let place = 0; place < Math.min(before.length, after.length); place += 1) pair(found, place, place);
    return found;
  }
  const naming = namingOf(before, after);
  if (naming === null) {
    matchContents(found, before, after, contents);
    matchPlaces(found, before, after);
    return found;
  }
  for (const [key, place] of naming.before) {
    const other = naming.after.get(key);
    if (other !== undefined) pair(found, place, other);
  }
  matchRenamed(found, before, after, (item) => contents.without(item, naming.name));
  return found;
}

/** Items that changed their order among those that are in both, as few as explain it: places before, in their order. */
export function movedItems({ to }: Pick<Matched, 'to'>): readonly number[] {
  const kept = [...to.keys()].filter((place) => to[place] !== NONE);
  const places = kept.map((place) => to[place] ?? NONE);
  if (places.every((place, index) => index === 0 || place > (places[index - 1] ?? NONE))) return [];
  const staying = longestRising(places);
  return kept.filter((_, index) => !staying.has(index));
}

/** Numbers of values, the same for equal values alone. Each value is looked at once. */
export class Contents {
  readonly #numbers = new Map<string | number, number>();
  readonly #texts = new Map<string, number>();
  readonly #lists = new Map<Json, number>();
  readonly #same = new Map<Json, Json>();
  #next = 0;

  of(value: Json): number {
    if (typeof value === 'string') return this.#numbered(this.#texts, value);
    if (typeof value === 'number') return this.#numbered(this.#numbers, value);
    if (isNumber(value)) return this.#numbered(this.#numbers, `n${numberForm(value)}`);
    if (!isArray(value) && !isObject(value)) return this.#numbered(this.#numbers, String(value));
    const known = this.#lists.get(value);
    if (known !== undefined) return known;
    const text = isArray(value) ? `[${value.map((item) => this.of(item)).join()}` : this.#membersOf(Object.entries(value));
    const number = this.#numbered(this.#numbers, text);
    this.#lists.set(value, number);
    return number;
  }

  /** Keeps that two values are equal. */
  noteSame(value: Json, other: Json): void {
    this.#same.set(value, other);
  }

  /** Whether two values were found to be equal. What was not looked at yet is not known. */
  areKnownAsSame(value: Json, other: Json): boolean {
    if (this.#same.get(value) === other) return true;
    const known = this.#lists.get(value);
    return known !== undefined && known === this.#lists.get(other);
  }

  /** The number of an item but for one member, or one place of a list; `null`: it holds nothing else. */
  without(item: Json, name: string): number | null {
    if (isArray(item)) return item.length < 2 ? null : this.of(item.filter((_, place) => String(place) !== name));
    const others = Object.entries(item as JsonObject).filter(([other]) => other !== name);
    return others.length === 0 ? null : this.#numbered(this.#numbers, this.#membersOf(others));
  }

  #membersOf(members: readonly (readonly [name: string, value: Json])[]): string {
    const told = members.map(([name, value]) => `${this.#numbered(this.#texts, name)}:${this.of(value)}`);
    return `{${told.sort().join()}`;
  }

  #numbered<Key>(of: Map<Key, number>, key: Key): number {
    const known = of.get(key);
    if (known !== undefined) return known;
    this.#next += 1;
    of.set(key, this.#next);
    return this.#next;
  }
}

type Finding = Matched;

function pair({ to, from }: Finding, place: number, other: number): void {
  to[place] = other;
  from[other] = place;
}

function areCells(before: readonly Json[], after: readonly Json[], isRow: boolean): boolean {
  if (!before.every(isCell) || !after.every(isCell)) return false;
  return isRow || (before.length === after.length && before.some((item) => typeof item !== 'string'));
}

function isCell(value: Json): boolean {
  return !isArray(value) && !isObject(value);
}

type Keyed = ReadonlyMap<string, number>;

interface Naming {
  readonly name: string;
  readonly before: Keyed;
  readonly after: Keyed;
}

/** What names all items of both forms, each with a name of its own; `null`: nothing does. */
function namingOf(before: readonly Json[], after: readonly Json[]): Naming | null {
  const keyed = (name: string, read: (item: Json) => string | undefined): Naming | null => {
    const own = keyedBy(before, read);
    const other = own === null ? null : keyedBy(after, read);
    return own === null || other === null ? null : { name, before: own, after: other };
  };
  const named = (name: string) => keyed(name, (item) => (isObject(item) ? textIn(member(item, name)) : undefined));
  const first = after[0] ?? before[0];
  if (isArray(first)) return keyed('0', (item) => (isArray(item) ? textIn(item[0]) : undefined));
  if (!isObject(first)) return null;
  const given = keyed('id', idOf) ?? firstOf(NAMES, named);
  if (given !== null) return given;
  const others = Object.keys(first).filter((name) => !NAMES.includes(name) && textIn(member(first, name)) !== undefined);
  // Any text may be a name by chance, as of a single item: one that is in neither form again says nothing.
  return firstOf(others.slice(0, MAX_TRIED), (name) => {
    const found = named(name);
    return found !== null && [...found.before.keys()].some((key) => found.after.has(key)) ? found : null;
  });
}

function firstOf(names: readonly string[], find: (name: string) => Naming | null): Naming | null {
  for (const name of names) {
    const found = find(name);
    if (found !== null) return found;
  }
  return null;
}

function idOf(item: Json): string | undefined {
  const id = isObject(item) ? member(item, 'id') : undefined;
  if (isNumber(id)) return `number ${numberForm(id)}`;
  return typeof id === 'string' ? id : undefined;
}

/** Places by key; `null`: an item has none, or two have the same. */
function keyedBy(list: readonly Json[], read: (item: Json) => string | undefined): Keyed | null {
  const found = new Map<string, number>();
  for (const [place, item] of list.entries()) {
    const key = read(item);
    if (key === undefined || found.has(key)) return null;
    found.set(key, place);
  }
  return found;
}

/** An item that is gone and one that came, and that only their names tell apart, are one that was renamed, where no other is like them. */
function matchRenamed(found: Finding, before: readonly Json[], after: readonly Json[], rest: (item: Json) => number | null): void {
  if (areTooLarge(before, found.to, after, found.from)) return;
  const [gone, come] = [placesBy(before, found.to, rest), placesBy(after, found.from, rest)];
  for (const [key, [place, ...twins]] of gone) {
    const [other, ...others] = come.get(key) ?? [];
    if (key !== null && place !== undefined && other !== undefined && twins.length + others.length === 0) pair(found, place, other);
  }
}

/** Places of items that have no other form yet, by a key of theirs. */
function placesBy<Key>(list: readonly Json[], others: Int32Array, keyOf: (item: Json, place: number) => Key): Map<Key, number[]> {
  const found = new Map<Key, number[]>();
  for (const [place, item] of list.entries()) {
    if (others[place] !== NONE) continue;
    const key = keyOf(item, place);
    const places = found.get(key);
    if (places === undefined) found.set(key, [place]);
    else places.push(place);
  }
  return found;
}

/** Equal items: those that both forms begin and end with, else in their order. Of too much between them, what stands at the same place. */
function matchContents(found: Finding, before: readonly Json[], after: readonly Json[], contents: Contents): void {
  const least = Math.min(before.length, after.length);
  const areSame = (place: number, other: number) => {
    const [own, its] = [before[place], after[other]];
    if (own === undefined || its === undefined || !jsonEquals(own, its)) return false;
    pair(found, place, other);
    contents.noteSame(own, its);
    return true;
  };
  let start = 0;
  while (start < least && areSame(start, start)) start += 1;
  let end = 0;
  while (end < least - start && areSame(before.length - 1 - end, after.length - 1 - end)) end += 1;
  if (areTooLarge(before, found.to, after, found.from)) {
    for (let place = start; place < least - end; place += 1) pair(found, place, place);
    return;
  }
  pairInOrder(
    found,
    placesBy(before, found.to, (item) => contents.of(item)),
    placesBy(after, found.from, (item) => contents.of(item)),
  );
}

/** Whether the items that have no other form yet hold more than is matched by content. */
function areTooLarge(before: readonly Json[], to: Int32Array, after: readonly Json[], from: Int32Array): boolean {
  const left = (list: readonly Json[], others: Int32Array) =>
    list.reduce<number>((sum, item, place) => sum + (others[place] === NONE ? valuesIn(item) : 0), 0);
  return left(before, to) + left(after, from) > MAX_VALUES;
}

function valuesIn(value: Json): number {
  let sum = 1;
  if (isArray(value)) for (const item of value) sum += valuesIn(item);
  else if (isObject(value)) for (const name of Object.keys(value)) sum += valuesIn(value[name] ?? null);
  return sum;
}

function pairInOrder<Key>(found: Finding, own: ReadonlyMap<Key, readonly number[]>, others: ReadonlyMap<Key, readonly number[]>): void {
  for (const [key, places] of own) {
    const there = others.get(key) ?? [];
    for (const [index, place] of places.entries()) {
      const other = there[index];
      if (other !== undefined) pair(found, place, other);
    }
  }
}

/** What stands behind the same item in both forms, in order: those with the same name, and then whatever is left. */
function matchPlaces(found: Finding, before: readonly Json[], after: readonly Json[]): void {
  const [own, others] = [anchorsOf(found.to, (place) => found.to[place] ?? NONE), anchorsOf(found.from, (place) => place)];
  const named = (anchors: Int32Array) => (item: Json, place: number) => `${anchors[place]} ${nameIn(item) ?? ''}`;
  pairInOrder(found, placesBy(before, found.to, named(own)), placesBy(after, found.from, named(others)));
  const anchored = (anchors: Int32Array) => (_: Json, place: number) => anchors[place];
  pairInOrder(found, placesBy(before, found.to, anchored(own)), placesBy(after, found.from, anchored(others)));
}

/** Of each place the last item before it that is in both forms: its place after. */
function anchorsOf(others: Int32Array, placeAfter: (place: number) => number): Int32Array {
  let last = NONE;
  return others.map((other, place) => {
    if (other !== NONE) last = placeAfter(place);
    return last;
  });
}

/** Indexes of a longest rising part of distinct numbers (patience sorting). */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const earlier = new Int32Array(numbers.length);
  for (const [index, number] of numbers.entries()) {
    const at = firstAtLeast(ends, numbers, number);
    earlier[index] = ends[at - 1] ?? NONE;
    ends[at] = index;
  }
  const found = new Set<number>();
  for (let index = ends.at(-1) ?? NONE; index !== NONE; index = earlier[index] ?? NONE) found.add(index);
  return found;
}

function firstAtLeast(ends: readonly number[], numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[ends[middle] ?? 0] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
