import { exactDigits, exactJson } from './exact.ts';

/** Values of documents as text, cut where they are long. */

export const CELL_LENGTH = 120;

export function valueText(value: unknown): string {
  if (value === undefined) return '–';
  if (typeof value === 'string') return exactDigits(value) ?? value;
  return exactJson(value);
}

/** The text of a value, or more than `length` characters of its beginning: a document may have a megabyte, of which a line shows little. */
export function valueStart(value: unknown, length = CELL_LENGTH): string {
  return isNested(value) ? jsonStart(value, length) : valueText(value);
}

/** `line`: what a new line begins with, for JSON in lines. */
function jsonStart(value: unknown, length: number, line?: string): string {
  if (!isNested(value)) return exactJson(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const [inner, gap] = line === undefined ? [undefined, ''] : [`${line}  `, ' '];
  const members: string[] = [];
  let left = length;
  for (const [name, each] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const member = `${inner ?? ''}${typeof name === 'number' ? '' : `${JSON.stringify(name)}:${gap}`}${jsonStart(each, left, inner)}`;
    members.push(member);
    left -= member.length + 1;
    if (left < 0) break;
  }
  return `${open}${members.join(',')}${left < 0 ? '' : `${members.length === 0 ? '' : (line ?? '')}${close}`}`;
}

/** The value as JSON in lines, as `exactJson` prints it, or more than `length` characters of its beginning. */
export function jsonLinesStart(value: unknown, length: number): string {
  return jsonStart(value, length, '\n');
}

/** A value without JSON, for people who do not programme: members by name, long ones by their number. */
export function saidValue(value: unknown): string {
  if (!isNested(value)) return valueText(value);
  if (Array.isArray(value))
    return value.some(isNested) ? counted(value.length, 'entry', 'entries') : value.map(valueText).join(', ') || 'none';
  const members = Object.entries(value).map(([name, each]) => `${name} ${isNested(each) ? sizeText(each) : valueText(each)}`);
  return members.join(', ') || 'nothing';
}

/** A value without JSON, a line for each member; what is nested stands further in. */
export function linesOfValue(value: unknown, indent = ''): readonly string[] {
  if (!isNested(value)) return [`${indent}${valueText(value)}`];
  const members = Array.isArray(value) ? value.map((each, place) => [String(place + 1), each] as const) : Object.entries(value);
  if (members.length === 0) return [`${indent}nothing`];
  return members.flatMap(([name, each]) =>
    isNested(each) ? [`${indent}${name}`, ...linesOfValue(each, `${indent}  `)] : [`${indent}${name} ${valueText(each)}`],
  );
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function sizeText(value: object): string {
  return Array.isArray(value) ? counted(value.length, 'entry', 'entries') : counted(Object.keys(value).length, 'field', 'fields');
}

function counted(number: number, one: string, more: string): string {
  return `(${number} ${number === 1 ? one : more})`;
}

/** As what begins a sentence. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Signs that turn the order of letters, also of what stands behind them in the line. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text as a line shows it: `length` characters, in the order in which they are written. */
export function cut(text: string, length = CELL_LENGTH): string {
  const shown = text.length <= length ? text : `${text.slice(0, length - 1)}…`;
  return shown.replace(TURNING, '\uFFFD');
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; of anything else none. */
export function objectOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** The entries of a list; of anything else none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The name of a value's type in the words of schemas. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (exactDigits(value) !== null) return 'number';
  return typeof value;
}

/** A change of a number, with its sign. */
export function signed(value: unknown): string {
  const text = valueText(value);
  return text.startsWith('-') ? `−${text.slice(1)}` : `+${text}`;
}

/** Whether a change of a number takes something away. */
export function isLess(value: unknown): boolean {
  return valueText(value).startsWith('-');
}

/** What a sentence names of many. */
const FEW = 3;

/** The first few of many, and how many there are besides. `more`: that are not among them. */
export function fewSaid(lines: readonly string[], more = 0): string {
  const left = lines.slice(FEW).length + more;
  return `${lines.slice(0, FEW).join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}

/** Whether two values are the same as they came: in another order of their members they differ. */
export function isSameText(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
