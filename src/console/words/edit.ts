import { type TypedValue, typedJson, typedNumber } from './typed.ts';
import { typeOf } from './value.ts';

/** Operations of people: what was typed as the value that is meant. */

/** What an operation does with a value, before it. */
export const OPERATIONS = {
  set: 'Set to',
  inc: 'Add',
  push: 'Put into the list',
  remove: 'Take out of the list',
  merge: 'Put these members in',
} as const;

export type OperationName = keyof typeof OPERATIONS;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The value that is meant: text where the field holds text, otherwise JSON, otherwise text. */
export function typedValue(typed: string, operation: OperationName, type: string): TypedValue {
  const text = typed.trim();
  if (operation === 'inc' || (operation === 'set' && type === 'number')) return typedNumber(text);
  if (operation === 'set' && type === 'integer') return typedNumber(text, true);
  if (operation === 'set' && type === 'string') return { ok: true, value: typed };
  if (NUMBER.test(text)) return typedNumber(text);
  if (text === '') return { ok: false, why: 'Give a value.' };
  const read = typedJson(text);
  if (operation === 'merge' && (!read.ok || typeOf(read.value) !== 'object'))
    return { ok: false, why: 'Give an object as JSON, such as {"sword": 1}.' };
  if (read.ok) return read;
  const isJson = /^[[{"]/.test(text) || (operation === 'set' && ['array', 'object', 'boolean'].includes(type));
  return isJson ? { ok: false, why: `This is not JSON${type === '' ? '' : `, and the field holds: ${type}`}.` } : { ok: true, value: text };
}

/** The operations that make sense for a field. */
export function operationsFor(value: unknown, type: string): readonly OperationName[] {
  const is = value === undefined ? type : typeOf(value);
  const possible = BY_TYPE[is] ?? ['set'];
  return value === undefined ? possible.filter((each) => each !== 'remove') : possible;
}

const NUMERIC: readonly OperationName[] = ['inc', 'set'];
const BY_TYPE: Readonly<Record<string, readonly OperationName[]>> = {
  array: ['push', 'remove', 'set'],
  number: NUMERIC,
  integer: NUMERIC,
  object: ['merge', 'set'],
};
