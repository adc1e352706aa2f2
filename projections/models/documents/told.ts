import type { DocumentState } from '../../../src/domain/states.ts';

/** The column `told`: no value (as a parameter, an empty text) where nothing was told, JSON `null` where an earlier release told it. */
const UNKNOWN = 'null';

export function toldFrom(text: string | null): DocumentState['told'] {
  if (text === null) return undefined;
  return text === UNKNOWN ? null : text;
}

export function toldColumn({ told }: DocumentState): string {
  return told === undefined ? '' : (told ?? UNKNOWN);
}
