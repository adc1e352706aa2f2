import type { Written } from '../../../contract/resources/member.ts';
import { STEPS, type StepSchema } from '../../../contract/resources/step.ts';
import { isObject } from '../../../kernel/json.ts';
import { writablePath } from '../../endpoint/change.ts';
import { language } from '../../endpoint/compilers.ts';
import { LanguageError } from '../../endpoint/errors.ts';
import { expressionFindings } from './expression.ts';
import { type Findings, isText } from './finding.ts';
import { RESERVED_NAMES } from './reserved.ts';

/** Members of a transform that change names of the call. */
const CHANGES = ['set', 'append'] as const;

export function transformFindings(step: Written<StepSchema<'transform'>>, path: string, findings: Findings): void {
  const maps = CHANGES.map((verb) => step[verb]).filter((value) => isObject(value ?? null) && Object.keys(value ?? {}).length > 0);
  if (maps.length === 0 && findings.missing(step, ['expression', 'value'], path, 'MISSING_TRANSFORM_VALUE')) return;
  findings.structure(STEPS.transform, step, path, 'expression');
  expressionFindings(step.expression, `${path}/expression`, findings);
  for (const verb of CHANGES) targetsFindings(step, verb, path, findings);
}

function targetsFindings(step: Written<StepSchema<'transform'>>, verb: (typeof CHANGES)[number], path: string, findings: Findings): void {
  const target = step[verb] ?? null;
  if (target === null) return;
  if (isText(target)) targetFindings(target, `${path}/${verb}`, findings);
  else if (!isObject(target))
    findings.add('INVALID_TRANSFORM_TARGET', `${path}/${verb}`, `'${verb}' is a map of path to value, or a path.`);
  else for (const name of Object.keys(target)) targetFindings(name, `${path}/${verb}/${name}`, findings);
}

function targetFindings(text: string, path: string, findings: Findings): void {
  try {
    writablePath(language, text);
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    findings.add('INVALID_TRANSFORM_TARGET', path, error.message);
    return;
  }
  const [root = ''] = text.split(/[.[]/, 1);
  if (RESERVED_NAMES.has(root.trim()))
    findings.add('RESERVED_STEP_ID', path, `'${root.trim()}' hides a built-in name from the steps after it.`);
}
