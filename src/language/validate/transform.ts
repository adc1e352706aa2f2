import { STEPS } from '../../contract/resources/step.ts';
import { type Findings, isText } from '../../domain/finding.ts';
import { isObject } from '../../kernel/json.ts';
import { writablePath } from '../expressions/change.ts';
import { language } from '../expressions/compilers.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { NormalStep } from '../normal/logic.ts';
import { expressionFindings } from './expression.ts';
import { RESERVED_NAMES } from './reserved.ts';

/** Members of a transform that change names of the call. */
const CHANGES = ['set', 'append'] as const;

export function transformFindings(step: NormalStep<'transform'>, pointer: string, findings: Findings): void {
  const maps = CHANGES.map((verb) => step[verb]).filter((value) => isObject(value ?? null) && Object.keys(value ?? {}).length > 0);
  if (maps.length === 0 && findings.missing(step, ['expression', 'value'], pointer, 'MISSING_TRANSFORM_VALUE')) return;
  findings.structure(STEPS.transform, step, pointer, 'expression');
  expressionFindings(step.expression, `${pointer}/expression`, findings);
  for (const verb of CHANGES) targetsFindings(step, verb, pointer, findings);
}

function targetsFindings(step: NormalStep<'transform'>, verb: (typeof CHANGES)[number], pointer: string, findings: Findings): void {
  const target = step[verb] ?? null;
  if (target === null) return;
  if (isText(target)) targetFindings(target, `${pointer}/${verb}`, findings);
  else if (!isObject(target))
    findings.add('INVALID_TRANSFORM_TARGET', `${pointer}/${verb}`, `'${verb}' is a map of path to value, or a path.`);
  else for (const name of Object.keys(target)) targetFindings(name, `${pointer}/${verb}/${name}`, findings);
}

function targetFindings(text: string, pointer: string, findings: Findings): void {
  try {
    writablePath(language, text);
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    findings.add('INVALID_TRANSFORM_TARGET', pointer, error.message);
    return;
  }
  const [root = ''] = text.split(/[.[]/, 1);
  if (RESERVED_NAMES.has(root.trim()))
    findings.add('RESERVED_STEP_ID', pointer, `'${root.trim()}' hides a built-in name from the steps after it.`);
}
