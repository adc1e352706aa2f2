import { isInexact } from '../api/exact.ts';
import { typeOf, valueText } from './value.ts';

/** Operations of people: what was typed as the value that is meant. */

export const OPERATIONS = {
  set: { name: 'Set to', takesValue: true },
  inc: { name: 'Add', takesValue: true },
  push: { name: 'Put into the list', takesValue: true },
  remove: { name: 'Take out of the list', takesValue: true },
} as const;

export type OperationName = keyof typeof OPERATIONS;

export type Typed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The value that is meant: text where the field holds text, otherwise JSON, otherwise text. */
export function typedValue(typed: string, operation: OperationName, type: string): Typed {
  const text = typed.trim();
  if (operation === 'inc') return NUMBER.test(text) ? numberOf(text) : { ok: false, why: 'Give a number, such as 5 or -5.' };
  if (operation === 'set' && type === 'string') return { ok: true, value: typed };
  if (NUMBER.test(text)) return numberOf(text);
  if (operation === 'set' && ['number', 'integer'].includes(type)) return { ok: false, why: 'The field holds a number.' };
  if (text === '') return { ok: false, why: 'Give a value.' };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    const isJson = /^[[{"]/.test(text) || (operation === 'set' && ['array', 'object', 'boolean'].includes(type));
    return isJson
      ? { ok: false, why: `This is not JSON${type === '' ? '' : `, and the field holds: ${type}`}.` }
      : { ok: true, value: text };
  }
}

function numberOf(text: string): Typed {
  const value = Number(text);
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact
    ? { ok: true, value }
    : { ok: false, why: 'A page cannot hold this number exactly: the command “savepoint doc set” does.' };
}

/** What a value will be, as far as a page can tell before it is done; `null`: it cannot. */
export function afterwards(operation: OperationName, now: unknown, value: unknown): string | null {
  if (operation === 'set') return valueText(value);
  if (operation === 'inc')
    return (typeof now === 'number' || now === undefined) && typeof value === 'number' ? String((now ?? 0) + value) : null;
  if (now !== undefined && !Array.isArray(now)) return null;
  const items: readonly unknown[] = now ?? [];
  if (isInexact(items)) return null;
  if (operation === 'push') return valueText([...items, value]);
  return valueText(items.filter((each) => JSON.stringify(each) !== JSON.stringify(value)));
}

/** The operations that make sense for a field. */
export function operationsFor(value: unknown, type: string): readonly OperationName[] {
  const is = value === undefined ? type : typeOf(value);
  if (is === 'array') return ['push', 'remove', 'set'];
  if (is === 'number' || is === 'integer') return ['inc', 'set'];
  return ['set'];
}
