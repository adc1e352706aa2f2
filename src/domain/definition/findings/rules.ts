import { isObject, type Json } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { normaliseRules } from '../../limit/rules.ts';
import { WINDOW_NAMES } from '../../limit/windows.ts';
import { textOf } from '../read.ts';
import type { Findings } from './finding.ts';
import { isFlag, isText, oneOf } from './finding.ts';

/** Rate-limit rules (runtime-storage 11.1). Nothing else would tell of a rule that is read otherwise than it was meant. */
export function ruleFindings(rules: readonly Json[], findings: Findings): void {
  for (const [index, rule] of rules.entries()) {
    const path = `/rules/${index}`;
    if (!isObject(rule)) continue;
    const collection = textOf(member(rule, 'collection')) ?? '*';
    if (collection !== '*' && !findings.known.collection(collection)) {
      findings.add('COLLECTION_NOT_FOUND', `${path}/collection`, `There is no collection '${collection}', so this guards nothing.`);
    }
    findings.member(rule, 'action', path, oneOf('reject', 'flag', 'clamp'), 'INVALID_RULE_ACTION', 'reject, flag or clamp');
    findings.member(rule, 'scope', path, oneOf('per_player', 'global'), 'INVALID_RULE_SCOPE', 'per_player or global');
    findings.member(rule, 'enabled', path, isFlag, 'INVALID_FLAG', 'true or false');
    const isOff = normaliseRules([{ ...rule, enabled: true }]).length === 0;
    if (isOff) findings.add('RULE_WITHOUT_LIMIT', path, limitMessage(member(rule, 'window')), 'Set window and limit, or windows.');
  }
}

function limitMessage(window: Json | undefined): string {
  const unknown = isText(window) && !WINDOW_NAMES.some((name) => name === window.trim());
  if (unknown) return `'window' must be ${WINDOW_NAMES.join(', ')}; this rule guards nothing.`;
  return `This rule has no window with a limit above 0, so it guards nothing.`;
}
