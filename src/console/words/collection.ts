import { exactDigits } from './exact.ts';
import { valueText } from './value.ts';

/** Lists of documents in words. */

interface Order {
  readonly by: string;
  readonly kind: 'key' | 'time' | 'number' | 'unique';
}

/** What a choice of an order is called. */
export function orderName({ by, kind }: Order): string {
  if (kind === 'key') return 'Key';
  if (kind === 'time') return 'Time of the record';
  return kind === 'unique' ? `${by}, an exact value` : by;
}

/** An order in the address: a field may be unique, and a number of a leaderboard. */
export function orderOf<One extends Order>(orders: readonly One[], by: string | undefined, is: string | undefined): One | undefined {
  const wanted = by ?? '_key';
  return orders.find((order) => order.by === wanted && (order.kind === 'unique') === (is !== undefined));
}

type Directions = readonly (readonly ['asc' | 'desc', string])[];

const HIGHEST_FIRST: Directions = [
  ['desc', 'Highest first'],
  ['asc', 'Lowest first'],
];
const DIRECTIONS: Readonly<Record<Order['kind'], Directions>> = {
  key: [
    ['asc', 'A to Z'],
    ['desc', 'Z to A'],
  ],
  time: [
    ['desc', 'Newest first'],
    ['asc', 'Oldest first'],
  ],
  number: HIGHEST_FIRST,
  unique: HIGHEST_FIRST,
};

/** The directions of an order in words, the likelier one first. */
export function directionNames({ kind }: Order): Directions {
  return DIRECTIONS[kind];
}

interface CutCell {
  readonly text: string;
  readonly whole: boolean;
}

/** Characters of a cell on the page. */
const SHOWN = 60;

/** A cell as text: as much as the table shows, and as much as the server sent. */
export function cellText(cell: unknown): { readonly text: string; readonly whole: string } {
  const whole = isCut(cell) ? `${cell.text}${cell.whole ? '' : '…'}` : valueText(cell);
  return { text: whole.length <= SHOWN ? whole : `${whole.slice(0, SHOWN - 1).trimEnd()}…`, whole };
}

function isCut(cell: unknown): cell is CutCell {
  return typeof cell === 'object' && cell !== null && 'text' in cell;
}

/** What stands for a personal value. */
export const MASK = '[personal]';

/** Whether all cells of a column that there are hold numbers. */
export function isNumeric(cells: readonly unknown[]): boolean {
  const there = cells.filter((cell) => cell !== undefined && cell !== null);
  return there.length > 0 && there.every((cell) => typeof cell === 'number' || exactDigits(cell) !== null);
}

/** Fields as a sentence tells them. */
export function fieldList(fields: readonly string[], most = 8): string {
  const named = fields.slice(0, most).join(', ');
  return fields.length > most ? `${named} and ${fields.length - most} more` : named;
}

/** Which documents of a collection a list shows, in which order, and which columns. */
export interface ListSearch {
  readonly by?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly begins?: string | undefined;
  readonly is?: string | undefined;
  readonly columns?: string | undefined;
}

/** Which documents an export holds. */
export function whichText({ by, from, to, begins, is }: Pick<ListSearch, 'by' | 'from' | 'to' | 'begins' | 'is'>): string {
  if (is !== undefined || (from === undefined && to === undefined && begins === undefined)) {
    return by === undefined || by.startsWith('_') || is !== undefined ? 'All documents' : `All documents that have the number ${by}`;
  }
  const name = by === undefined || by === '_key' ? 'key' : by === '_time' ? 'time' : by;
  const bounds = [
    begins === undefined ? '' : `begins with ${begins}`,
    from === undefined ? '' : `is ${from} or more`,
    to === undefined ? '' : `is ${to} or less`,
  ];
  return `Documents whose ${name} ${bounds.filter((bound) => bound !== '').join(' and ')}`;
}
