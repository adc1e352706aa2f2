import type { Findings } from '../../domain/finding.ts';
import type { NormalStep } from '../normal/logic.ts';
import { conditionFindings } from './condition.ts';

/** Findings for steps that check a condition. */

export function checkedFindings(
  { check }: NormalStep<'assert' | 'return_on' | 'while' | 'until'>,
  pointer: string,
  findings: Findings,
): void {
  if (check === undefined || check === null) findings.add('MISSING_CHECK', pointer, `This step needs a 'check'.`);
  else conditionFindings(check, `${pointer}/check`, findings);
}
