import type { switchCase } from '../../contract/resources/condition.ts';
import { MAX_OPERATIONS, OPERATION_WORDS, type operation as operationSchema, STEPS, type StepType } from '../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { refuseTakenKey } from '../../domain/document/address.ts';
import { CORRECTION } from '../../domain/document/correction.ts';
import { type Findings, isTemplated, isText, isWhole } from '../../domain/finding.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { NormalStep } from '../normal/logic.ts';
import { calledFindings } from './called.ts';
import { conditionFindings, whereFindings } from './condition.ts';
import { expressionFindings } from './expression.ts';
import { type ClosedDocuments, documentsOf, pathFinding, rowsOf, valueFindings, whereFieldFindings } from './fields.ts';
import { unknownPartMembers } from './members.ts';
import { tokenBodyFindings } from './tokens.ts';
import { transformFindings } from './transform.ts';

/** Findings for the members that each type of step needs. */

type Step<T extends StepType> = NormalStep<T>;
type Op = Normal<typeof operationSchema, typeof PART_SYNONYMS.operation>;
type Check<T extends StepType> = (step: Step<T>, pointer: string, findings: Findings) => void;

/** Steps that search rows. */
type Search = 'lookup' | 'filter' | 'random_select';

function target(step: Step<'read' | 'write' | 'delete'>, pointer: string, findings: Findings): void {
  collection(step, pointer, findings);
  if (isText(step.key)) {
    addressFinding(step, step.key, pointer, findings);
    return;
  }
  const { collection: named, key, type } = step;
  const mayMeanTheCaller = key === undefined && type !== 'delete' && isText(named);
  // Nobody knows whether a collection that is not there belongs to players.
  const isMissing = isText(named) && !isTemplated(named) && !findings.known.collection(named);
  if (mayMeanTheCaller && (isMissing || findings.known.playersCollection(named))) return;
  findings.add('MISSING_KEY', pointer, `This step needs a 'key'.`, 'Such as {{platformId}}.');
}

/** A document that a step makes under a fixed key. */
function addressFinding(
  { type, collection: name }: Step<'read' | 'write' | 'delete'>,
  key: string,
  pointer: string,
  findings: Findings,
): void {
  if (type !== 'write' || isTemplated(key) || !isText(name)) return;
  const refused = refuseTakenKey({ id: name, type: 'per-platformid' }, key);
  if (refused !== null) findings.add(refused.code, `${pointer}/key`, `${refused.message}.`);
}

function collection({ collection: name }: Pick<Step<'read'>, 'collection'>, pointer: string, findings: Findings): void {
  if (!isText(name)) findings.add('MISSING_COLLECTION', pointer, `This step needs a 'collection'.`);
  else if (!isTemplated(name) && !findings.known.collection(name)) {
    findings.addMissing('COLLECTION_NOT_FOUND', `${pointer}/collection`, `There is no collection '${name}'.`, { kind: 'collection', name });
  }
}

function required(step: Step<'read'>, pointer: string, findings: Findings): void {
  findings.structure(STEPS.read, step, pointer, 'required', 'onMissing');
  if (isObject(step.onMissing)) unknownPartMembers(step.onMissing, 'onMissing', `${pointer}/onMissing`, findings);
}

function scan(step: Step<Search>, pointer: string, findings: Findings): void {
  required(step, pointer, findings);
  if (step.from !== undefined) {
    from(step, pointer, findings);
    return;
  }
  const { source } = step;
  if (source === undefined) {
    collection(step, pointer, findings);
    return;
  }
  if (source !== 'values') {
    findings.add('INVALID_SCAN_SOURCE', `${pointer}/source`, `'source' is 'values', or the step names a 'collection'.`);
    return;
  }
  const table = step.table ?? step.collection;
  if (!isText(table)) findings.add('MISSING_VALUES_TABLE', pointer, `This step needs a 'table'.`);
  else if (!isTemplated(table) && !findings.known.table(table)) {
    const message = `The game values have no table '${table}'.`;
    findings.addMissing('VALUES_TABLE_NOT_FOUND', `${pointer}/table`, message, { kind: 'table', name: table });
  }
}

