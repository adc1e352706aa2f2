import { BUDGET_NAMES, UNMEASURED_BUDGETS, type workflow } from '../../contract/resources/logic.ts';
import type { Written } from '../../contract/resources/member.ts';
import type { Findings } from '../../domain/finding.ts';

const KNOWN = new Set<string>([...BUDGET_NAMES, ...UNMEASURED_BUDGETS]);

/** Findings for `budgets`: known names, with numbers. */
export function budgetsFindings({ budgets }: Pick<Written<typeof workflow>, 'budgets'>, findings: Findings): void {
  if (budgets === undefined || budgets === null) return;
  if (!findings.expectObject(budgets, 'INVALID_BUDGETS', '/budgets', `'budgets' must be a map of name to number.`)) return;
  for (const [name, limit] of Object.entries(budgets)) {
    const pointer = `/budgets/${name}`;
    if (!KNOWN.has(name)) findings.add('UNKNOWN_BUDGET', pointer, `There is no budget '${name}'.`, `Known are ${[...KNOWN].join(', ')}.`);
    else if (typeof limit !== 'number' || limit < 0) findings.add('INVALID_BUDGETS', pointer, 'A budget is a number from 0 on.');
  }
}
