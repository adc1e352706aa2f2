import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { member } from '../../../kernel/path.ts';
import { SLEEP_FIELDS } from '../../endpoint/steps/sleep.ts';
import { isColor } from '../../endpoint/steps/webhook.ts';
import { blockCallFindings } from './block-call.ts';
import { conditionFindings, whereFindings } from './condition.ts';
import { expressionFindings } from './expression.ts';
import { type Findings, isFlag, isMap, isTemplated, isText, isWhole, oneOf } from './finding.ts';
import { unknownPartMembers } from './members.ts';
import { tokenBodyFindings } from './tokens.ts';
import { transformFindings } from './transform.ts';

/** What each type of step needs (management 20; endpoint-language 8 and 9). */

type Check = (step: JsonObject, path: string, findings: Findings) => void;

const MAX_OPERATIONS = 100;

function target(step: JsonObject, path: string, findings: Findings): void {
  collection(step, path, findings);
  if (isText(member(step, 'key'))) return;
  const named = member(step, 'collection');
  const meansTheCaller = member(step, 'key') === undefined && member(step, 'type') !== 'delete';
  if (meansTheCaller && isText(named) && findings.known.playersCollection(named)) return;
  findings.add('MISSING_KEY', path, `This step needs a 'key'.`, 'Such as {{platformId}}.');
}

function collection(step: JsonObject, path: string, findings: Findings): void {
  const name = member(step, 'collection');
  if (!isText(name)) findings.add('MISSING_COLLECTION', path, `This step needs a 'collection'.`);
  else if (!isTemplated(name) && !findings.known.collection(name)) {
    findings.add('COLLECTION_NOT_FOUND', `${path}/collection`, `There is no collection '${name}'.`);
  }
}

function required(step: JsonObject, path: string, findings: Findings): void {
  findings.member(step, 'required', path, isFlag, 'INVALID_REQUIRED', 'true or false');
  findings.member(step, 'onMissing', path, isMap, 'INVALID_ON_MISSING', 'an object');
  const onMissing = member(step, 'onMissing');
  if (isObject(onMissing ?? null)) unknownPartMembers(Object(onMissing), 'onMissing', `${path}/onMissing`, findings);
}

function scan(step: JsonObject, path: string, findings: Findings): void {
  required(step, path, findings);
  if (member(step, 'from') !== undefined) {
    from(step, path, findings);
    return;
  }
  const source = member(step, 'source');
  if (source === undefined) {
    collection(step, path, findings);
    return;
  }
  if (source !== 'values') {
    findings.add('INVALID_SCAN_SOURCE', `${path}/source`, `'source' is 'values', or the step names a 'collection'.`);
    return;
  }
  const table = member(step, 'table') ?? member(step, 'collection');
  if (!isText(table)) findings.add('MISSING_VALUES_TABLE', path, `This step needs a 'table'.`);
  else if (!isTemplated(table) && !findings.known.table(table)) {
    findings.add('VALUES_TABLE_NOT_FOUND', `${path}/table`, `The game values have no table '${table}'.`);
  }
}

/** A path of the call, such as `visited[current]`, or one token. */
function from(step: JsonObject, path: string, findings: Findings): void {
  const text = member(step, 'from');
  if (isText(text) && !isTemplated(text)) tokenBodyFindings(text, `${path}/from`, findings);
}

/** `where`, unless `key` picks what is found out of `from`. */
function search(step: JsonObject, path: string, findings: Findings): void {
  scan(step, path, findings);
  const where = member(step, 'where');
  if (where !== undefined) whereFindings(where, `${path}/where`, findings);
  else if (member(step, 'from') === undefined || member(step, 'key') === undefined) {
    findings.add('WHERE_REQUIRED', path, `This step needs a 'where'.`);
  }
}

function checked(step: JsonObject, path: string, findings: Findings): void {
  const check = member(step, 'check');
  if (check === undefined || check === null) findings.add('MISSING_CHECK', path, `This step needs a 'check'.`);
  else conditionFindings(check, `${path}/check`, findings);
}

function returnOn(step: JsonObject, path: string, findings: Findings): void {
  const name = ['on', 'check', 'condition'].find((each) => member(step, each) !== undefined);
  if (name === undefined) findings.add('MISSING_CHECK', path, `This step needs a 'check'.`);
  else conditionFindings(member(step, name) ?? null, `${path}/${name}`, findings);
}

function condition(step: JsonObject, path: string, findings: Findings): void {
  const ownForm = ['field', 'left', 'expression', 'all', 'any'].some((name) => Object.hasOwn(step, name));
  if (member(step, 'workflow') !== undefined) callable(step, ['workflow'], path, findings, 'MISSING_WORKFLOW_TARGET');
  else if (!ownForm || member(step, 'check') !== undefined) checked(step, path, findings);
  else {
    findings.add('MISSING_CHECK', path, `The condition stands in the step itself.`, `Put it into 'check'.`);
    conditionFindings(step, path, findings);
  }
}

