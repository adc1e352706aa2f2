import { COLLECTION_FUNCTIONS } from '../expressions/collections.ts';
import { closingParenthesis, splitArguments } from '../expressions/scan.ts';

/** A call of a function over a list in a text: `count(bag.items, x => x.qty > 1)`. */
export interface ListCall {
  readonly list: string;
  readonly selector: string | undefined;
  /** Position of the call in the text: its name, and after its parenthesis. */
  readonly start: number;
  readonly end: number;
}

/** The first call of a function over a list in a text. Calls in its arguments are not looked at. */
export function listCallIn(text: string): ListCall | null {
  for (const { 0: head, 1: name, index } of text.matchAll(/(?<![\w.])([A-Za-z_]\w*)\s*\(/g)) {
    if (name === undefined || !COLLECTION_FUNCTIONS.has(name)) continue;
    const open = index + head.length - 1;
    const close = closingParenthesis(text, open);
    if (close < 0) return null;
    const [list = '', selector] = splitArguments(text.slice(open + 1, close));
    return { list, selector, start: index, end: close + 1 };
  }
  return null;
}