/** `from`: a path of the call, such as `visited[current]`, or one token. */
function from({ from: text }: Pick<Step<'foreach'>, 'from'>, pointer: string, findings: Findings): void {
  if (isText(text) && !isTemplated(text)) tokenBodyFindings(text, `${pointer}/from`, findings);
}

/** Findings for the fields of a row that a search names. */
function rowFields(documents: ClosedDocuments, step: Step<Search>, pointer: string, findings: Findings): void {
  const { where, weightField }: Step<'random_select'> = step;
  if (where !== undefined) whereFieldFindings(documents, where, `${pointer}/where`, findings);
  if (isText(weightField)) pathFinding(documents, weightField, `${pointer}/weightField`, findings);
}

/** A search needs a `where`, unless `key` selects the row in `from`. */
function search(step: Step<Search>, pointer: string, findings: Findings): void {
  scan(step, pointer, findings);
  const { where } = step;
  const documents = rowsOf(step, findings);
  if (documents !== null) rowFields(documents, step, pointer, findings);
  if (where !== undefined) whereFindings(where, `${pointer}/where`, findings);
  else if (step.from === undefined || step.key === undefined) {
    findings.add('WHERE_REQUIRED', pointer, `This step needs a 'where'.`);
  }
}

function checked({ check }: Step<'assert' | 'return_on'>, pointer: string, findings: Findings): void {
  if (check === undefined || check === null) findings.add('MISSING_CHECK', pointer, `This step needs a 'check'.`);
  else conditionFindings(check, `${pointer}/check`, findings);
}

function condition(step: Step<'condition'>, pointer: string, findings: Findings): void {
  const ownForm = ['field', 'expression', 'all', 'any'].some((name) => Object.hasOwn(step, name));
  if (step.workflow !== undefined) callable(step, pointer, findings, 'MISSING_WORKFLOW_TARGET');
  else if (!ownForm || step.check !== undefined) checked(step, pointer, findings);
  else {
    findings.add('MISSING_CHECK', pointer, `The condition stands in the step itself.`, `Put it into 'check'.`);
    conditionFindings(step, pointer, findings);
  }
}

function callable(step: Step<'call'>, pointer: string, findings: Findings, missing: string): void {
  const { workflow, params } = step;
  if (!isText(workflow)) findings.add(missing, pointer, `This step does not say what to call.`);
  else calledFindings(workflow, { pointer, params }, findings);
  findings.structure(STEPS.call, step, pointer, 'params');
}

function sleep({ ms }: Step<'sleep'>, pointer: string, findings: Findings): void {
  const isMs = typeof ms === 'number' && ms >= 0 && ms <= 300_000;
  if (!isMs) findings.add('INVALID_SLEEP_MS', pointer, `This step needs 'ms', from 0 to 300000.`, 'A call may sleep 1000 ms in all.');
}

function webhook(step: Step<'webhook'>, pointer: string, findings: Findings): void {
  const { url } = step;
  if (!isText(url)) findings.add('MISSING_WEBHOOK_URL', pointer, `This step needs a 'url'.`);
  else if (!isTemplated(url) && !/^https?:\/\/./i.test(url))
    findings.add('INVALID_WEBHOOK_URL', `${pointer}/url`, 'This is no address to post to.');
  findings.structure(STEPS.webhook, step, pointer, 'fields', 'color');
}

function loop(step: Step<'while' | 'until' | 'foreach'>, pointer: string, findings: Findings): void {
  if (!isWhole(step.maxIterations ?? null, 1, Number.MAX_SAFE_INTEGER)) {
    findings.add('MISSING_MAX_ITERATIONS', pointer, `A loop needs 'maxIterations', at least 1.`);
  }
  if (!isArray(step.steps)) findings.add('MISSING_LOOP_BODY', pointer, `A loop needs a 'body' list.`);
}

