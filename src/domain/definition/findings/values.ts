import { column, columnType, entry, group, table, type WrittenValues } from '../../../contract/resources/game-values.ts';
import { namesIn, type Written } from '../../../contract/resources/member.ts';
import { VALUE_SYNONYMS } from '../../../contract/resources/synonyms.ts';
import { compareNumbers, isArray, isNumber, isObject, type Json } from '../../../kernel/json.ts';
import { firstText, isReserved, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { unknownBeside, unknownMembers } from '../../../language/validate/members.ts';
import type { Findings } from '../../finding.ts';
import { writtenEntries } from '../model/values.ts';

/** Findings for game values: the project's document, and `constants` and `tables` of collections. */

/** Ids that templates can name. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const COLUMN_TYPES: readonly string[] = columnType.options;
const UNKNOWN = 'UNKNOWN_GAME_VALUE_MEMBER';
/** Names of groups, tables, entries and columns: those of the contract, others that name the same, and those for people. */
const FOR_PEOPLE = ['name', 'label', 'title', 'description', 'notes'];
const GROUP_NAMES = [...namesIn(group), ...VALUE_SYNONYMS.group.id.names, 'collectionId', ...FOR_PEOPLE];
const TABLE_NAMES = [...namesIn(table), ...VALUE_SYNONYMS.table.id.names, 'collectionId', ...FOR_PEOPLE];
const ENTRY_NAMES = [...namesIn(entry), ...VALUE_SYNONYMS.entry.key.names, ...FOR_PEOPLE];
const COLUMN_NAMES = [...namesIn(column), ...VALUE_SYNONYMS.column.key.names, ...FOR_PEOPLE];
/** Most findings for the rows of one table. Nobody reads more. */
const MAX_ROW_FINDINGS = 20;

/** `isTaken`: whether a collection defines a group or table with this id, which takes precedence. */
export function gameValuesFindings(document: Json, isTaken: (id: string) => boolean, findings: Findings): void {
  const { items: listed, groups, tables }: WrittenValues = objectOf(document);
  const items = isArray(document) ? document : listed;
  unknownBeside(document, items === undefined ? ['items', 'groups', 'tables'] : ['items'], findings);
  if (items === undefined && (groups !== undefined || tables !== undefined)) {
    findings.add('LEGACY_GAME_VALUES', '', `This is an older form of game values.`, `Send {items: [...]}.`);
    constantsFindings(groups ?? [], '/groups', findings);
    tablesFindings(tables ?? [], '/tables', findings);
    return;
  }
  if (items !== undefined && !isArray(items)) {
    findings.add('INVALID_GAME_VALUES', '/items', `'items' must be a list.`);
    return;
  }
  if (items === undefined || items.length === 0) {
    findings.add('EMPTY_GAME_VALUES', '', 'These game values hold nothing.');
    return;
  }
  const root = isArray(document) ? '' : '/items';
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (findings.isFull) return;
    itemFindings(item, `${root}/${index}`, ids, isTaken, findings);
  }
}

function itemFindings(written: Json, pointer: string, ids: Set<string>, isTaken: (id: string) => boolean, findings: Findings): void {
  if (!findings.expectObject(written, 'INVALID_GAME_VALUES', pointer, 'A group or table must be an object.')) return;
  const item: Written<typeof group> & Written<typeof table> = written;
  const id = idFinding(stringOf(item.id), `${pointer}/id`, ids, findings);
  if (id !== undefined && isTaken(id)) findings.add('GAME_VALUE_IGNORED', pointer, `A collection defines '${id}', so this is ignored.`);
  const type = stringOf(item.type)?.toLowerCase();
  if (type !== 'group' && type !== 'table') findings.add('INVALID_GAME_VALUE_TYPE', `${pointer}/type`, `'type' must be group or table.`);
  if (type === 'table') tableFindings(item, pointer, findings);
  else groupFindings(item, pointer, findings);
}

function groupFindings(item: Written<typeof group>, pointer: string, findings: Findings): void {
  unknownMembers(item, GROUP_NAMES, UNKNOWN, pointer, findings);
  entriesFindings(writtenEntries(item), `${pointer}/entries`, findings);
}

/** `constants` of a collection, in a list or by id. */
export function constantsFindings(constants: Json, pointer: string, findings: Findings): void {
  for (const { at, item } of named(constants, pointer, VALUE_SYNONYMS.group.id.names, findings)) {
    const inner = isObject(item) ? writtenEntries(item) : undefined;
    // By id, the entries may stand directly in the map.
    if (inner !== undefined || isArray(constants)) groupFindings(objectOf(item), at, findings);
    else entriesFindings(item, at, findings);
  }
}

/** `tables` of a collection, in a list or by id. By id, the rows may stand directly in the map. */
export function tablesFindings(tables: Json, pointer: string, findings: Findings): void {
  for (const { at, item } of named(tables, pointer, VALUE_SYNONYMS.table.id.names, findings)) {
    if (isObject(item)) tableFindings(item, at, findings);
    else if (!isArray(item) || isArray(tables)) findings.add('INVALID_GAME_VALUES', at, 'A table must be an object.');
  }
}

/** The items of a list or a map, with their paths. */
function named(raw: Json, pointer: string, idNames: readonly string[], findings: Findings): { readonly at: string; readonly item: Json }[] {
  const ids = new Set<string>();
  if (!isArray(raw) && !isObject(raw)) {
    findings.add('INVALID_GAME_VALUES', pointer, 'This must be a list, or a map by id.');
    return [];
  }
  return Object.entries(raw).map(([name, item]) => {
    const at = `${pointer}/${name}`;
    idFinding(isArray(raw) ? firstText(objectOf(item), ...idNames) : name, at, ids, findings);
    return { at, item };
  });
}

