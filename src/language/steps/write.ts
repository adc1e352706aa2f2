import { MAX_OPERATIONS, OPERATION_WORDS, type operation as operationSchema } from '../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { OperationError } from '../../domain/document/operations.ts';
import { isReservedSource, saysReserved } from '../../domain/document/sources.ts';
import { truncateText } from '../../domain/document/truncate-text.ts';
import type { Operation } from '../../domain/events.ts';
import { type Findings, isTemplated, isText } from '../../domain/finding.ts';
import { isArray, isNumber, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Eval, Scope } from '../expressions/scope.ts';
import { compileDeep } from '../expressions/template.ts';
import { isNullish, toText } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { type CompileStep, type Frame, firstString, type StepDefinition } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { goesOn, REFUSED, type StepFlow } from '../types/flow.ts';
import { bind, typeOfName } from '../types/names.ts';
import { MISSING, union, without } from '../types/type.ts';
import { conditionFindings } from '../validate/condition.ts';
import { expressionFindings } from '../validate/expression.ts';
import { type ClosedDocuments, documentsOf, pathFinding, valueFindings } from '../validate/fields.ts';
import { unknownPartMembers } from '../validate/members.ts';
import { documentFindings, documentShape } from './shared/documents.ts';
import { compileTarget, OPERATION_COST, refused } from './shared/target.ts';
import { compileWhen } from './shared/when.ts';

/** `write`: changes a document. It is queued, and committed with the whole call. */

const SOURCE_LENGTH = 64;

const REASON_LENGTH = 256;

/** An operation resolved for one call, with its position in the step. */
interface Resolved {
  readonly index: number;
  readonly operation: Operation;
}

type WrittenOperation = Normal<typeof operationSchema, typeof PART_SYNONYMS.operation>;

type CompiledOperation = (scope: Scope) => Operation | null;

const compile: CompileStep<'write'> = (step, compilation) => {
  const ops = step.json.ops ?? assignments(step.json.data);
  if (!isArray(ops)) throw new LanguageError('ops must be a list.');
  const target = compileTarget(step, compilation);
  const compiled = ops.map((op) => compileOperation(compilation.language, op));
  return (frame) => {
    if (compiled.length > MAX_OPERATIONS) throw refused(step, `Maximum ${MAX_OPERATIONS} operations per request.`);
    const at = target(frame.scope);
    const resolved = resolveAll(step, compiled, frame.scope);
    if (resolved.length === 0) return undefined;
    frame.scope.context.spend(resolved.length * OPERATION_COST);
    frame.budgets?.spend('writeOps', resolved.length);
    try {
      const operations = resolved.map(({ operation }) => operation);
      const document = frame.documents.write(step.id, at, operations);
      bindWritten(frame, step, document);
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      throw refused(step, `ops[${resolved[error.index]?.index ?? error.index}]: ${error.message}`);
    }
    return undefined;
  };
};

/**
 * Binds the written document under the step's name, unless that name is bound to something else: a definition that reads and writes under
 * one id continues with what it read.
 */
function bindWritten({ scope, documents }: Frame, { name }: StepDefinition, document: JsonObject): void {
  const held = scope.names.get(name);
  if (held !== undefined && held !== documents.bound.get(name)) return;
  scope.names.set(name, document);
  documents.bound.set(name, document);
}

/** `data` is the short form of a `set` for each member. */
function assignments(data: Json | undefined): Json | undefined {
  return isObject(data) ? Object.entries(data).map(([path, value]) => ({ op: 'set', path, value })) : undefined;
}

function resolveAll(step: StepDefinition, compiled: readonly CompiledOperation[], scope: Scope): Resolved[] {
  const resolved: Resolved[] = [];
  compiled.forEach((resolve, index) => {
    try {
      const operation = resolve(scope);
      if (operation !== null) resolved.push({ index, operation });
    } catch (error) {
      if (!(error instanceof LanguageError)) throw error;
      throw refused(step, `ops[${index}]: ${error.message}`);
    }
  });
  return resolved;
}

/** The compiled operation gives `null` if its `when` does not hold, or if it would remove items by a value that is missing in this call. */
function compileOperation(language: Language, written: Json): CompiledOperation {
  if (!isObject(written)) return fails('must be an object.');
  const json: WrittenOperation = written;
  const op = compileDeep(language, json.op);
  const path = compileDeep(language, json.path);
  const value = compileValue(language, json);
  const match = compileDeep(language, json.match);
  const source = compileDeep(language, json.source);
  const reason = compileDeep(language, json.reason);
  const when = compileWhen(language, json.when);
  return (scope) => {
    if (!when(scope)) return null;
    const operation = operationOf({
      op: text(scope, op(scope)),
      path: text(scope, path(scope)),
      value: storable(scope, value(scope)),
      match: storable(scope, match(scope)),
      source: text(scope, source(scope)),
      reason: text(scope, reason(scope)),
    });
    return removesNothing(json, operation) ? null : operation;
  };
}

