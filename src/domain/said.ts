import { ONE_LINE } from '../contract/values.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';

/** What somebody says of an act: why, and for which ticket of the support desk. */

/** Characters of each. */
const MOST = { message: 500, reason: 500, ticket: 128 } as const;

/** One line of it, without blanks around it; `null`: there is none. */
export function readLine(name: keyof typeof MOST, text: string | null | undefined): string | null | Refusal {
  const line = text?.trim() ?? '';
  if (line === '') return null;
  if (line.length > MOST[name])
    return refusal('INVALID_REQUEST', `\`${name}\` has ${line.length} characters, and at most ${MOST[name]} are kept`);
  if (!ONE_LINE.test(line)) return refusal('INVALID_REQUEST', `\`${name}\` is one line of text: it holds a control character`);
  return line;
}
