import { cellOf, ENTRY, isAdded, type Row, type Sheet } from './sheet.ts';
import { changesBetween } from './sheet-changes.ts';
import { listOf, objectOf } from './value.ts';

/** Changes of a sheet as changes of the definition that holds it, which stays in the form that its author wrote it in. */

export type Path = readonly (string | number)[];

export type WrittenChange =
  | { readonly does: 'set'; readonly path: Path; readonly value: unknown }
  | { readonly does: 'remove'; readonly path: Path }
  /** The last part of the path is the place in the list that it gets. */
  | { readonly does: 'insert'; readonly path: Path; readonly value: unknown };

/** Where a group or table is written; `null`: it is not in this definition. */
export function placeOfValue(written: unknown, sheet: Pick<Sheet, 'id' | 'kind' | 'collection'>): Path | null {
  const holders = sheet.collection === null ? documentHolders(written, sheet.kind) : [sheet.kind === 'table' ? 'tables' : 'constants'];
  for (const name of holders) {
    const list = name === null ? written : objectOf(written)[name];
    const place = Array.isArray(list) ? placeInList(list, sheet) : Object.hasOwn(objectOf(list), sheet.id) ? sheet.id : null;
    if (place !== null) return name === null ? [place] : [name, place];
  }
  return null;
}

function documentHolders(written: unknown, kind: Sheet['kind']): readonly (string | null)[] {
  if (Array.isArray(written)) return [null];
  return Array.isArray(objectOf(written)['items']) ? ['items'] : [kind === 'table' ? 'tables' : 'groups'];
}

const ID_NAMES = { group: ['id', 'group', 'name', 'key'], table: ['id', 'table', 'name', 'key'] } as const;

function placeInList(list: readonly unknown[], { id, kind }: Pick<Sheet, 'id' | 'kind'>): number | null {
  const place = list.findIndex((item) => firstText(objectOf(item), ID_NAMES[kind]) === id);
  return place < 0 ? null : place;
}

function firstText(item: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = item[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

function valueAt(written: unknown, path: Path): unknown {
  return path.reduce((value: unknown, part) => (Array.isArray(value) ? value[Number(part)] : objectOf(value)[String(part)]), written);
}

/** How a definition is to be changed so that its sheet `before` becomes `after`; `null`: it does not hold the sheet as it was read. */
export function writtenChanges(written: unknown, before: Sheet, after: Sheet): readonly WrittenChange[] | null {
  const place = placeOfValue(written, before);
  if (place === null) return null;
  return before.kind === 'group' ? groupChanges(written, place, before, after) : tableChanges(written, place, before, after);
}

function tableChanges(written: unknown, place: Path, before: Sheet, after: Sheet): readonly WrittenChange[] | null {
  const item = valueAt(written, place);
  const rowsPath = Array.isArray(item) ? place : [...place, 'rows'];
  const rows = listOf(valueAt(written, rowsPath));
  if (rows.length !== before.rows.length) return null;
  const { cells, added, removed, addedColumns, removedColumns } = changesBetween(before, after);
  const columns = declaredKeys(before);
  const keys = [...columns, ...addedColumns.map(({ key }) => key)];
  const form: Form = { rowsPath, columns: keys, isList: rows.length > 0 && rows.every(Array.isArray) };
  const sets = cells
    .filter(({ column }) => !removedColumns.some(({ key }) => key === column.key))
    .map(({ row, column, after: value }) => cellChange(form, Array.isArray(rows[row.id]), row.id, column.key, value));
  const dropped = removedColumns.flatMap(({ key }) => columnRemoval(written, place, form, key, before, rows));
  const named = addedColumns.map(({ key, type }, more) => columnAddition(written, place, columns.length + more, key, type));
  return [...sets, ...dropped, ...named, ...rowRemovals(rowsPath, removed), ...rowAdditions(form, added, after)];
}

interface Form {
  readonly rowsPath: Path;
  readonly columns: readonly string[];
  /** Whether rows are lists in the order of the columns. */
  readonly isList: boolean;
}

function declaredKeys({ columns }: Sheet): readonly string[] {
  return columns.filter(({ isDeclared }) => isDeclared).map(({ key }) => key);
}

function cellChange({ rowsPath, columns }: Form, isList: boolean, row: number, key: string, value: unknown): WrittenChange {
  const path = [...rowsPath, row, isList ? columns.indexOf(key) : key];
  if (value === undefined) return isList ? { does: 'set', path, value: null } : { does: 'remove', path };
  return { does: 'set', path, value };
}

function columnRemoval(written: unknown, place: Path, { rowsPath, columns }: Form, key: string, before: Sheet, rows: readonly unknown[]) {
  const column = columns.indexOf(key);
  const isMap = !Array.isArray(valueAt(written, [...place, 'columns']));
  const cells = before.rows.flatMap((row): WrittenChange[] => {
    const raw = rows[row.id];
    if (Array.isArray(raw)) return column < raw.length ? [{ does: 'remove', path: [...rowsPath, row.id, column] }] : [];
    return Object.hasOwn(objectOf(raw), key) ? [{ does: 'remove', path: [...rowsPath, row.id, key] }] : [];
  });
  const named: WrittenChange[] = column < 0 ? [] : [{ does: 'remove', path: [...place, 'columns', isMap ? key : column] }];
  return [...cells, ...named];
}

function columnAddition(written: unknown, place: Path, at: number, key: string, type: string): WrittenChange {
  const path = [...place, 'columns'];
  return Array.isArray(valueAt(written, path))
    ? { does: 'insert', path: [...path, at], value: { key, type } }
    : { does: 'set', path: [...path, key], value: type };
}

/** From the last to the first, so that each is still where it was read. */
function rowRemovals(path: Path, removed: readonly Row[]): readonly WrittenChange[] {
  const places = removed.map(({ id }) => id).sort((one, other) => other - one);
  return places.map((place) => ({ does: 'remove', path: [...path, place] }));
}

function rowAdditions({ rowsPath, columns, isList }: Form, added: readonly Row[], after: Sheet): readonly WrittenChange[] {
  if (added.length === 0) return [];
  const keys = columns.filter((key) => after.columns.some((column) => column.key === key));
  return after.rows.flatMap((row, place): WrittenChange[] => {
    if (!isAdded(row)) return [];
    const cells = isList ? keys.map((key) => row.cells[key] ?? null) : inOrder(row, after);
    return [{ does: 'insert', path: [...rowsPath, place], value: cells }];
  });
}

function inOrder(row: Row, { columns }: Sheet): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.flatMap((column) => {
      const value = cellOf(row, column);
      return value === undefined ? [] : [[column.key, value]];
    }),
  );
}

