import type { Difference } from '../../../contract/answers.ts';
import { isArray, isObject, type Json, type JsonObject, jsonEquals, jsonStart } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { openedBetween } from '../../access/widened.ts';
import type { DefinitionKind } from '../../events.ts';
import { sentRules } from '../../limit/rules.ts';
import { AUTHORING_MEMBERS } from '../source/compile.ts';
import { type FieldLabel, itemLabel, itemName, memberLabel } from './field-label.ts';
import { Contents, type Matched, matchItems, movedItems, NONE } from './matched.ts';

export type FieldDifferences = Pick<Difference['changes'][number], 'members' | 'fields' | 'more' | 'opens'>;

/** The difference between two forms of a definition, field by field, as `diff` answers it. */

/** Most fields that are listed of one definition. Nobody reads more. */
const MAX_FIELDS = 200;
/** Most characters of a shown value. Of a longer one the beginning is shown, as text. */
const MAX_VALUE = 1000;
/** Most items of a list that are told to have moved, each by itself; of more, the order is told. */
const MAX_MOVED = 3;
/** Most names of an order. */
const MAX_ORDER = 10;

/** The difference between two stored forms of a definition. One that does not exist is `{}`. `maxValue`: characters of a shown value. */
export function storedDifference(kind: DefinitionKind, before: Json, after: Json, maxValue = MAX_VALUE): FieldDifferences {
  // Rules are compared as the list that was sent, whether they are stored with the text of their file or without.
  const sent = (value: Json): Json => (kind === 'rate-limit-rules' ? sentRules(value) : value);
  return { ...differenceOf(sent(before), sent(after), isContent, maxValue), ...openedBetween(kind, before, after) };
}

/** Only the content of a source file is compared, not its path or format. */
function isContent(name: string): boolean {
  return !AUTHORING_MEMBERS.some((each) => each === name);
}

/**
 * `members`: the top-level members that differ. `fields`: each difference as `{path, label, before, after}`, where the path is a JSON
 * pointer, the label says the same to people, and a side without a value is left out. `moved`: the item is at another place among those
 * that stayed (`before`, `after`: places from 1 on), or many are (names in their order). The path is of the form after, and of what is
 * gone, of the form before. `more`: number of differences not listed. Objects are compared member by member, lists item by item as
 * {@link matchItems} says, so one inserted row is one change. Top-level members for which `isContent` is false have no `fields`.
 */
export function differenceOf(before: Json, after: Json, isContent: (name: string) => boolean, maxValue = MAX_VALUE): FieldDifferences {
  const walk = new Walk(maxValue);
  if (!isObject(before) || !isObject(after)) {
    walk.compare(ROOT, before, after);
    return { members: [], ...walk.found() };
  }
  const members: string[] = [];
  eachMember(before, after, (name, own, other) => {
    if (walk.finds(isContent(name) ? memberOf(ROOT, name, own, other) : null, own, other)) members.push(name);
  });
  return { members, ...walk.found() };
}

/** A place in a definition. What it is called is worked out only for what is listed: in a large one nearly everything is the same. */
interface Place {
  path(): string;
  label(): FieldLabel;
}

const ROOT: Place = { path: () => '', label: () => [] };

function memberOf(of: Place, name: string, before: Json | undefined, after: Json | undefined): Place {
  return { path: () => `${of.path()}/${pointerPart(name)}`, label: () => memberLabel(of.label(), name, after ?? before) };
}

function itemOf(of: Place, index: number, before: Json | undefined, after: Json | undefined): Place {
  return { path: () => `${of.path()}/${index}`, label: () => itemLabel(of.label(), after ?? before, index) };
}

/** One part of a JSON pointer (RFC 6901). */
function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

class Walk {
  readonly #fields: FieldDifferences['fields'][number][] = [];
  readonly #contents = new Contents();
  readonly #maxValue: number;
  #count = 0;

  constructor(maxValue: number) {
    this.#maxValue = maxValue;
  }

