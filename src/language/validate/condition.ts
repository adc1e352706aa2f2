import { type Findings, isTemplated, isText } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { type Clause, findComparison } from '../expressions/condition.ts';
import { isOperator, isUnary, OPERATOR_NAMES } from '../expressions/operators.ts';
import { scanTop } from '../expressions/scan.ts';
import { expressionFindings } from './expression.ts';
import { unknownPartMembers } from './members.ts';
import { orderFindings, sidesOf } from './order.ts';
import { tokenBodyFindings } from './tokens.ts';

/** Findings for a condition: `{field, op, value}`, `{expression}`, `{all}` or `{any}`. */
export function conditionFindings(condition: Json, pointer: string, findings: Findings, inRow = false): void {
  if (typeof condition === 'boolean' || isTemplated(condition)) return;
  if (!findings.expectObject(condition, 'INVALID_CONDITION', pointer, 'A condition must be an object.')) return;
  const written: Clause = condition;
  for (const name of ['all', 'any'] as const) {
    const group = written[name];
    if (group === undefined) continue;
    groupFindings(group, `${pointer}/${name}`, findings, inRow);
    return;
  }
  clauseFindings(condition, pointer, findings, inRow);
}

function groupFindings(group: Json, pointer: string, findings: Findings, inRow: boolean): void {
  if (!isArray(group) || group.length === 0) {
    findings.add('INVALID_CONDITION_GROUP', pointer, 'A group must be a list of conditions.');
    return;
  }
  for (const [index, inner] of group.entries()) conditionFindings(inner, `${pointer}/${index}`, findings, inRow);
}

function clauseFindings(condition: Clause, pointer: string, findings: Findings, inRow: boolean): void {
  const { field, op, expression } = condition;
  // A step that is its own condition also has the members of a step.
  if (!Object.hasOwn(condition, 'type')) unknownPartMembers(condition, 'clause', pointer, findings);
  if ((field ?? null) === null && isText(expression)) {
    if (joins(expression)) findings.add('CONDITION_EXPRESSION_JOINED', `${pointer}/expression`, JOINED, `Use 'all' or 'any'.`);
    else comparisonFindings(expression, `${pointer}/expression`, findings);
    return;
  }
  if (!isText(field)) findings.add('CONDITION_FIELD_REQUIRED', pointer, `A condition needs a 'field'.`);
  // In a `where` the field is a path in the row, which has no brackets.
  else if (!inRow && !isTemplated(field)) tokenBodyFindings(field, `${pointer}/field`, findings);
  if (!isText(op)) findings.add('CONDITION_OP_REQUIRED', pointer, `A condition needs an 'op'.`, 'Such as ==, >= or exists.');
  else if (!isOperator(op))
    findings.add('INVALID_CONDITION_OP', `${pointer}/op`, `'${op}' is no operator.`, `One of ${OPERATOR_NAMES.join(', ')}.`);
  else if (!isUnary(op) && !['value', 'expression'].some((name) => Object.hasOwn(condition, name))) {
    findings.add('CONDITION_VALUE_MISSING', pointer, 'The condition compares with nothing.');
  } else if (expression === undefined) {
    const left = { written: asToken(field, inRow), pointer: `${pointer}/field` };
    orderFindings(op, left, { written: condition.value ?? null, pointer: `${pointer}/value` }, findings);
  }
}

/** A field as the token that it is read as; in a `where` it is a path in the row, of which nothing is known. */
function asToken(field: Json | undefined, inRow: boolean): Json {
  if (typeof field !== 'string') return field ?? null;
  if (inRow) return null;
  return isTemplated(field) ? field : `{{${field}}}`;
}

/** Findings for `left op right` in one text. The right side may be any text. */
function comparisonFindings(expression: string, pointer: string, findings: Findings): void {
  const split = findComparison(expression);
  expressionFindings(expression.slice(0, split?.at), pointer, findings);
  if (split === null) return;
  const [left, right] = sidesOf(expression, split.at, split.op);
  orderFindings(split.op, { written: left, pointer }, { written: right, pointer }, findings);
}

const JOINED = `'&&' and '||' join nothing here: what follows the first comparison is compared as text.`;

function joins(expression: string): boolean {
  return scanTop(expression, 0, (_char, at) => expression.startsWith('&&', at) || expression.startsWith('||', at)) >= 0;
}

/** Findings for a `where`: a single clause, or groups of them. */
export function whereFindings(where: Json, pointer: string, findings: Findings): void {
  if (isObject(where)) conditionFindings(where, pointer, findings, true);
  else findings.add('INVALID_WHERE', pointer, `'where' must be an object.`);
}