/** The member of an operation that says which items of a list it removes. */
const REMOVED_BY: ReadonlyMap<string, 'match' | 'value'> = new Map([
  ['pull', 'match'],
  ['remove', 'value'],
  ['delete', 'value'],
]);

/**
 * Whether an operation removes nothing, because a value in it is missing. If a missing member were left out instead, the operation would
 * remove every item that matches the rest: for `{id: '{{input.id}}'}` and a call without `input.id`, the whole list.
 */
function removesNothing(json: WrittenOperation, operation: Operation): boolean {
  const name = REMOVED_BY.get(operation.op);
  return name !== undefined && lacksMember(json[name], operation[name]);
}

/** Whether an object, at any depth, lacks a member that is written in it. */
function lacksMember(written: Json | undefined, resolved: Json | undefined): boolean {
  if (isArray(written) && isArray(resolved)) return written.some((item, at) => lacksMember(item, resolved[at]));
  if (!isObject(written) || !isObject(resolved)) return false;
  return Object.entries(written).some(([name, item]) => !Object.hasOwn(resolved, name) || lacksMember(item, resolved[name]));
}

function fails(reason: string): CompiledOperation {
  return () => {
    throw new LanguageError(reason);
  };
}

/** `valueExpression`, a number or arithmetic, comes before `value`. */
function compileValue(language: Language, json: WrittenOperation): Eval {
  const { valueExpression: expression } = json;
  if (typeof expression === 'string') return language.math(expression);
  if (typeof expression === 'number') return () => expression;
  return compileDeep(language, json.value);
}

function text(scope: Scope, value: Json | undefined): string | undefined {
  return isNullish(value) || value === '' ? undefined : toText(scope.context.plain(value));
}

/** A value to be stored: charged for, and without numbers that JSON cannot hold. */
function storable(scope: Scope, value: Json | undefined): Json | undefined {
  if (value === undefined || scope.context.measure(value)) return value;
  throw new LanguageError('the value holds a number that is not finite.');
}

interface OperationParts {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly value: Json | undefined;
  readonly match: Json | undefined;
  readonly source: string | undefined;
  readonly reason: string | undefined;
}

function operationOf({ op, path, value, match, source, reason }: OperationParts): Operation {
  if (op === undefined || path === undefined) throw new LanguageError('missing "op" or "path".');
  if (source !== undefined && isReservedSource(source)) throw new LanguageError(`${saysReserved(source)}.`);
  return {
    op,
    path,
    ...(value === undefined ? {} : { value }),
    ...(match === undefined ? {} : { match }),
    ...(source === undefined ? {} : { source: truncateText(source, SOURCE_LENGTH) }),
    ...(reason === undefined ? {} : { reason: truncateText(reason, REASON_LENGTH) }),
  };
}

function check(step: NormalStep<'write'>, pointer: string, findings: Findings): void {
  documentFindings(step, pointer, findings);
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
function operationFields(documents: ClosedDocuments, op: WrittenOperation, pointer: string, findings: Findings): void {
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
  const op: WrittenOperation = objectOf(written);
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
  if (isText(op.source) && isReservedSource(op.source)) {
    const fix = 'Corrections are writes of the secret key to a document, as of `savepoint doc set --correction`.';
    findings.add('RESERVED_SOURCE', `${pointer}/source`, `The write is refused: ${saysReserved(op.source)}.`, fix);
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

function operationWhen({ when }: WrittenOperation, pointer: string, findings: Findings): void {
  if (when === undefined || when === null) return;
  const at = `${pointer}/when`;
  if (isObject(when)) conditionFindings(when, at, findings);
  else if (typeof when !== 'boolean') findings.add('INVALID_OP_WHEN', at, `'${findings.nameAt(at)}' is a condition, true or false.`);
}

/** Binds the written document, unless another kind of step has the name. It may be missing if no operation is certain to run. */
const flow: StepFlow<NormalStep<'write'>> = (step, names, frame) => {
  const { json, name } = step;
  const collection = firstString(json, 'collection');
  const document = frame.analysis.documents(collection);
  if (document === null) return REFUSED;
  frame.analysis.touched('writes', collection);
  const held = names.bound.get(name) ?? MISSING;
  const written = union(document, without(held, 'missing'));
  const operations = isArray(json.ops) ? json.ops : Object.keys(objectOf(json.data));
  const isDone = operations.some((one) => typeof one === 'string' || isCertain(objectOf(one)));
  return goesOn(bind(names, [name, isDone ? written : union(written, typeOfName(names, name))]));
};

function isCertain({ op, when }: WrittenOperation): boolean {
  return (when ?? true) === true && op !== 'pull' && op !== 'remove' && op !== 'delete';
}

export const writeStep: StepKind<'write'> = {
  budget: 'writes',
  writes: true,
  compile,
  check,
  binds: documentShape,
  flow,
};
