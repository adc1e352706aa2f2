/** A whole number from 0 that a query's text gives; `null` for any other text. One of many digits is inexact, so callers bound it. */
export function wholeNumberIn(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
