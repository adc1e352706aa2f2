import type { DocumentState } from '../../../src/domain/states.ts';

/**
 * The value of the column `told` where an earlier release did not keep what the ledger said. Where the ledger said nothing there is no
 * value (as a parameter, an empty text).
 */
const UNKNOWN = 'null';

export function toldFrom(text: string | null): DocumentState['told'] {
  if (text === null) return undefined;
  return text === UNKNOWN ? null : text;
}

export function toldColumn({ told }: DocumentState): string {
  return told === undefined ? '' : (told ?? UNKNOWN);
}