  found(): Omit<FieldDifferences, 'members' | 'opens'> {
    const more = this.#count - this.#fields.length;
    return { fields: this.#fields, ...(more === 0 ? {} : { more }) };
  }

  /** `isRow`: they are items of a list. */
  compare(at: Place, before: Json | undefined, after: Json | undefined, isRow = false): void {
    if (before === after) return;
    if (isObject(before) && isObject(after)) this.#compareMembers(at, before, after);
    else if (isArray(before) && isArray(after)) this.#compareLists(at, before, after, isRow);
    else if (!same(before, after)) this.#add(at, before, after);
  }

  /** Compares, and says whether anything differs. `null`: nothing of it is told. */
  finds(at: Place | null, before: Json | undefined, after: Json | undefined): boolean {
    if (before === after) return false;
    // Two objects are gone through once. Of lists it is told what belongs together, which takes longer than to see that they are the same.
    if (at === null || !isObject(before) || !isObject(after)) {
      if (same(before, after)) return false;
      if (at !== null) this.compare(at, before, after);
      return true;
    }
    const count = this.#count;
    this.#compareMembers(at, before, after);
    return this.#count > count || !same(before, after);
  }

  /** Nearly all members are the same, so nothing is made of those; and nothing of a place that is counted alone. */
  #compareMembers(at: Place, before: JsonObject, after: JsonObject): void {
    eachMember(before, after, (name, own, other) => {
      this.compare(this.#isFull ? ROOT : memberOf(at, name, own, other), own, other);
    });
  }

  get #isFull(): boolean {
    return this.#fields.length >= MAX_FIELDS;
  }

  #compareLists(list: Place, before: readonly Json[], after: readonly Json[], isRow: boolean): void {
    const matched = matchItems(before, after, this.#contents, isRow);
    for (const [place, item] of before.entries()) {
      const to = matched.to[place] ?? NONE;
      const other = to === NONE ? undefined : after[to];
      // Items that were matched by their content are the same.
      if (other === undefined || !this.#contents.areKnownAsSame(item, other))
        this.compare(itemOf(list, other === undefined ? place : to, item, other), item, other, true);
    }
    for (const [place, item] of after.entries())
      if (matched.from[place] === NONE) this.#add(itemOf(list, place, undefined, item), undefined, item);
    this.#addOrder(list, after, matched);
  }

  /** Each item that moved with its places, counted from 1 as people do; of many, how the first of them stood. */
  #addOrder(list: Place, after: readonly Json[], matched: Matched): void {
    const moved = movedItems(matched);
    const nameAt = (to: number) => itemName(after[to], to);
    if (moved.length > MAX_MOVED) {
      const label = () => [...list.label(), 'order'];
      const [was, is] = [[...matched.to], [...matched.to].sort((one, other) => one - other)].map((all) => all.filter((to) => to !== NONE));
      const from = was?.findIndex((to, index) => to !== is?.[index]) ?? 0;
      const named = (all: readonly number[] = []) => all.slice(from, from + MAX_ORDER).map(nameAt);
      this.#add({ path: list.path, label }, named(was), named(is), true);
      return;
    }
    for (const place of moved) {
      const to = matched.to[place] ?? NONE;
      const label = () => [...list.label(), nameAt(to), 'place'];
      this.#add({ path: () => `${list.path()}/${to}`, label }, place + 1, to + 1, true);
    }
  }

  #add(at: Place, before: Json | undefined, after: Json | undefined, isMoved = false): void {
    this.#count += 1;
    if (this.#isFull) return;
    this.#fields.push({
      path: at.path(),
      label: at.label().join(' › '),
      ...(before === undefined ? {} : { before: shown(before, this.#maxValue) }),
      ...(after === undefined ? {} : { after: shown(after, this.#maxValue) }),
      ...(isMoved ? { moved: true as const } : {}),
    });
  }
}

function same(before: Json | undefined, after: Json | undefined): boolean {
  return before === undefined || after === undefined ? before === after : jsonEquals(before, after);
}

/** Goes through the members that either object has, with their values in both, but for those that are the very same. */
function eachMember(
  before: JsonObject,
  after: JsonObject,
  see: (name: string, before: Json | undefined, after: Json | undefined) => void,
): void {
  const names = Object.keys(after);
  // Members that `before` does not have. Objects may have thousands, of which a change has touched one.
  let added = names.length;
  for (const name of Object.keys(before)) {
    const own = before[name];
    const other = own === after[name] ? own : member(after, name);
    if (other !== undefined) added -= 1;
    if (own !== other) see(name, own, other);
  }
  if (added > 0) for (const name of names) if (!Object.hasOwn(before, name)) see(name, undefined, after[name]);
}

function shown(value: Json, most: number): Json {
  const text = jsonStart(value, most + 1);
  return text.length <= most ? value : `${text.slice(0, most)}…`;
}