function groupChanges(written: unknown, place: Path, before: Sheet, after: Sheet): readonly WrittenChange[] | null {
  const item = objectOf(valueAt(written, place));
  const holder = ['entries', 'values'].find((name) => typeof item[name] === 'object' && item[name] !== null);
  const path = holder === undefined ? place : [...place, holder];
  const entries = valueAt(written, path);
  const { cells, added, removed } = changesBetween(before, after);
  if (!Array.isArray(entries)) return mapChanges(path, objectOf(entries), before, after);
  if (entries.length !== before.rows.length) return null;
  const sets = cells.map(({ row, column, after: value }): WrittenChange => {
    const name = column.key === ENTRY.value ? 'value' : (['key', 'name', 'id'].find((each) => each in objectOf(entries[row.id])) ?? 'key');
    return { does: 'set', path: [...path, row.id, name], value };
  });
  const inserted = after.rows.flatMap((row, at): WrittenChange[] =>
    added.includes(row)
      ? [{ does: 'insert', path: [...path, at], value: { key: row.cells[ENTRY.name], value: row.cells[ENTRY.value] } }]
      : [],
  );
  return [...sets, ...rowRemovals(path, removed), ...inserted];
}

/** Entries of a map: what is renamed is written anew at its end. */
function mapChanges(path: Path, entries: Readonly<Record<string, unknown>>, before: Sheet, after: Sheet): readonly WrittenChange[] | null {
  const names = before.rows.map(({ cells }) => String(cells[ENTRY.name]));
  if (names.some((name) => !Object.hasOwn(entries, name))) return null;
  const kept = new Map(after.rows.map((row) => [String(row.cells[ENTRY.name]), row.cells[ENTRY.value]]));
  const removed = names.filter((name) => !kept.has(name)).map((name): WrittenChange => ({ does: 'remove', path: [...path, name] }));
  const { cells } = changesBetween(before, after);
  const changed = new Set([...cells.map(({ row }) => row.id), ...after.rows.filter((row) => isAdded(row)).map(({ id }) => id)]);
  const sets = after.rows
    .filter(({ id }) => changed.has(id))
    .map((row): WrittenChange => ({ does: 'set', path: [...path, String(row.cells[ENTRY.name])], value: row.cells[ENTRY.value] }));
  return [...removed, ...sets];
}

/** The definition with these changes, one after another. */
export function withChanges(written: unknown, changes: readonly WrittenChange[]): unknown {
  const copied = new Set<object>();
  return changes.reduce((whole, change) => changedAt(whole, change, 0, copied), written);
}

/** Copies what is on the way to the change once: `copied` holds what is new already. */
function changedAt(value: unknown, change: WrittenChange, depth: number, copied: Set<object>): unknown {
  const part = change.path[depth];
  if (part === undefined) return change.does === 'remove' ? undefined : change.value;
  const copy = copyOf(value, copied);
  if (Array.isArray(copy)) changeList(copy, Number(part), change, depth, copied);
  else changeObject(copy, String(part), change, depth, copied);
  return copy;
}

function copyOf(value: unknown, copied: Set<object>): unknown[] | Record<string, unknown> {
  if (Array.isArray(value) && copied.has(value)) return value;
  const copy = Array.isArray(value) ? [...value] : copied.has(Object(value)) ? (value as Record<string, unknown>) : { ...objectOf(value) };
  copied.add(copy);
  return copy;
}

function changeList(list: unknown[], place: number, change: WrittenChange, depth: number, copied: Set<object>): void {
  const isHere = depth === change.path.length - 1;
  if (isHere && change.does === 'remove') list.splice(place, 1);
  else if (isHere && change.does === 'insert') list.splice(place, 0, change.value);
  else list[place] = changedAt(list[place], change, depth + 1, copied);
}

function changeObject(object: Record<string, unknown>, name: string, change: WrittenChange, depth: number, copied: Set<object>): void {
  if (depth === change.path.length - 1 && change.does === 'remove') delete object[name];
  else object[name] = changedAt(object[name], change, depth + 1, copied);
}

/** How a definition of game values is to be changed so that it has a group or table more. */
export function additionOf(written: unknown, item: Readonly<Record<string, unknown>>): WrittenChange {
  const { id, type, ...rest } = item;
  const [holder] = documentHolders(written, type === 'table' ? 'table' : 'group');
  const list = holder === null || holder === undefined ? written : objectOf(written)[holder];
  const path = holder === null || holder === undefined ? [] : [holder];
  if (Array.isArray(list)) return { does: 'insert', path: [...path, list.length], value: item };
  return { does: 'set', path: [...path, String(id)], value: rest };
}
