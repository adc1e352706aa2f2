import { isObject, type JsonObject } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { placeOf } from '../../endpoint/change.ts';
import { language } from '../../endpoint/compilers.ts';
import { LanguageError } from '../../endpoint/errors.ts';
import { expressionFindings } from './expression.ts';
import { type Findings, isText } from './finding.ts';
import { RESERVED_NAMES } from './reserved.ts';

/** What a transform does to names of the call (endpoint-language 18). */
const CHANGES = ['set', 'append'] as const;

export function transformFindings(step: JsonObject, path: string, findings: Findings): void {
  const maps = CHANGES.map((verb) => member(step, verb)).filter((value) => isObject(value ?? null) && Object.keys(value ?? {}).length > 0);
  if (maps.length === 0 && findings.missing(step, ['expression', 'value'], path, 'MISSING_TRANSFORM_VALUE')) return;
  findings.member(step, 'expression', path, (value) => isText(value) || typeof value === 'number', 'INVALID_EXPRESSION', 'a text');
  expressionFindings(member(step, 'expression'), `${path}/expression`, findings);
  for (const verb of CHANGES) changes(step, verb, path, findings);
}

function changes(step: JsonObject, verb: (typeof CHANGES)[number], path: string, findings: Findings): void {
  const asked = member(step, verb) ?? null;
  if (asked === null) return;
  if (isText(asked)) place(asked, `${path}/${verb}`, findings);
  else if (!isObject(asked)) findings.add('INVALID_TRANSFORM_TARGET', `${path}/${verb}`, `'${verb}' is a map of path to value, or a path.`);
  else for (const name of Object.keys(asked)) place(name, `${path}/${verb}/${name}`, findings);
}

function place(text: string, path: string, findings: Findings): void {
  try {
    placeOf(language, text);
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error;
    findings.add('INVALID_TRANSFORM_TARGET', path, error.message);
    return;
  }
  const [root = ''] = text.split(/[.[]/, 1);
  if (RESERVED_NAMES.has(root.trim()))
    findings.add('RESERVED_STEP_ID', path, `'${root.trim()}' hides a built-in name from the steps after it.`);
}
