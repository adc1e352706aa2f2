import type {
  column as columnSchema,
  entry as entrySchema,
  group as groupSchema,
  table as tableSchema,
  WrittenValues,
} from '../../../contract/resources/game-values.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { VALUE_SYNONYMS } from '../../../contract/resources/synonyms.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { firstText, isReserved, listOf, objectFrom, objectOf, objectsIn, stringOf } from '../../../kernel/json-read.ts';
import { member } from '../../../kernel/path.ts';
import type { CollectionModel, GameValuesModel } from '../../model.ts';

/**
 * Game values: groups of named entries and tables of rows. They come from `constants` and `tables` of collections, then from the
 * game-values document; the first with an id wins. All forms that authors use are converted to one.
 */

interface Group {
  readonly id: string;
  readonly entries: JsonObject;
  readonly answer: JsonObject;
}

interface Table {
  readonly id: string;
  readonly rows: readonly JsonObject[];
  readonly answer: JsonObject;
}

/** What one collection, or the document, contributes. `owner`: the id of the collection. */
interface Part {
  readonly owner: string | null;
  readonly isPrivate: boolean;
  readonly groups: readonly Group[];
  readonly tables: readonly Table[];
}

/** When the values were last changed, and a hash of their sources; both `null` if nothing defines values. */
export interface ValuesStamp {
  readonly version: string | null;
  /** ISO text. */
  readonly updatedAt: string | null;
}

export function gameValues(collections: readonly CollectionModel[], document: Json | undefined, stamp: ValuesStamp): GameValuesModel {
  const parts = collections.map(collectionPart);
  const all = [...parts, documentPart(document)];
  const shared = [...parts.filter((part) => !part.isPrivate), withoutHidden(documentPart(document), parts, collections)];
  return { values: templateValues(all), full: answer(all, stamp), shared: answer(shared, stamp) };
}

/** Whether a collection defines any values. */
export function definesValues(collection: Pick<CollectionModel, 'definition'>): boolean {
  const { definition } = collection;
  return definition.constants !== undefined || definition.tables !== undefined;
}

/** A group or table by its id, as its author sees it: its name, and its entries or rows. `null`: this definition has none. */
export function writtenValue(kind: 'collection' | 'game-values', definition: Json, id: string): JsonObject | null {
  const part = kind === 'collection' ? collectionPart({ id: '', definition: objectOf(definition) }) : documentPart(definition);
  const group = part.groups.find((each) => each.id === id);
  if (group !== undefined) return { ...named(group.answer), entries: group.entries };
  const table = part.tables.find((each) => each.id === id);
  if (table === undefined) return null;
  const columns = listOf(member(table.answer, 'columns'));
  return { ...named(table.answer), ...(columns.length === 0 ? {} : { columns }), rows: table.rows };
}

function named({ name, description }: JsonObject): JsonObject {
  return { ...(name === undefined ? {} : { name }), ...(description === undefined || description === '' ? {} : { description }) };
}

function collectionPart({ id, definition }: Pick<CollectionModel, 'id' | 'definition'>): Part {
  const isPrivate = stringOf(definition.visibility)?.toLowerCase() !== 'public';
  return {
    owner: id,
    isPrivate,
    groups: groupsOf(definition.constants, id),
    tables: tablesOf(definition.tables, id),
  };
}

function documentPart(document: Json | undefined): Part {
  const whole: WrittenValues = objectOf(document);
  const items = isArray(document) ? document : whole.items;
  if (!isArray(items)) {
    return { owner: null, isPrivate: false, groups: groupsOf(whole.groups, null), tables: tablesOf(whole.tables, null) };
  }
  const named = objectsIn(items).filter((item) => firstText(item, 'id') !== undefined);
  const [tables, groups] = [named.filter(isTable), named.filter((item) => !isTable(item))];
  return { owner: null, isPrivate: false, groups: groupsOf(groups, null), tables: tablesOf(tables, null) };
}

function isTable({ type }: Written<typeof tableSchema>): boolean {
  return stringOf(type)?.toLowerCase() === 'table';
}

/** Leaves out what the document repeats of a private collection: items with its ids, or items that name the collection. */
function withoutHidden(part: Part, parts: readonly Part[], collections: readonly CollectionModel[]): Part {
  const hidden = parts.filter((other) => other.isPrivate);
  const ids = new Set(hidden.flatMap((other) => [...other.groups, ...other.tables].map((item) => item.id)));
  const owners = new Set<string>();
  for (const collection of collections) {
    if (!hidden.some((other) => other.owner === collection.id)) continue;
    owners.add(collection.id.toLowerCase()).add(collection.name.toLowerCase());
  }
  const isShown = (item: Group | Table) => {
    const owner = firstText(item.answer, '_collection', 'collectionId');
    return !ids.has(item.id) && (owner === undefined || !owners.has(owner.toLowerCase()));
  };
  return { ...part, groups: part.groups.filter(isShown), tables: part.tables.filter(isShown) };
}

/** One map for templates: groups and tables by id. */
function templateValues(parts: readonly Part[]): JsonObject {
  return objectFrom(
    parts.flatMap((part) => [
      ...part.groups.map((group): [string, Json] => [group.id, group.entries]),
      ...part.tables.map((table): [string, Json] => [table.id, table.rows]),
    ]),
  );
}

function answer(parts: readonly Part[], stamp: ValuesStamp): JsonObject {
  const groups = parts.flatMap((part) => part.groups);
  return {
    version: stamp.version,
    updatedAt: stamp.updatedAt,
    groups: objectFrom(groups.map((group) => [group.id, withoutOwnerId(group.answer)])),
    tables: objectFrom(parts.flatMap((part) => part.tables.map((table): [string, Json] => [table.id, table.answer]))),
    // Clients read `constants`: the entries of the groups.
    constants: objectFrom(groups.map((group) => [group.id, group.entries])),
  };
}

