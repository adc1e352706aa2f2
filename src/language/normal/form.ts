import type { Row, Synonyms } from '../../contract/resources/synonyms.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf, stringOf } from '../../kernel/json-read.ts';
import { member } from '../../kernel/path.ts';

/**
 * The normal form of what authors wrote: every member has one name, whichever of its synonyms the author chose. Whatever runs, checks or
 * types a definition reads this form alone. What was sent is stored as it was sent.
 */

export interface Normalised<D> {
  readonly definition: D;
  /** Where the author wrote what stands at this pointer in the normal form. */
  sourceOf(pointer: string): string;
}

/** Makes the normal form of a definition, once for each. Never throws. A definition in normal form is its own. */
export function normaliser<D>(part: Part, read: (normal: JsonObject) => D): (definition: JsonObject) => Normalised<D> {
  const made = new WeakMap<JsonObject, Normalised<D>>();
  const make = (definition: JsonObject): Normalised<D> => {
    const moved = new Map<string, string>();
    const normal = part(definition, { pointer: '', source: '', moved });
    return { definition: read(objectOf(normal)), sourceOf: (pointer) => sourceOf(moved, pointer) };
  };
  return (definition) => {
    const known = made.get(definition) ?? make(definition);
    made.set(definition, known);
    return known;
  };
}

function sourceOf(moved: ReadonlyMap<string, string>, pointer: string): string {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    const source = moved.get(pointer.slice(0, end));
    if (source !== undefined) return source + pointer.slice(end);
  }
  return pointer;
}

const asWritten = new WeakMap<JsonObject, JsonObject>();

/** The object that an author wrote, of an object in normal form. */
export function writtenAs(normal: JsonObject): JsonObject {
  return asWritten.get(normal) ?? normal;
}

/** Where a part stands: in the normal form, and in what was written. */
export interface At {
  readonly pointer: string;
  readonly source: string;
  /** Pointers of members that have another name in what was written, with the pointers there. */
  readonly moved: Map<string, string>;
}

function within({ pointer, source, moved }: At, name: string | number): At {
  const inner = `${pointer}/${name}`;
  return { pointer: inner, source: moved.get(inner) ?? `${source}/${name}`, moved };
}

/** Brings a part of a definition into normal form. What is in it already comes back as it is. */
export type Part = (json: Json, at: At) => Json;

/** What has a short form, which stands for an object with this one member. */
export function orShort(name: string, isShort: (json: Json) => boolean, part: Part): Part {
  return (json, at) => {
    if (!isShort(json)) return part(json, at);
    at.moved.set(`${at.pointer}/${name}`, at.source);
    return { [name]: json };
  };
}

/** An object with these synonyms, of which these members are parts themselves. */
export function object(synonyms: Synonyms, parts: Readonly<Record<string, Part>> = {}): Part {
  const rows = Object.entries(synonyms);
  const inner = Object.entries(parts);
  return (json, at) => {
    if (!isObject(json)) return json;
    const named = rows.reduce((before, [name, row]) => underOneName(before, name, row, at), json);
    const normal = inner.reduce((before, [name, part]) => withPart(before, name, part, at), named);
    if (normal !== json) asWritten.set(normal, json);
    return normal;
  };
}

function withPart(json: JsonObject, name: string, part: Part, at: At): JsonObject {
  const written = member(json, name);
  if (written === undefined) return json;
  const normal = part(written, within(at, name));
  return normal === written ? json : { ...json, [name]: normal };
}

/** Every item of a list, or every member of a map. */
export function each(part: Part): Part {
  return (json, at) => {
    if (isArray(json)) {
      const items = json.map((item, index) => part(item, within(at, index)));
      return items.some((item, index) => item !== json[index]) ? items : json;
    }
    if (!isObject(json)) return json;
    const members = Object.entries(json).map(([name, item]) => [name, part(item, within(at, name))] as const);
    return members.some(([name, item]) => item !== json[name]) ? Object.fromEntries(members) : json;
  };
}

function underOneName(json: JsonObject, name: string, row: Row, at: At): JsonObject {
  const there = row.names.filter((each) => memberAt(json, each) !== undefined);
  const [only] = there;
  if (only === undefined || (only === name && there.length === 1)) return json;
  const others = there.reduce(withoutMember, json);
  if (row.unless !== undefined && isText(json[row.unless]) && !there.includes(name)) return others;
  const winner = there.find((each) => COUNTS[row.counts](memberAt(json, each))) ?? only;
  if (winner !== name) at.moved.set(`${at.pointer}/${pointerOf(name)}`, `${at.source}/${pointerOf(winner)}`);
  const value = memberAt(json, winner) ?? null;
  return name.includes('.') ? withMember(others, name, value) : inItsPlace(json, others, name, winner, value);
}

const COUNTS: { readonly [C in Row['counts']]: (value: Json | undefined) => boolean } = {
  there: (value) => value !== undefined,
  given: (value) => value !== undefined && value !== null,
  text: isText,
  readable: (value) => stringOf(value) !== undefined,
};

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function pointerOf(name: string): string {
  return name.replace('.', '/');
}

/** A member, or a member of a member: `routes.true`. */
function memberAt(json: JsonObject, name: string): Json | undefined {
  const [outer = '', inner] = name.split('.');
  return inner === undefined ? member(json, outer) : member(objectOf(member(json, outer)), inner);
}

function withoutMember(json: JsonObject, name: string): JsonObject {
  const [outer = '', inner] = name.split('.');
  if (inner !== undefined) return { ...json, [outer]: withoutMember(objectOf(member(json, outer)), inner) };
  const { [outer]: _, ...others } = json;
  return others;
}

function withMember(json: JsonObject, name: string, value: Json): JsonObject {
  const [outer = '', inner = ''] = name.split('.');
  return { ...json, [outer]: { ...objectOf(member(json, outer)), [inner]: value } };
}

/** The other members with this one where the winner stood, because findings come in the order of members. */
function inItsPlace(json: JsonObject, others: JsonObject, name: string, winner: string, value: Json): JsonObject {
  const [place = ''] = winner.split('.');
  const members = Object.keys(json).flatMap((each): [string, Json][] => {
    const kept: [string, Json][] = Object.hasOwn(others, each) ? [[each, others[each] ?? null]] : [];
    return each === place ? [[name, value], ...kept] : kept;
  });
  return Object.fromEntries(members);
}