function write(step: Step<'write'>, pointer: string, findings: Findings): void {
  target(step, pointer, findings);
  const { ops, data } = step;
  const documents = documentsOf(step.collection, findings);
  if ((ops ?? null) === null && isObject(data)) {
    for (const [path, value] of Object.entries(data)) assigned(documents, path, value, `${pointer}/data/${path}`, findings);
    return;
  }
  if (!isArray(ops) || ops.length === 0) {
    findings.add('MISSING_WRITE_OPS', pointer, `A write needs a list of 'ops'.`);
    return;
  }
  if (ops.length > MAX_OPERATIONS)
    findings.add('TOO_MANY_WRITE_OPS', `${pointer}/ops`, `A write has at most ${MAX_OPERATIONS} operations.`);
  for (const [index, op] of ops.slice(0, MAX_OPERATIONS).entries()) operation(op, `${pointer}/ops/${index}`, findings, documents);
}

const OPERATIONS: ReadonlySet<string> = new Set(OPERATION_WORDS);

function assigned(documents: ClosedDocuments | null, path: string, value: Json, pointer: string, findings: Findings): void {
  const field = documents === null ? null : pathFinding(documents, path, pointer, findings);
  if (documents !== null && field !== null) valueFindings(documents, field, value, pointer, findings);
}

/** Findings for the fields that an operation names: in its path, in the value that it writes, and in the value that it matches. */
function operationFields(documents: ClosedDocuments, op: Op, pointer: string, findings: Findings): void {
  const { path, value, match } = op;
  const field = isText(path) ? pathFinding(documents, path, `${pointer}/path`, findings) : null;
  if (field === null) return;
  if (field.items !== undefined) {
    for (const [name, item] of [
      ['value', op.op === 'push' ? value : undefined],
      ['match', match],
    ] as const)
      if (item !== undefined) valueFindings(documents, field.items, item, `${pointer}/${name}`, findings);
  }
  if (value !== undefined && op.op !== 'push') valueFindings(documents, field, value, `${pointer}/value`, findings);
}

function operation(written: Json, pointer: string, findings: Findings, documents: ClosedDocuments | null): void {
  const op: Op = objectOf(written);
  const word = op.op;
  if (!isText(word) || (!isTemplated(word) && !OPERATIONS.has(word))) {
    const fix = (isText(word) ? didYouMean(word, OPERATIONS) : undefined) ?? `One of ${[...OPERATIONS].join(', ')}.`;
    if (isText(word)) findings.add('INVALID_WRITE_OP', `${pointer}/op`, `'${word}' is no operation.`, fix);
    else findings.add('INVALID_WRITE_OP', pointer, `An operation needs an 'op'.`, fix);
    return;
  }
  unknownPartMembers(op, 'operation', pointer, findings);
  if (!isText(op.path)) findings.add('MISSING_OP_PATH', pointer, `An operation needs a 'path'.`);
  if (documents !== null) operationFields(documents, op, pointer, findings);
  operationWhen(op, pointer, findings);
  if (op.source === CORRECTION) {
    const fix = 'Corrections are writes of the secret key to a document, as of `savepoint doc set --correction`.';
    findings.add('CORRECTION_COUNTED', `${pointer}/source`, `What an endpoint writes meets the limits, whatever its 'source'.`, fix);
  }
  const { value } = op;
  if (word === 'pull') {
    if (!isObject(op.match)) findings.add('PULL_REQUIRES_MATCH', pointer, `'pull' needs a 'match' object.`);
    return;
  }
  if (op.valueExpression !== undefined) {
    expressionFindings(op.valueExpression, `${pointer}/valueExpression`, findings, 'math');
    return;
  }
  if (value === undefined) findings.add('MISSING_OP_VALUE', pointer, `This operation needs a 'value'.`);
  else if (word === 'inc' && !isNumber(value) && !isTemplated(value)) {
    findings.add('INC_VALUE_NOT_NUMERIC', `${pointer}/value`, `'inc' adds a number or a template.`);
  } else if (word === 'merge' && !isObject(value) && !isTemplated(value)) {
    findings.add('MERGE_VALUE_NOT_OBJECT', `${pointer}/value`, `'merge' takes an object.`);
  }
}

function operationWhen({ when }: Op, pointer: string, findings: Findings): void {
  if (when === undefined || when === null) return;
  const at = `${pointer}/when`;
  if (isObject(when)) conditionFindings(when, at, findings);
  else if (typeof when !== 'boolean') findings.add('INVALID_OP_WHEN', at, `'${findings.nameAt(at)}' is a condition, true or false.`);
}

