import { exactDigits, exactJson, withExactNumbers } from './exact.ts';
import { listOf, type Members, objectOf, valueText } from './value.ts';

/** A group or table of game values as a sheet of cells. */

export type CellType = 'string' | 'number' | 'boolean' | 'any';

export interface Column {
  readonly key: string;
  readonly type: CellType;
  readonly min?: unknown;
  readonly max?: unknown;
  /** Whether the table names it: rows may hold more than it does. */
  readonly isDeclared: boolean;
}

export interface Row {
  /** Its place in what was read; rows that were added here have numbers of their own. */
  readonly id: number;
  readonly cells: Cells;
}

export type Cells = Readonly<Record<string, unknown>>;

export interface Sheet {
  readonly id: string;
  readonly kind: 'group' | 'table';
  readonly name: string;
  readonly description: string;
  /** The collection that holds it; `null`: the document of game values. */
  readonly collection: string | null;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** What `GET /v3/values` answers. */
export interface ServedValues {
  readonly groups: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The columns of a group. */
export const ENTRY = { name: 'name', value: 'value' } as const;
const ENTRY_COLUMNS: readonly Column[] = [
  { key: ENTRY.name, type: 'string', isDeclared: true },
  { key: ENTRY.value, type: 'any', isDeclared: true },
];

/** A group or table by its id; `null`: there is no such one. */
export function sheetOf(id: string, { groups, tables }: ServedValues): Sheet | null {
  const [table, group] = [ownOf(tables, id), ownOf(groups, id)];
  if (table !== undefined) return tableSheet(id, table);
  return group === undefined ? null : groupSheet(id, group);
}

function ownOf<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function about(id: string, { name, description, _collection: collection }: Members) {
  return {
    id,
    name: typeof name === 'string' ? name : id,
    description: typeof description === 'string' ? description : '',
    collection: typeof collection === 'string' ? collection : null,
  };
}

function groupSheet(id: string, item: Members): Sheet {
  const entries = Object.entries(objectOf(item['values']));
  const rows = entries.map(([name, value], place) => ({ id: place, cells: { [ENTRY.name]: name, [ENTRY.value]: value } }));
  return { ...about(id, item), kind: 'group', columns: ENTRY_COLUMNS, rows };
}

function tableSheet(id: string, item: Members): Sheet {
  const rows = listOf(item['rows']).map((cells, place) => ({ id: place, cells: objectOf(cells) }));
  const declared = listOf(item['columns']).map((column) => columnOf(objectOf(column)));
  const known = new Set(declared.map(({ key }) => key));
  for (const { cells } of rows) for (const key in cells) known.add(key);
  const others = [...known].slice(declared.length).map((key): Column => ({ key, type: 'any', isDeclared: false }));
  return { ...about(id, item), kind: 'table', columns: [...declared, ...others], rows };
}

function columnOf({ key, type, min, max }: Members): Column {
  const is = type === 'string' || type === 'number' || type === 'boolean' ? type : 'any';
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return { key: String(key), type: is, ...bounds, isDeclared: true };
}

/** What stands in a cell; `undefined`: nothing. */
export function cellOf({ cells }: Row, { key }: Column): unknown {
  return Object.hasOwn(cells, key) ? cells[key] : undefined;
}

/** A cell as text: what an editor begins with, and what is copied. */
export function cellText(value: unknown): string {
  return value === undefined || value === null ? '' : valueText(value);
}

const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The value that typed text means in a column. Text that does not fit stays text: `problemOf` says why. */
export function typedCell(text: string, column: Column, before?: unknown): unknown {
  const trimmed = text.trim();
  if (column.type === 'string') return text;
  if (trimmed === '') return undefined;
  if (column.type === 'boolean') return /^(?:true|false)$/i.test(trimmed) ? trimmed.toLowerCase() === 'true' : text;
  if (column.type === 'number') return NUMBER.test(trimmed) ? numberOf(trimmed) : text;
  return typedAny(text, trimmed, before);
}

/** Where any value may stand, text stays text, and else a number, a word of JSON or JSON is meant. */
function typedAny(text: string, trimmed: string, before: unknown): unknown {
  if (typeof before === 'string' && exactDigits(before) === null) return text;
  if (NUMBER.test(trimmed)) return numberOf(trimmed);
  if (!/^(?:true|false|null|[[{"].*)$/s.test(trimmed)) return text;
  try {
    return JSON.parse(withExactNumbers(trimmed)) as unknown;
  } catch {
    return text;
  }
}

function numberOf(text: string): unknown {
  return JSON.parse(withExactNumbers(text.replace(/^\+/, ''))) as unknown;
}

/** Why a value cannot stand in a cell, by the rules of the server; `null`: it can. */
export function problemOf(value: unknown, column: Column): string | null {
  if (value === undefined || value === null || column.type === 'any') return null;
  if (column.type === 'boolean') return typeof value === 'boolean' ? null : 'This column holds true or false.';
  if (column.type === 'string') return typeof value === 'string' && exactDigits(value) === null ? null : 'This column holds text.';
  if (typeof value !== 'number' && exactDigits(value) === null)
    return 'This column holds numbers: digits, a point, no separators, such as 1200.5.';
  return rangeProblem(Number(valueText(value)), column);
}

function rangeProblem(value: number, { min, max }: Column): string | null {
  if (min !== undefined && value < Number(valueText(min))) return `At least ${valueText(min)}.`;
  if (max !== undefined && value > Number(valueText(max))) return `At most ${valueText(max)}.`;
  return null;
}

/** Whether a group has two entries of this name. */
export function twiceIn({ kind, rows }: Sheet): (name: string) => boolean {
  const counts = new Map<unknown, number>();
  if (kind === 'group') for (const { cells } of rows) counts.set(cells[ENTRY.name], (counts.get(cells[ENTRY.name]) ?? 0) + 1);
  return (name) => (counts.get(name) ?? 0) > 1;
}

/** Why a row's cell cannot be saved: a group's entries have names of their own, besides. */
export function cellProblem({ kind }: Sheet, row: Row, column: Column, isTwice: (name: string) => boolean): string | null {
  const value = cellOf(row, column);
  if (kind !== 'group') return problemOf(value, column);
  if (column.key === ENTRY.value) return value === undefined ? 'An entry has a value.' : null;
  if (typeof value !== 'string' || value.trim() === '') return 'An entry has a name.';
  return isTwice(value) ? 'There is an entry of this name.' : null;
}

/** Whether two values are the same, however they are held. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || ((one ?? null) !== null && (other ?? null) !== null && sorted(one) === sorted(other));
}

function sorted(value: unknown): string {
  return exactJson(canonical(value));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}

/** The sheet with other cells. What is `undefined` is taken out. */
export function withCells(sheet: Sheet, cells: readonly CellEdit[]): Sheet {
  const byRow = new Map<number, Map<string, unknown>>();
  for (const { row, column, value } of cells) byRow.set(row, (byRow.get(row) ?? new Map()).set(column, value));
  const rows = sheet.rows.map((row) => {
    const edited = byRow.get(row.id);
    return edited === undefined ? row : { ...row, cells: withEdited(row.cells, edited) };
  });
  return { ...sheet, rows };
}

export interface CellEdit {
  /** Id of the row. */
  readonly row: number;
  readonly column: string;
  readonly value: unknown;
}

function withEdited(cells: Cells, edited: ReadonlyMap<string, unknown>): Cells {
  return Object.fromEntries(Object.entries({ ...cells, ...Object.fromEntries(edited) }).filter(([, value]) => value !== undefined));
}

/** Stands for the place before the first row. */
export const FIRST = -1;

/** The sheet with rows put in behind others, by the ids of these. */
export function withRowsBehind(sheet: Sheet, added: ReadonlyMap<number, readonly Cells[]>): Sheet {
  let next = nextId(sheet);
  const rowsBehind = (id: number) => (added.get(id) ?? []).map((cells): Row => ({ id: next++, cells }));
  return { ...sheet, rows: [...rowsBehind(FIRST), ...sheet.rows.flatMap((row) => [row, ...rowsBehind(row.id)])] };
}

/** Ids of rows that are added here begin here, beyond any place in what was read. */
const ADDED = 1_000_000_000;

export function isAdded({ id }: Row): boolean {
  return id >= ADDED;
}

function nextId({ rows }: Sheet): number {
  return rows.reduce((most, { id }) => Math.max(most, id + 1), ADDED);
}

export function withoutRows(sheet: Sheet, ids: ReadonlySet<number>): Sheet {
  return { ...sheet, rows: sheet.rows.filter(({ id }) => !ids.has(id)) };
}

export function withColumn(sheet: Sheet, column: Column): Sheet {
  return { ...sheet, columns: [...sheet.columns.filter(({ key }) => key !== column.key), column] };
}

export function withoutColumn(sheet: Sheet, key: string): Sheet {
  const without = ({ [key]: _, ...cells }: Cells) => cells;
  return {
    ...sheet,
    columns: sheet.columns.filter((column) => column.key !== key),
    rows: sheet.rows.map((row) => (Object.hasOwn(row.cells, key) ? { ...row, cells: without(row.cells) } : row)),
  };
}

const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

/** Why a column cannot be added under this name; `null`: it can. */
export function columnNameProblem(sheet: Sheet, key: string): string | null {
  if (!COLUMN_NAME.test(key) || key === '__proto__') return 'A name of letters, digits, _ or -, which begins with a letter.';
  return sheet.columns.some((column) => column.key === key) ? 'There is a column of this name.' : null;
}

/** What an address may name in a sheet: a row by one of its texts, a column, or a cell by what its row is called and its column. */
export interface NamedPlace {
  readonly row?: string | undefined;
  readonly column?: string | undefined;
}

interface PlaceInSheet {
  readonly row: number;
  readonly column: number;
}

/** Where that is: the cell, the cell of a row that calls it so, or the first of a column. `null`: nothing is named, or it is not there. */
export function placeNamed(sheet: Sheet, { row, column }: NamedPlace): PlaceInSheet | null {
  const { rows, columns } = sheet;
  const placeOf = (key: string) => columns.findIndex((each) => each.key === key);
  if (column !== undefined) {
    const place = { row: row === undefined ? 0 : rows.findIndex((each, at) => rowName(sheet, each, at) === row), column: placeOf(column) };
    return place.row < 0 || place.column < 0 ? null : place;
  }
  if (row === undefined) return null;
  for (const name of [...NAMES, ...columns.map(({ key }) => key)]) {
    const place = rows.findIndex(({ cells }) => cells[name] === row);
    if (place >= 0) return { row: place, column: Math.max(0, placeOf(name)) };
  }
  // What has no name is called by its place.
  const place = rows.findIndex((each, at) => rowName(sheet, each, at) === row);
  return place < 0 ? null : { row: place, column: 0 };
}

/** The next cell that holds a text, after the active one, and from the beginning again. */
export function nextHolding(sheet: Sheet, text: string, after: PlaceInSheet): PlaceInSheet | null {
  const wanted = text.trim().toLowerCase();
  const width = sheet.columns.length;
  const count = sheet.rows.length * width;
  if (wanted === '') return null;
  for (let step = 1; step <= count; step += 1) {
    const place = (after.row * width + after.column + step) % count;
    const [row, column] = [sheet.rows[Math.floor(place / width)], sheet.columns[place % width]];
    if (row === undefined || column === undefined) continue;
    if (cellText(cellOf(row, column)).toLowerCase().includes(wanted)) return { row: Math.floor(place / width), column: place % width };
  }
  return null;
}

const NAMES = ['name', 'title', 'label', 'id', 'key', 'slug'];

/** What a row is called, as the history of values calls it: by its name, its first text, or its place from 1 on. */
export function rowName(sheet: Pick<Sheet, 'kind'>, row: Row, place: number): string {
  return givenName(sheet, row) ?? `#${place + 1}`;
}

/** `null`: nothing in the row names it. */
export function givenName({ kind }: Pick<Sheet, 'kind'>, { cells }: Row): string | null {
  if (kind === 'group') return String(cells[ENTRY.name] ?? '');
  const texts = [...NAMES.map((name) => (Object.hasOwn(cells, name) ? cells[name] : undefined)), ...Object.values(cells)];
  const found = texts.find((text) => typeof text === 'string' && text.trim() !== '' && exactDigits(text) === null);
  return typeof found === 'string' ? shortened(found) : null;
}

/** The column that mostly says what a row is called; −1: none does. */
export function namingColumn({ kind, columns }: Pick<Sheet, 'kind' | 'columns'>): number {
  const place = (of: string) => columns.findIndex(({ key }) => key === of);
  if (kind === 'group') return place(ENTRY.name);
  const named = NAMES.map(place).find((found) => found >= 0);
  return named ?? columns.findIndex(({ type }) => type === 'string');
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

/** The label of a cell in the history of its group or table. */
export function cellLabel(sheet: Sheet, row: Row, column: Column, place: number): string {
  const name = rowName(sheet, row, place);
  return sheet.kind === 'group' ? shortened(name) : `${name} › ${shortened(column.key)}`;
}

/** A group or table in a list. */
export interface Listed {
  readonly id: string;
  readonly kind: Sheet['kind'];
  readonly name: string;
  readonly collection: string | null;
  /** Entries or rows. */
  readonly size: number;
  /** Whether the other target has it otherwise. */
  readonly isDifferent: boolean;
}

/** All groups and tables, by name; `other`: what the other target serves. */
export function listedValues(served: ServedValues, other: ServedValues | null): readonly Listed[] {
  const groups = Object.entries(served.groups).map(([id, item]): Listed => {
    const size = Object.keys(objectOf(item['values'])).length;
    return { ...listedAs(id, item), kind: 'group', size, isDifferent: differs(other?.groups, id, item) };
  });
  const tables = Object.entries(served.tables).map(([id, item]): Listed => {
    return { ...listedAs(id, item), kind: 'table', size: listOf(item['rows']).length, isDifferent: differs(other?.tables, id, item) };
  });
  return [...groups, ...tables].sort((one, next) => one.name.localeCompare(next.name));
}

function listedAs(id: string, item: Members) {
  const { name, collection } = about(id, item);
  return { id, name, collection };
}

function differs(others: ServedValues['groups'] | undefined, id: string, item: Members): boolean {
  return others !== undefined && JSON.stringify(ownOf(others, id)) !== JSON.stringify(item);
}
