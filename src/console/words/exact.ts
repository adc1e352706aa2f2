/** Numbers that a page could not hold: JSON numbers of more digits than doubles have stay as their digits. */

/** Stands before the digits of a number that is held as text. No game's text begins so. */
const EXACT_MARK = '\uE000';

/** A text, so that numbers in it are passed over, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Numbers of fewer digits are exact. */
const MAY_BE_INEXACT = /\d[\d.]{15}/;

/** The JSON text with numbers that doubles do not hold as marked texts. */
export function withExactNumbers(json: string): string {
  if (!MAY_BE_INEXACT.test(json)) return json;
  return json.replace(TOKEN, (token) => {
    if (token.startsWith('"') || !MAY_BE_INEXACT.test(token) || String(Number(token)) === token) return token;
    return `"${EXACT_MARK}${token}"`;
  });
}

/** The digits of a number that is held as text; `null`: it is no such text. */
export function exactDigits(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(EXACT_MARK) ? value.slice(EXACT_MARK.length) : null;
}

/** The value as JSON text, its numbers by their digits. */
export function exactJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? '';
  return text.includes(EXACT_MARK) ? text.replace(new RegExp(`"${EXACT_MARK}([^"]*)"`, 'g'), '$1') : text;
}

/** The body of a request: numbers that are held as text are sent by their digits. */
export function sentJson(text: string): string {
  return text.includes(EXACT_MARK) ? text.replace(new RegExp(`"${EXACT_MARK}(-?\\d[\\d.eE+-]*)"`, 'g'), '$1') : text;
}
