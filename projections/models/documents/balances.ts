import type { DocumentState } from '../../../src/domain/states.ts';

/**
 * The value of the column `told` where an earlier release stored no ledger balances. A document without balances has NULL (as a parameter, an
 * empty text).
 */
const UNKNOWN = 'null';

export function balancesFrom(text: string | null): DocumentState['balances'] {
  if (text === null) return undefined;
  return text === UNKNOWN ? null : text;
}

export function balancesColumn({ balances }: DocumentState): string {
  return balances === undefined ? '' : (balances ?? UNKNOWN);
}