function withoutOwnerId({ collectionId: _, ...group }: JsonObject): JsonObject {
  return group;
}

/** Groups from a list of `{id|group|name, entries|values}`, or a map of group id → entries. */
function groupsOf(raw: Json | undefined, owner: string | null): Group[] {
  const found = byId(raw, VALUE_SYNONYMS.group.id.names, (value) => (isWrapped(value) ? value : { entries: value }));
  return found.map(([id, item]) => group(id, item, owner));
}

/**
 * Items with their ids. In a list, the first of `idNames` that an item has is its id. In a map, the names are the ids, and `itemOf` makes
 * the items.
 */
function byId(
  raw: Json | undefined,
  idNames: readonly string[],
  itemOf: (value: Json) => JsonObject,
): (readonly [id: string, item: JsonObject])[] {
  const found = isArray(raw)
    ? objectsIn(raw).map((item) => [firstText(item, ...idNames), item] as const)
    : Object.entries(objectOf(raw)).map(([id, value]) => [id, itemOf(value)] as const);
  return found.flatMap(([id, item]) => (id === undefined || isReserved(id) ? [] : [[id, item] as const]));
}

const GROUP_MEMBERS = new Set(['id', 'name', 'description', 'type', 'entries', 'values', 'notes']);

/** Whether a map's value is a whole group, not the entries themselves. */
function isWrapped(value: Json): value is JsonObject {
  if (!isObject(value) || !Object.keys(value).every((name) => GROUP_MEMBERS.has(name))) return false;
  const { entries, values }: Written<typeof groupSchema> = value;
  return isObject(entries) || isObject(values);
}

function group(id: string, item: Written<typeof groupSchema>, owner: string | null): Group {
  const entries = entriesOf(writtenEntries(item));
  const answered = {
    name: firstText(item, 'name') ?? id,
    description: firstText(item, 'description') ?? '',
    values: entries,
    ...ownerOf(item, owner),
  };
  return { id, entries, answer: answered };
}

/** Entries as written, under either of their names. */
export function writtenEntries({ entries, values }: Written<typeof groupSchema>): Json | undefined {
  return entries ?? values;
}

/** Entries from a map of name → value, or a list of `{key, value}`. */
function entriesOf(raw: Json | undefined): JsonObject {
  if (!isArray(raw)) return objectFrom(Object.entries(objectOf(raw)));
  return objectFrom(
    objectsIn(raw).flatMap((entry): [string, Json][] => {
      const { value }: Written<typeof entrySchema> = entry;
      const name = firstText(entry, ...VALUE_SYNONYMS.entry.key.names);
      return name === undefined ? [] : [[name, value ?? null]];
    }),
  );
}

/** Tables from a list of `{id|table|name, columns, rows}`, a map of table id → table, or a map of table id → rows. */
function tablesOf(raw: Json | undefined, owner: string | null): Table[] {
  const found = byId(raw, VALUE_SYNONYMS.table.id.names, (value) => (isArray(value) ? { rows: value } : objectOf(value)));
  return found.map(([id, item]) => table(id, item, owner));
}

function table(id: string, item: Written<typeof tableSchema>, owner: string | null): Table {
  const names = columnNames(item.columns);
  const rows = listOf(item.rows).flatMap((row) => (isArray(row) ? [rowOf(row, names)] : isObject(row) ? [row] : []));
  const columns = columnsOf(item.columns, rows);
  const answered = { ...item, id, type: 'table', name: firstText(item, 'name') ?? id, columns, rows, ...ownerOf(item, owner) };
  return { id, rows, answer: answered };
}

/** A row written as a list follows the columns; cells without a column are left out. */
function rowOf(cells: readonly Json[], names: readonly string[]): JsonObject {
  return objectFrom(names.slice(0, cells.length).map((name, i) => [name, cells[i] ?? null]));
}

function columnNames(raw: Json | undefined): string[] {
  if (!isArray(raw)) return Object.keys(objectOf(raw));
  return raw.map((column) => (isObject(column) ? firstText(column, ...VALUE_SYNONYMS.column.key.names) : stringOf(column)) ?? '');
}

function columnsOf(raw: Json | undefined, rows: readonly JsonObject[]): JsonObject[] {
  const given = isArray(raw) ? raw : Object.values(objectOf(raw)).map((type): Json => ({ type }));
  const written = given.map((one): Written<typeof columnSchema> => objectOf(one));
  const types = written.every((column) => firstText(column, 'type') !== undefined) ? NO_TYPES : typesIn(rows);
  return columnNames(raw).flatMap((key, i) => {
    if (key === '' || isReserved(key)) return [];
    const column = written[i] ?? {};
    return [{ ...column, key, type: firstText(column, 'type') ?? types.get(key) ?? 'string' }];
  });
}

const NO_TYPES: ReadonlyMap<string, string> = new Map();

/** The types of columns that are given by name only: the type that all cells share, else text. Read in one pass: both may be many. */
function typesIn(rows: readonly JsonObject[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const row of rows) {
    for (const [key, cell] of Object.entries(row)) {
      if (cell === null) continue;
      const type = isNumber(cell) ? 'number' : typeof cell === 'boolean' ? 'boolean' : 'string';
      types.set(key, (types.get(key) ?? type) === type ? type : 'string');
    }
  }
  return types;
}

function ownerOf(item: JsonObject, owner: string | null): JsonObject {
  if (owner !== null) return { _collection: owner };
  const [marked, collectionId] = [firstText(item, '_collection'), firstText(item, 'collectionId')];
  return { ...(marked === undefined ? {} : { _collection: marked }), ...(collectionId === undefined ? {} : { collectionId }) };
}
