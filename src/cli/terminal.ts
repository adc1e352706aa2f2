import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

/** Colours and questions. Only terminals get colours; `NO_COLOR` turns them off and `FORCE_COLOR` on, as in Node itself. */

export type Style = Parameters<typeof styleText>[0];

/** The text in a style, if the stream shows styles. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** Whether somebody at a terminal can be asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on standard error; anything but `y` and `yes` is a no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
