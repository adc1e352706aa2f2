import { type ExactNumber, numberFromText } from '../../kernel/json.ts';
import { LanguageError } from './errors.ts';

/** Finds where tokens, quotes and parentheses of a text begin and end, without their meaning. */

/** `{{ … }}` from `start` (inclusive) to `end` (exclusive). `depth`: the nesting depth of tokens in it, itself included. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

const MAX_PARENTHESES = 32;

/** The outermost tokens of a text, in order. An unmatched `{{` or `}}` is plain text. It takes linear time for any text. */
export function findTokens(text: string): Span[] {
  const open: { start: number; inner: number }[] = [];
  const spans: Span[] = [];
  let at = text.indexOf('{{');
  while (at >= 0 && at < text.length - 1) {
    if (text.startsWith('{{', at)) {
      open.push({ start: at, inner: 0 });
      at += 2;
    } else if (text.startsWith('}}', at)) {
      closeToken(open, spans, at + 2);
      at += 2;
    } else {
      at += 1;
    }
  }
  return spans;
}

function closeToken(open: { start: number; inner: number }[], spans: Span[], end: number): void {
  const token = open.pop();
  if (token === undefined) return;
  while (spans.length > 0 && (spans.at(-1)?.start ?? 0) > token.start) spans.pop();
  const depth = token.inner + 1;
  spans.push({ start: token.start, end, depth });
  const parent = open.at(-1);
  if (parent !== undefined) parent.inner = Math.max(parent.inner, depth);
}

/** Whether the text is one token and nothing else, not even blanks. */
export function isOneToken(text: string, spans: readonly Span[]): boolean {
  const [only] = spans;
  return spans.length === 1 && only?.start === 0 && only.end === text.length;
}

/**
 * Visits the characters outside quotes and tokens, with the depth of `()` and `[]`. Stops when `visit` answers true, and returns that
 * position, else -1. Opening and closing brackets are visited at the depth outside them.
 */
export function scanTop(text: string, from: number, visit: (char: string, at: number, depth: number) => boolean): number {
  const tokens = new Map(findTokens(text).map((span) => [span.start, span.end]));
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    const end = tokens.get(at) ?? quoteEnd(text, at);
    if (end !== null) {
      at = end;
      continue;
    }
    if (char === ')' || char === ']') depth -= 1;
    if (visit(char, at, depth)) return at;
    if (char === '(' || char === '[') depth += 1;
    at += 1;
  }
  return -1;
}

/** Position after the quote that starts at `at`; `null` if none starts there or it is never closed. */
function quoteEnd(text: string, at: number): number | null {
  const quote = text.charAt(at);
  if (quote !== '"' && quote !== "'") return null;
  const end = text.indexOf(quote, at + 1);
  return end < 0 ? null : end + 1;
}

/** The parenthesis that closes the one at `open`, or -1. */
export function closingParenthesis(text: string, open: number): number {
  return scanTop(text, open, (char, at, depth) => char === ')' && depth === 0 && at > open);
}

/** Parts between commas outside quotes, tokens and brackets, trimmed. A blank text has no parts. */
export function splitArguments(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let from = 0;
  scanTop(text, 0, (char, at, depth) => {
    if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
    return false;
  });
  parts.push(text.slice(from).trim());
  return parts;
}

/** A text that is exactly one call: `name( … )`. */
export function wholeCall(text: string): { readonly name: string; readonly args: string } | null {
  const head = /^([A-Za-z_][A-Za-z0-9_]*)\s*\(/.exec(text);
  if (head === null) return null;
  const open = head[0].length - 1;
  if (closingParenthesis(text, open) !== text.length - 1) return null;
  return { name: head[1] ?? '', args: text.slice(open + 1, -1) };
}

/** The inside of a quoted text, or `null`. */
export function unquoted(text: string): string | null {
  const quote = text.charAt(0);
  if (text.length < 2 || (quote !== '"' && quote !== "'") || !text.endsWith(quote)) return null;
  const inside = text.slice(1, -1);
  return inside.includes(quote) ? null : inside;
}

/** Bounds the depth of parentheses, because the parsers recurse once for each. */
export function checkParentheses(text: string): void {
  const deep = scanTop(text, 0, (_char, _at, depth) => depth > MAX_PARENTHESES);
  if (deep >= 0) throw new LanguageError(`Parentheses may be nested at most ${MAX_PARENTHESES} deep.`);
}

/** A number or boolean literal; `undefined` for anything else. */
export function literalOf(text: string): number | ExactNumber | boolean | undefined {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return numberFromText(text);
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}
