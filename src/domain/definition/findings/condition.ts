import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { isOperator, isUnary } from '../../endpoint/operators.ts';
import { scanTop } from '../../endpoint/scan.ts';
import { type Findings, isTemplated, isText } from './finding.ts';
import { unknownPartMembers } from './members.ts';
import { tokenBodyFindings } from './tokens.ts';

/** `{field, op, value}`, `{expression}`, `{all}` or `{any}` (endpoint-language 6). */
export function conditionFindings(condition: Json, path: string, findings: Findings, inRow = false): void {
  if (typeof condition === 'boolean' || isTemplated(condition)) return;
  if (!isObject(condition)) {
    findings.add('INVALID_CONDITION', path, 'A condition must be an object.');
    return;
  }
  for (const name of ['all', 'any']) {
    const group = member(condition, name);
    if (group === undefined) continue;
    groupFindings(group, `${path}/${name}`, findings, inRow);
    return;
  }
  clauseFindings(condition, path, findings, inRow);
}

function groupFindings(group: Json, path: string, findings: Findings, inRow: boolean): void {
  if (!isArray(group) || group.length === 0) {
    findings.add('INVALID_CONDITION_GROUP', path, 'A group must be a list of conditions.');
    return;
  }
  for (const [index, inner] of group.entries()) conditionFindings(inner, `${path}/${index}`, findings, inRow);
}

function clauseFindings(condition: Extract<Json, object>, path: string, findings: Findings, inRow: boolean): void {
  if (!isObject(condition)) return;
  const field = member(condition, 'field') ?? member(condition, 'left');
  const expression = member(condition, 'expression');
  // A step that is its own condition has members of its own.
  if (member(condition, 'type') === undefined) unknownPartMembers(condition, 'clause', path, findings);
  if (field === undefined && isText(expression)) {
    if (joins(expression)) findings.add('CONDITION_EXPRESSION_JOINED', `${path}/expression`, JOINED, `Use 'all' or 'any'.`);
    return;
  }
  if (!isText(field)) findings.add('CONDITION_FIELD_REQUIRED', path, `A condition needs a 'field'.`);
  // In a `where` it is a path in the row, which has no brackets.
  else if (!inRow && !isTemplated(field)) tokenBodyFindings(field, `${path}/field`, findings);
  const op = member(condition, 'op') ?? member(condition, 'operator');
  if (!isText(op)) findings.add('CONDITION_OP_REQUIRED', path, `A condition needs an 'op'.`, 'Such as ==, >= or exists.');
  else if (!isOperator(op)) findings.add('INVALID_CONDITION_OP', `${path}/op`, `'${op}' is no operator.`);
  else if (!isUnary(op) && !['value', 'right', 'expression'].some((name) => Object.hasOwn(condition, name))) {
    findings.add('CONDITION_VALUE_MISSING', path, 'The condition compares with nothing.');
  }
}

const JOINED = `'&&' and '||' join nothing here: what follows the first comparison is compared as text.`;

function joins(expression: string): boolean {
  return scanTop(expression, 0, (_char, at) => expression.startsWith('&&', at) || expression.startsWith('||', at)) >= 0;
}

/** A single clause, or groups of them (endpoint-language 8, lookup). */
export function whereFindings(where: Json, path: string, findings: Findings): void {
  if (isObject(where)) conditionFindings(where, path, findings, true);
  else findings.add('INVALID_WHERE', path, `'where' must be an object.`);
}
