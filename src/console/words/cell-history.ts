import { pointerName } from './pointer.ts';

/** What changes of a group or table did to one cell. */

interface FieldChange {
  readonly path: string;
  readonly label: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Only the place of a row, or the order of many. */
  readonly moved?: boolean;
}

export interface ChangeOfValue {
  readonly change: string;
  readonly fields: readonly FieldChange[];
  readonly more?: number;
}

export interface CellSaid {
  readonly before: unknown;
  readonly after: unknown;
  /** `whole`: the group or table came or went with it. `hidden`: it may be among fields that are not listed. */
  readonly as: 'cell' | 'whole' | 'hidden';
}

export interface AskedCell {
  /** What the row or entry is called now; `null`: it has no name. */
  readonly name: string | null;
  /** Of a table, whose rows come and go as a whole; `null`: of a group. */
  readonly column: string | null;
  /** Place of the row now; `null`: it is not known, and its name says which it is. */
  readonly place: number | null;
}

/** The changes that touched a cell. `changes`: newest first. Its row is followed back through places and names that it had. */
export function cellHistory<Change extends ChangeOfValue>(
  changes: readonly Change[],
  asked: AskedCell,
): readonly { readonly change: Change; readonly said: CellSaid }[] {
  let cell: AskedCell | null = asked;
  return changes.flatMap((change) => {
    const said = cell === null ? null : cellChangeIn(change, cell);
    cell = cell === null ? null : cellBefore(change, cell);
    return said === null ? [] : [{ change, said }];
  });
}

const HIDDEN: CellSaid = { before: undefined, after: undefined, as: 'hidden' };

/** `null`: it did nothing to the cell. */
function cellChangeIn({ change, fields, more = 0 }: ChangeOfValue, cell: AskedCell): CellSaid | null {
  if (change === 'none') return null;
  if (change !== 'change') return { before: undefined, after: undefined, as: 'whole' };
  const { column, name, place } = cell;
  if (name === null && place === null) return HIDDEN;
  const told = fields.filter(({ moved }) => moved !== true);
  const own = told.find((field) => isOf(field, cell, column));
  if (own !== undefined) return { before: own.before, after: own.after, as: 'cell' };
  const row = column === null ? undefined : told.find((field) => isOf(field, cell, null));
  if (row !== undefined) return { before: memberOf(row.before, column), after: memberOf(row.after, column), as: 'cell' };
  return more > 0 || told.some(({ label }) => label === 'rows' || label === 'entries' || label === '') ? HIDDEN : null;
}

/** Whether a field is the cell, or without `column` its row or entry. */
function isOf({ path, label, before, after }: FieldChange, { name, place }: AskedCell, column: string | null): boolean {
  if (place === null) return label === (column === null ? name : `${name} › ${column}`);
  if (column !== null) return path === `/rows/${place}/${pointerName(column)}`;
  // What is gone stands at its place before.
  return path === `/rows/${place}` && (before === undefined || after !== undefined);
}

function memberOf(row: unknown, column: string | null): unknown {
  if (typeof row !== 'object' || row === null || column === null) return undefined;
  return Object.entries(row).find(([name]) => name === column)?.[1];
}

/** Which cell it was before a change; `null`: it came with it, and has no name under which it may have been before. */
function cellBefore(change: ChangeOfValue, cell: AskedCell): AskedCell | null {
  if (change.change === 'none' || cell.place === null) return cell;
  if (cell.name === null && change.fields.some((field) => field.before === undefined && isOf(field, cell, null))) return null;
  const renamed = change.fields.find(
    ({ path, after }) => path.startsWith(`/rows/${cell.place}/`) && typeof after === 'string' && after === cell.name,
  )?.before;
  const name = typeof renamed === 'string' && renamed !== '' ? renamed : cell.name;
  return { ...cell, name, place: placeBefore(change, cell.place) };
}

const ROW = /^\/rows\/(\d+)$/;

/** Where a row stood before a change; `null`: it was not there, or more changed than is told. */
function placeBefore({ change, fields, more = 0 }: ChangeOfValue, place: number): number | null {
  if (change !== 'change' || more > 0 || fields.some(({ path, moved }) => path === '/rows' || (moved === true && !ROW.test(path))))
    return null;
  const [come, gone] = [new Map<number, number | null>(), new Set<number>()];
  for (const { path, before, after, moved } of fields) {
    const at = ROW.exec(path)?.[1];
    if (at === undefined) continue;
    if (after !== undefined) come.set(Number(at), moved === true ? Number(before) - 1 : null);
    if (after === undefined || moved === true) gone.add(moved === true ? Number(before) - 1 : Number(at));
  }
  const own = come.get(place);
  if (own !== undefined) return own;
  // Of those that stayed in their order it was as far down as it is.
  let was = place - [...come.keys()].filter((other) => other < place).length;
  for (const other of [...gone].sort((one, two) => one - two)) if (other <= was) was += 1;
  return was;
}
