import { type Findings, isTemplated } from '../../domain/finding.ts';
import { instantOf } from '../../kernel/instant.ts';
import { isArray, type Json } from '../../kernel/json.ts';
import { isOrdered, ORDER_SYMBOLS, standardOperator, unordered } from '../expressions/operators.ts';
import { unquoted } from '../expressions/scan.ts';

/** Findings for comparisons by order of what has none: texts that are neither numbers nor instants, and an instant beside a number. */

type Kind = 'number' | 'instant' | 'unordered' | 'unknown';

const NAMES: Readonly<Record<string, Kind>> = {
  now: 'instant',
  _datetimeUTC: 'instant',
  _dateUTC: 'unordered',
  _timeUTC: 'unordered',
  _unixMs: 'number',
  _unixS: 'number',
  _year: 'number',
  _month: 'number',
  _day: 'number',
  _hour: 'number',
  _minute: 'number',
  _dayOfWeek: 'number',
};

const FIX = 'Write an instant with its zone, such as "2026-03-29T00:00:00Z", and compare it with {{now}}; or compare numbers.';

/** A side as its author wrote it. `pointer`: where. */
interface Side {
  readonly written: Json;
  readonly pointer: string;
}

/** Adds a finding if `op` compares by order and a side, as far as it is known before a call, has none with the other. */
export function orderFindings(op: string, left: Side, right: Side, findings: Findings): void {
  if (!isOrder(op)) return;
  const [wrong] = [left, right].filter(({ written }) => kindOf(written) === 'unordered');
  const kinds = [kindOf(left.written), kindOf(right.written)];
  if (wrong !== undefined) {
    findings.add('CONDITION_WITHOUT_ORDER', wrong.pointer, unordered(wrong.written), FIX);
    return;
  }
  if (!kinds.includes('number') || !kinds.includes('instant')) return;
  findings.add('CONDITION_WITHOUT_ORDER', right.pointer, 'A time as text has no order beside a number.', FIX);
}

function isOrder(op: string): boolean {
  return ORDER_SYMBOLS.includes(standardOperator(op));
}

function kindOf(written: Json): Kind {
  if (typeof written === 'string') return kindOfText(written.trim());
  if (written === null || isArray(written)) return 'unknown';
  return isOrdered(written) ? 'number' : 'unordered';
}

function kindOfText(text: string): Kind {
  const name = /^\{\{\s*(\w+)\s*\}\}$/.exec(text)?.[1];
  if (name !== undefined) return NAMES[name] ?? 'unknown';
  if (isTemplated(text)) return 'unknown';
  if (instantOf(text) !== null) return 'instant';
  return isOrdered(text) ? 'number' : 'unordered';
}

/**
 * The sides of a comparison that is one text. Arithmetic may come to anything, and of a left side without tokens the expression's own
 * findings tell.
 */
export function sidesOf(expression: string, at: number, op: string): readonly [left: Json, right: Json] {
  const [left, right] = [expression.slice(0, at).trim(), expression.slice(at + op.length).trim()];
  return [isTemplated(left) ? left : null, unquoted(right) ?? (/[+*/%(]/.test(right) ? null : right)];
}
