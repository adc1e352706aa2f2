import type { Written } from '../../../contract/resources/member.ts';
import type { StepSchema } from '../../../contract/resources/step.ts';
import { isObject } from '../../../kernel/json.ts';
import type { Findings } from './finding.ts';

/** Findings for a call of `library.block`: whether the block exists, and its params. */
export function blockCallFindings(called: string, step: Written<StepSchema<'call'>>, pointer: string, findings: Findings): void {
  const declared = findings.known.block(called);
  if (declared === false) {
    const library = called.slice(0, called.indexOf('.'));
    const what = findings.known.library(library) ? `block '${called}'` : `library '${library}'`;
    findings.add(
      'BLOCK_NOT_FOUND',
      `${pointer}/target`,
      `There is no ${what}: a call that reaches this step fails.`,
      'Push the library, too.',
    );
    return;
  }
  const { params: given } = step;
  if (declared === true || !isObject(given)) return;
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const known = Object.keys(declared).join(', ');
    findings.add('UNKNOWN_PARAM', `${pointer}/params/${name}`, `'${called}' has no param '${name}'; it has: ${known}.`);
  }
}
