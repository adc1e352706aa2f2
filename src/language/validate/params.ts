import { param } from '../../contract/resources/logic.ts';
import { namesIn, type Written } from '../../contract/resources/member.ts';
import type { Findings } from '../../domain/finding.ts';
import type { Json } from '../../kernel/json.ts';
import { longForm, objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { unknownMembers } from './members.ts';

/** Findings for the params that workflows and blocks declare. */

export function paramsFindings(params: Json | undefined, pointer: string, findings: Findings): void {
  for (const [name, declared] of Object.entries(objectOf(params))) {
    unknownMembers(longForm(declared, 'type'), namesIn(param), 'UNKNOWN_PARAM_MEMBER', `${pointer}/${name}`, findings);
    findings.structure(param, longForm(declared, 'type') satisfies Written<typeof param>, `${pointer}/${name}`, 'type');
  }
}

/** Findings for params that a call gives and that its target does not declare. */
export function givenFindings(
  called: string,
  declared: readonly string[],
  given: Json | undefined,
  pointer: string,
  findings: Findings,
): void {
  for (const name of Object.keys(objectOf(given))) {
    if (declared.includes(name)) continue;
    const fix = didYouMean(name, declared);
    findings.add('UNKNOWN_PARAM', `${pointer}/params/${name}`, `'${called}' has no param '${name}'; it has: ${declared.join(', ')}.`, fix);
  }
}
