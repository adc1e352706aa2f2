import { MAX_OPERATIONS, type operation as operationSchema } from '../../contract/resources/step.ts';
import type { Normal, PART_SYNONYMS } from '../../contract/resources/synonyms.ts';
import { OperationError } from '../../domain/document/operations.ts';
import { truncateText } from '../../domain/document/truncate-text.ts';
import type { Operation } from '../../domain/events.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { documentKey } from '../documents.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Check, Eval, Scope } from '../expressions/scope.ts';
import { compileDeep } from '../expressions/template.ts';
import { isNullish, toText } from '../expressions/value.ts';
import type { Target } from '../run.ts';
import {
  type Compilation,
  type CompileStep,
  errorCode,
  type Frame,
  firstString,
  type StepDefinition,
  type StepDefinitionOf,
  stepFailure,
} from '../step.ts';
import { collectionOf, compileKey } from './read.ts';

/** `write` and `delete`: queued, and committed with the whole call. */

/** Cost of one operation, in units of work. An operation copies what it changes, so ten thousand operations reach the limit of a call. */
const OPERATION_COST = 200;
const SOURCE_LENGTH = 64;
const REASON_LENGTH = 256;

/** An operation resolved for one call, with its position in the step. */
interface Resolved {
  readonly index: number;
  readonly operation: Operation;
}

type WrittenOperation = Normal<typeof operationSchema, typeof PART_SYNONYMS.operation>;
type CompiledOperation = (scope: Scope) => Operation | null;

export const writeStep: CompileStep<'write'> = (step, compilation) => {
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
 * Binds the written document under the step's name, unless that name is bound to something else: a definition that reads and writes under one id
 * continues with what it read.
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

export const deleteStep: CompileStep<'delete'> = (step, compilation) => {
  const target = compileTarget(step, compilation);
  return (frame) => {
    frame.scope.context.spend(OPERATION_COST);
    frame.documents.delete(step.id, target(frame.scope));
    return undefined;
  };
};

/** Where to write. A key without a value is refused: else the mistakes of all definitions would write a document called `undefined`. */
function compileTarget(step: StepDefinitionOf<'write' | 'delete'>, compilation: Compilation): (scope: Scope) => Target {
  const collection = collectionOf(step, compilation);
  const named = firstString(step.json, 'collection') ?? '';
  const keyText = compileKey(step, compilation);
  return (scope) => {
    if (collection === null) throw new LanguageError(`there is no collection "${named}".`);
    const text = keyText(scope);
    if (text === '' || text === '_default') throw new LanguageError('key resolved to empty.');
    const key = documentKey(text);
    if (key === null) throw new LanguageError('key is not a usable document key.');
    return { collection, key, named, keyText: text };
  };
}

function refused(step: StepDefinition, reason: string): Error {
  return stepFailure(step, 400, errorCode(step), `Write "${step.id}": ${reason}`);
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
 * Whether an operation removes nothing, because a value in it is missing. If a missing member were left out instead, the operation would remove
 * every item that matches the rest: for `{id: '{{input.id}}'}` and a call without `input.id`, the whole list.
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

/** Whether an operation applies in a call. Without `when` it always does. */
export function compileWhen(language: Language, json: Json | undefined): Check {
  if (json === undefined || json === null) return () => true;
  return typeof json === 'boolean' ? () => json : language.condition(json);
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
  return {
    op,
    path,
    ...(value === undefined ? {} : { value }),
    ...(match === undefined ? {} : { match }),
    ...(source === undefined ? {} : { source: truncateText(source, SOURCE_LENGTH) }),
    ...(reason === undefined ? {} : { reason: truncateText(reason, REASON_LENGTH) }),
  };
}
