import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { findTokens, isOneToken, splitArguments } from '../../language/expressions/scan.ts';

/**
 * Whether logic may tell of a member of a document without naming it: it prints a whole value into a text, reads a member by a computed
 * name, or makes a list of members. If in doubt, it does. It finds what an author wrote without a thought, not what one hides.
 */
export function printsWhole(definition: Json): boolean {
  if (!isObject(definition)) return prints(definition);
  return prints(Object.fromEntries(Object.entries(definition).filter(([name]) => !PASSIVE.has(name))));
}

function prints(value: Json): boolean {
  if (typeof value === 'string') return isOpaque(value);
  if (isArray(value)) return value.some(prints);
  return isObject(value) && Object.entries(value).some(([name, member]) => isOpaque(name) || prints(member));
}

/** Members of a definition that nothing runs. Deeper down a game may call what it answers so. */
const PASSIVE: ReadonlySet<string> = new Set(['sourceText', 'description', 'notes', 'metadata']);

/** Names that hold no document. */
const HARMLESS = /^(?:null|true|false|input|values|platformId|playerKey|projectId|now|_\w+)\b/;
const LONE_NAME = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
/** A path with brackets around anything but a number or a quoted text. */
const COMPUTED = /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_.-]*)\[(?!\s*(?:\d+|"[^"]*"|'[^']*')\s*\])/gu;
const TAKING_APART = /\b(?:get|values|pluck)\s*\(\s*(?:\{\{\s*)?([\p{L}_][\p{L}\p{N}_.-]*)/gu;

/** Calls whose value is one of their arguments. */
const PASSING_ON = /^(?:coalesce|default)\s*\((.*)\)$/su;

/** What a token may print: what it names, or what a call in it passes on. */
function passedOn(read: string): readonly string[] {
  const [, inside] = PASSING_ON.exec(read) ?? [];
  return inside === undefined ? [read] : splitArguments(inside).flatMap(passedOn);
}

function isOpaque(text: string): boolean {
  for (const found of [...text.matchAll(COMPUTED), ...text.matchAll(TAKING_APART)]) if (!HARMLESS.test(found[1] ?? '')) return true;
  const tokens = findTokens(text);
  const isAlone = isOneToken(text, tokens);
  return tokens.some(({ start, end }) => {
    const [path = ''] = text.slice(start + 2, end - 2).split('|');
    const read = path.trim();
    if (HARMLESS.test(read)) return false;
    return read.includes('{{') || (!isAlone && passedOn(read).some((name) => LONE_NAME.test(name) && !HARMLESS.test(name)));
  });
}