function idFinding(id: string | undefined, pointer: string, ids: Set<string>, findings: Findings): string | undefined {
  if (id === undefined || !ID.test(id) || isReserved(id)) {
    findings.add('INVALID_GAME_VALUE_ID', pointer, 'An id is 1 to 128 letters, digits, _ or -.');
    return undefined;
  }
  if (ids.has(id)) findings.add('DUPLICATE_GAME_VALUE_ID', pointer, `'${id}' is there already; the first one counts.`);
  ids.add(id);
  return id;
}

function entriesFindings(raw: Json | undefined, pointer: string, findings: Findings): void {
  const entries = raw ?? null;
  if (isObject(entries)) return;
  if (!isArray(entries)) {
    findings.add('INVALID_GROUP_ENTRIES', pointer, `'entries' must be a map of name to value.`);
    return;
  }
  for (const [index, entry] of entries.entries()) {
    unknownMembers(objectOf(entry), ENTRY_NAMES, UNKNOWN, `${pointer}/${index}`, findings);
    if (firstText(objectOf(entry), ...VALUE_SYNONYMS.entry.key.names) !== undefined && Object.hasOwn(objectOf(entry), 'value')) continue;
    findings.add('GROUP_ENTRY_SHAPE', `${pointer}/${index}`, `An entry of a list needs a 'key' and a 'value'.`);
  }
}

function tableFindings(written: Written<typeof table>, pointer: string, findings: Findings): void {
  unknownMembers(written, TABLE_NAMES, UNKNOWN, pointer, findings);
  const columns = columnsIn(written.columns, `${pointer}/columns`, findings);
  const rows = written.rows ?? null;
  if (!isArray(rows)) {
    findings.add('INVALID_TABLE_ROWS', `${pointer}/rows`, `'rows' must be a list.`);
    return;
  }
  const before = findings.all.length;
  for (const [index, row] of rows.entries()) {
    if (findings.all.length - before >= MAX_ROW_FINDINGS) return;
    rowFindings(row, columns, `${pointer}/rows/${index}`, findings);
  }
}

/** What the cells of a column may be. */
interface Cells {
  /** `undefined`: the rows decide. */
  readonly type: string | undefined;
  readonly min?: Json | undefined;
  readonly max?: Json | undefined;
}

/** By column key. `null`: no columns to check rows against. */
type Columns = ReadonlyMap<string, Cells> | null;

function columnsIn(raw: Json | undefined, pointer: string, findings: Findings): Columns {
  const columns = raw ?? null;
  if (isObject(columns)) return new Map(Object.entries(columns).map(([key, type]) => [key, { type: stringOf(type) }]));
  if (!isArray(columns)) {
    findings.add('INVALID_TABLE_COLUMNS', pointer, `'columns' must be a list.`);
    return null;
  }
  const found = new Map<string, Cells>();
  for (const [index, each] of columns.entries()) {
    const { type: named, min, max }: Written<typeof column> = objectOf(each);
    unknownMembers(objectOf(each), COLUMN_NAMES, UNKNOWN, `${pointer}/${index}`, findings);
    const key = isObject(each) ? firstText(each, ...VALUE_SYNONYMS.column.key.names) : stringOf(each);
    const type = stringOf(named);
    const isKnown = type === undefined || COLUMN_TYPES.includes(type);
    if (key === undefined || isReserved(key) || found.has(key) || !isKnown) {
      findings.add(
        'INVALID_TABLE_COLUMN',
        `${pointer}/${index}`,
        `A column needs a key of its own and the type ${COLUMN_TYPES.join(', ')}.`,
      );
    }
    if (key !== undefined) found.set(key, { type, min, max });
  }
  return found;
}

function rowFindings(row: Json, columns: Columns, pointer: string, findings: Findings): void {
  if (!isObject(row) && !isArray(row)) {
    findings.add('INVALID_TABLE_ROW', pointer, 'A row must be an object, or a list in the order of the columns.');
    return;
  }
  if (columns === null) return;
  const keys = [...columns.keys()];
  for (const [name, cell] of Object.entries(row)) {
    const key = isArray(row) ? keys[Number(name)] : name;
    if (key === undefined) findings.add('UNKNOWN_TABLE_CELL', `${pointer}/${name}`, `The table has ${keys.length} columns.`);
    else if (!columns.has(key)) {
      findings.add('UNKNOWN_TABLE_CELL', `${pointer}/${name}`, `The table has no column '${key}'.`, didYouMean(key, keys));
    } else cellFindings(cell, columns.get(key), `${pointer}/${name}`, findings);
  }
}

function cellFindings(cell: Json, { type, min, max }: Cells = { type: undefined }, pointer: string, findings: Findings): void {
  if (!fits(cell, type)) findings.add('TABLE_CELL_TYPE', pointer, `This should be a ${type}.`);
  if (!isNumber(cell)) return;
  if (isNumber(min) && compareNumbers(cell, min) < 0) findings.add('TABLE_CELL_RANGE', pointer, `This should be ${String(min)} at least.`);
  if (isNumber(max) && compareNumbers(cell, max) > 0) findings.add('TABLE_CELL_RANGE', pointer, `This should be ${String(max)} at most.`);
}

function fits(cell: Json, type: string | undefined): boolean {
  if (cell === null || type === undefined) return true;
  if (type === 'number') return isNumber(cell);
  return type === 'string' || type === 'boolean' ? typeof cell === type : true;
}