function switches({ cases }: Step<'switch'>, pointer: string, findings: Findings): void {
  if (!isArray(cases) || cases.length === 0) {
    findings.add('MISSING_SWITCH_CASES', pointer, `A switch needs a list of 'cases'.`);
    return;
  }
  for (const [index, each] of cases.entries()) {
    const at = `${pointer}/cases/${index}`;
    const { when }: Normal<typeof switchCase, typeof PART_SYNONYMS.case> = objectOf(each);
    if (!isObject(each) || when === undefined) {
      findings.add('INVALID_SWITCH_CASE', at, `A case needs a 'when'.`);
      continue;
    }
    conditionFindings(when, `${at}/when`, findings);
    unknownPartMembers(each, 'case', at, findings);
    if (!Object.hasOwn(each, 'then')) findings.add('SWITCH_CASE_THEN', at, `The case gives nothing: it has no 'then'.`);
  }
}

function random(step: Step<'random'>, pointer: string, findings: Findings): void {
  findings.structure(STEPS.random, step, pointer, 'mode');
  if (step.mode === 'weighted') findings.missing(step, ['items', 'source'], pointer, 'MISSING_RANDOM_ITEMS');
}

const CHECKS: { readonly [T in StepType]?: Check<T> } = {
  read(step, pointer, findings) {
    target(step, pointer, findings);
    required(step, pointer, findings);
  },
  write,
  delete: target,
  condition,
  assert: checked,
  lookup: search,
  filter: search,
  random_select: search,
  lookup_many(step, pointer, findings) {
    scan(step, pointer, findings);
    const documents = rowsOf(step, findings);
    if (documents !== null && isText(step.keyField)) pathFinding(documents, step.keyField, `${pointer}/keyField`, findings);
    findings.missing(step, ['keys'], pointer, 'MISSING_LOOKUP_KEYS');
    findings.structure(STEPS.lookup_many, step, pointer, 'asMap', 'keyField');
  },
  transform: transformFindings,
  object: (step, pointer, findings) => findings.missing(step, ['fields'], pointer, 'MISSING_OBJECT_FIELDS'),
  array({ items }, pointer, findings) {
    if (!isArray(items) && !isTemplated(items)) findings.add('INVALID_ARRAY_ITEMS', pointer, `'items' must be a list.`);
  },
  merge: (step, pointer, findings) => findings.missing(step, ['sources'], pointer, 'MISSING_MERGE_SOURCES'),
  sort(step, pointer, findings) {
    findings.missing(step, ['source'], pointer, 'MISSING_SORT_SOURCE');
    findings.structure(STEPS.sort, step, pointer, 'direction');
  },
  switch: switches,
  compute(step, pointer, findings) {
    findings.missing(step, ['values'], pointer, 'MISSING_COMPUTE_VALUES');
    findings.structure(STEPS.compute, step, pointer, 'output');
    if (step.mode === 'template') return;
    for (const [entry, value] of Object.entries(objectOf(step.values))) expressionFindings(value, `${pointer}/values/${entry}`, findings);
  },
  random,
  sleep,
  webhook,
  block: (step, pointer, findings) => findings.missing(step, ['steps'], pointer, 'MISSING_BLOCK_STEPS'),
  while: loop,
  until: loop,
  foreach(step, pointer, findings) {
    loop(step, pointer, findings);
    from(step, pointer, findings);
    findings.missing(step, ['from'], pointer, 'MISSING_FOREACH_FIELD');
    findings.missing(step, ['item'], pointer, 'MISSING_FOREACH_FIELD');
  },
  return_on: checked,
  workflow: (step, pointer, findings) => callable(step, pointer, findings, 'MISSING_WORKFLOW_TARGET'),
  call: (step, pointer, findings) => callable(step, pointer, findings, 'MISSING_CALL_TARGET'),
};

const BY_TYPE: ReadonlyMap<string, Check<StepType>> = new Map(Object.entries(CHECKS));

/** Checks the members of a step by its type. */
export function checkStep(type: string, step: JsonObject, pointer: string, findings: Findings): void {
  BY_TYPE.get(type)?.(step, pointer, findings);
}
