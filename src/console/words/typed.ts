import { withExactNumbers } from './exact.ts';

/** What was typed as JSON: numbers by their digits, however many those are. */

/** The value that is meant, or what is wrong with what was typed. */
export type TypedValue = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

/** A number. One that a page could not hold stays as its digits. */
export function typedNumber(typed: string, isWhole = false): TypedValue {
  const text = typed.trim().replace(/^\+/, '');
  if (isWhole && !WHOLE_NUMBER.test(text)) return { ok: false, why: 'Give a whole number, such as 5 or -5.' };
  if (!NUMBER.test(text)) return { ok: false, why: 'Give a number, such as 5 or 2.5.' };
  return { ok: true, value: JSON.parse(withExactNumbers(text)) as unknown };
}

export function typedJson(text: string): TypedValue {
  try {
    JSON.parse(text);
    return { ok: true, value: JSON.parse(withExactNumbers(text)) as unknown };
  } catch {
    return { ok: false, why: 'This is not JSON. Texts stand in double quotes: "axe".' };
  }
}
