import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';

/** Where a field is in words for people: `Shop › sword › price` for `/items/0/rows/2/price`. */

/** Members that hold what is named by itself: groups and tables of game values, their entries and rows. */
const HOLDERS: ReadonlySet<string> = new Set(['items', 'entries', 'rows']);
/** Most characters of one name. */
const MAX_NAME = 60;

export type FieldLabel = readonly string[];

/** The label of a member. A holder adds nothing to what its parts say. */
export function memberLabel(parent: FieldLabel, name: string, value: Json | undefined): FieldLabel {
  const isHolder = HOLDERS.has(name) && (isArray(value) || (name === 'entries' && isObject(value)));
  return isHolder ? parent : [...parent, shortened(name)];
}

/** The label of an item of a list: its name, or its place from 1 on. */
export function itemLabel(parent: FieldLabel, item: Json | undefined, index: number): FieldLabel {
  return [...parent, shortened(nameIn(item) ?? placeName(index))];
}

/** What an item is called that is named beside its place: a text names itself. */
export function itemName(item: Json | undefined, index: number): string {
  return shortened(textIn(item) ?? nameIn(item) ?? placeName(index));
}

function placeName(index: number): string {
  return `#${index + 1}`;
}

/** Members that may name an item, the likeliest first. */
export const NAMES: readonly string[] = ['name', 'title', 'label', 'id', 'key', 'slug'];

/** A name that somebody gave the item, else the first text in it, as of a row. */
export function nameIn(item: Json | undefined): string | undefined {
  if (isArray(item)) return textIn(item[0]);
  if (!isObject(item)) return undefined;
  const given = NAMES.map((name) => textIn(member(item, name)));
  return [...given, ...Object.values(item).map(textIn)].find((text) => text !== undefined);
}

/** A text that says something. */
export function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
