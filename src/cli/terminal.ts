import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

/** Colours and questions. Only terminals get colours; `NO_COLOR` turns them off and `FORCE_COLOR` on, as in Node itself. */

export type Style = Parameters<typeof styleText>[0];

/** The text in a style, if the stream shows styles. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** The codes of {@link styled}, as Node prints them. */
const OWN_CODES = String.raw`\u001b\[(?:0|1|22|3[1-6]|39|90)m`;
/**
 * Characters that a terminal obeys or that change the order of what it shows, besides line ends and tabs: controls, direction marks, line
 * and paragraph separators. Definitions, documents and messages of servers may hold them.
 */
const COMMANDS = new RegExp(
  `(${OWN_CODES})|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`,
  'g',
);

/** The text with `\\u001b` and the like in place of what a terminal would obey; colours of {@link styled} stay. JSON means the same. */
export function printable(text: string): string {
  return text.replace(COMMANDS, (found, own: string | undefined) => own ?? escaped(found));
}

/** {@link printable} for a text on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether somebody at a terminal can be asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on standard error; anything but `y` and `yes` is a no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(printable(`${question} [y/N] `));
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
