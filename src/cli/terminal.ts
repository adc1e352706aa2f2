import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';

/** Colours and questions. Colours are for terminals alone: `NO_COLOR` turns them off, `FORCE_COLOR` on, as Node itself has it. */

export type Style = Parameters<typeof styleText>[0];

/** The text in a style, if standard output shows styles. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** Whether a person at a terminal can be asked. */
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