function callable(step: JsonObject, names: readonly string[], path: string, findings: Findings, missing: string): void {
  const name = names.find((each) => isText(member(step, each)));
  const called = name === undefined ? undefined : member(step, name);
  if (!isText(called)) findings.add(missing, path, `This step does not say what to call.`);
  else if (!isTemplated(called) && called.includes('.') && !findings.known.callable(called))
    blockCallFindings(called, step, path, findings);
  else if (!isTemplated(called) && !findings.known.callable(called) && !findings.ownBlocks.has(called)) {
    findings.add('WORKFLOW_NOT_FOUND', `${path}/${name}`, `There is no workflow '${called}'.`);
  }
  findings.member(step, 'params', path, isMap, 'INVALID_PARAMS', 'an object');
}

function sleep(step: JsonObject, path: string, findings: Findings): void {
  const ms = SLEEP_FIELDS.map((name) => member(step, name)).find((value) => value !== undefined);
  const isMs = typeof ms === 'number' && ms >= 0 && ms <= 300_000;
  if (!isMs) findings.add('INVALID_SLEEP_MS', path, `This step needs 'ms', from 0 to 300000.`, 'A call may sleep 1000 ms in all.');
}

function webhook(step: JsonObject, path: string, findings: Findings): void {
  const url = member(step, 'url');
  if (!isText(url)) findings.add('MISSING_WEBHOOK_URL', path, `This step needs a 'url'.`);
  else if (!isTemplated(url) && !/^https?:\/\/./i.test(url))
    findings.add('INVALID_WEBHOOK_URL', `${path}/url`, 'This is no address to post to.');
  const named = (field: Json) => isObject(field) && isText(member(field, 'name')) && member(field, 'value') !== undefined;
  findings.member(
    step,
    'fields',
    path,
    (fields) => isArray(fields) && fields.every(named),
    'INVALID_WEBHOOK_FIELDS',
    'a list of name and value',
  );
  findings.member(step, 'color', path, (color) => isText(color) && isColor(color.replace(/^#/, '')), 'WEBHOOK_COLOR', 'six hex digits');
}

function loop(step: JsonObject, path: string, findings: Findings): void {
  if (!isWhole(member(step, 'maxIterations') ?? null, 1, Number.MAX_SAFE_INTEGER)) {
    findings.add('MISSING_MAX_ITERATIONS', path, `A loop needs 'maxIterations', at least 1.`);
  }
  if (!isArray(member(step, 'body') ?? member(step, 'steps') ?? null))
    findings.add('MISSING_LOOP_BODY', path, `A loop needs a 'body' list.`);
}

function write(step: JsonObject, path: string, findings: Findings): void {
  target(step, path, findings);
  const ops = member(step, 'ops');
  if ((ops ?? null) === null && isObject(member(step, 'data') ?? null)) return;
  if (!isArray(ops) || ops.length === 0) {
    findings.add('MISSING_WRITE_OPS', path, `A write needs a list of 'ops'.`);
    return;
  }
  if (ops.length > MAX_OPERATIONS) findings.add('TOO_MANY_WRITE_OPS', `${path}/ops`, `A write has at most ${MAX_OPERATIONS} operations.`);
  for (const [index, op] of ops.slice(0, MAX_OPERATIONS).entries()) operation(op, `${path}/ops/${index}`, findings);
}

const OPERATIONS = new Set(['set', 'inc', 'push', 'pull', 'remove', 'delete', 'merge', 'set_if_null']);

function operation(op: Json, path: string, findings: Findings): void {
  const word = isObject(op) ? member(op, 'op') : undefined;
  if (!isObject(op) || !isText(word) || (!isTemplated(word) && !OPERATIONS.has(word))) {
    const fix = (isText(word) ? didYouMean(word, OPERATIONS) : undefined) ?? `One of ${[...OPERATIONS].join(', ')}.`;
    findings.add('INVALID_WRITE_OP', path, 'This is no operation.', fix);
    return;
  }
  unknownPartMembers(op, 'operation', path, findings);
  if (!isText(member(op, 'path'))) findings.add('MISSING_OP_PATH', path, `An operation needs a 'path'.`);
  operationWhen(op, path, findings);
  const value = member(op, 'value');
  const computed = ['valueExpression', 'expression'].find((name) => Object.hasOwn(op, name));
  if (word === 'pull') {
    if (!isObject(member(op, 'match') ?? null)) findings.add('PULL_REQUIRES_MATCH', path, `'pull' needs a 'match' object.`);
    return;
  }
  if (computed !== undefined) {
    expressionFindings(member(op, computed), `${path}/${computed}`, findings, 'math');
    return;
  }
  if (value === undefined) findings.add('MISSING_OP_VALUE', path, `This operation needs a 'value'.`);
  else if (word === 'inc' && !isNumber(value) && !isTemplated(value)) {
    findings.add('INC_VALUE_NOT_NUMERIC', `${path}/value`, `'inc' adds a number or a template.`);
  } else if (word === 'merge' && !isObject(value) && !isTemplated(value)) {
    findings.add('MERGE_VALUE_NOT_OBJECT', `${path}/value`, `'merge' takes an object.`);
  }
}

function operationWhen(op: JsonObject, path: string, findings: Findings): void {
  for (const name of ['when', 'if']) {
    const when = member(op, name);
    if (when === undefined || when === null) continue;
    if (isObject(when)) conditionFindings(when, `${path}/${name}`, findings);
    else if (typeof when !== 'boolean') findings.add('INVALID_OP_WHEN', `${path}/${name}`, `'${name}' is a condition, true or false.`);
  }
}

function switches(step: JsonObject, path: string, findings: Findings): void {
  const cases = member(step, 'cases');
  if (!isArray(cases) || cases.length === 0) {
    findings.add('MISSING_SWITCH_CASES', path, `A switch needs a list of 'cases'.`);
    return;
  }
  for (const [index, each] of cases.entries()) {
    const at = `${path}/cases/${index}`;
    const when = isObject(each) ? member(each, 'when') : undefined;
    if (!isObject(each) || when === undefined) {
      findings.add('INVALID_SWITCH_CASE', at, `A case needs a 'when'.`);
      continue;
    }
    conditionFindings(when, `${at}/when`, findings);
    unknownPartMembers(each, 'case', at, findings);
    if (!Object.hasOwn(each, 'then')) findings.add('SWITCH_CASE_THEN', at, `The case gives nothing: it has no 'then'.`);
  }
}

function random(step: JsonObject, path: string, findings: Findings): void {
  findings.member(step, 'mode', path, oneOf('int', 'float', 'weighted', 'beta'), 'INVALID_RANDOM_MODE', 'int, float, weighted or beta');
  if (member(step, 'mode') === 'weighted') findings.missing(step, ['items', 'from', 'source'], path, 'MISSING_RANDOM_ITEMS');
}

export const STEP_CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'read',
    (step, path, findings) => {
      target(step, path, findings);
      required(step, path, findings);
    },
  ],
  ['write', write],
  ['delete', target],
  ['condition', condition],
  ['assert', checked],
  ['lookup', search],
  ['filter', search],
  ['random_select', search],
  [
    'lookup_many',
    (step, path, findings) => {
      scan(step, path, findings);
      findings.missing(step, ['keys', 'values'], path, 'MISSING_LOOKUP_KEYS');
      findings.member(step, 'asMap', path, isFlag, 'INVALID_AS_MAP', 'true or false');
      findings.member(step, 'keyField', path, isText, 'INVALID_KEY_FIELD', 'a text');
    },
  ],
  ['transform', transformFindings],
  ['object', (step, path, findings) => findings.missing(step, ['fields', 'value'], path, 'MISSING_OBJECT_FIELDS')],
  [
    'array',
    (step, path, findings) => {
      const items = member(step, 'items');
      if (!isArray(items) && !isTemplated(items)) findings.add('INVALID_ARRAY_ITEMS', path, `'items' must be a list.`);
    },
  ],
  ['merge', (step, path, findings) => findings.missing(step, ['sources'], path, 'MISSING_MERGE_SOURCES')],
  [
    'sort',
    (step, path, findings) => {
      findings.missing(step, ['source'], path, 'MISSING_SORT_SOURCE');
      findings.member(step, 'direction', path, oneOf('asc', 'desc'), 'INVALID_SORT_DIRECTION', 'asc or desc');
    },
  ],
  ['switch', switches],
  [
    'compute',
    (step, path, findings) => {
      findings.missing(step, ['values', 'fields'], path, 'MISSING_COMPUTE_VALUES');
      findings.member(step, 'output', path, oneOf('scalars', 'object'), 'COMPUTE_OUTPUT', 'scalars or object');
    },
  ],
  ['random', random],
  ['sleep', sleep],
  ['webhook', webhook],
  ['block', (step, path, findings) => findings.missing(step, ['steps', 'body'], path, 'MISSING_BLOCK_STEPS')],
  ['while', loop],
  ['until', loop],
  [
    'foreach',
    (step, path, findings) => {
      loop(step, path, findings);
      from(step, path, findings);
      findings.missing(step, ['from'], path, 'MISSING_FOREACH_FIELD');
      findings.missing(step, ['item'], path, 'MISSING_FOREACH_FIELD');
    },
  ],
  ['return_on', returnOn],
  ['workflow', (step, path, findings) => callable(step, ['workflow', 'target'], path, findings, 'MISSING_WORKFLOW_TARGET')],
  ['call', (step, path, findings) => callable(step, ['target', 'workflow'], path, findings, 'MISSING_CALL_TARGET')],
]);
