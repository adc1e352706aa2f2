import { STEPS } from '../../contract/resources/step.ts';
import { type Findings, isText } from '../../domain/finding.ts';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { LanguageError } from '../expressions/errors.ts';
import { ENTRY_COST, MEMBER_COST, type Scope } from '../expressions/scope.ts';
import { compileDeep, setMember } from '../expressions/template.ts';
import { toText, type Value } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, firstString } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { binds } from '../types/bound.ts';
import type { StepFlow } from '../types/flow.ts';
import { list, NULL, type Type, union } from '../types/type.ts';
import { pathFinding, rowsOf } from '../validate/fields.ts';
import { compileRows, rowOf, rowsFindings } from './shared/rows.ts';

/** `lookup_many`: rows by their keys. */

const compile: CompileStep<'lookup_many'> = (step, compilation) => {
  const { json } = step;
  const rows = compileRows(step, compilation);
  const keys = compileDeep(compilation.language, json.keys);
  const keyField = firstString(json, 'keyField') ?? 'id';
  const asMap = json.asMap !== false;
  return binding(step, (frame) => {
    const { scope } = frame;
    const wanted = keys(scope);
    if (!isArray(wanted) || wanted.length === 0) throw new LanguageError('keys must be a non-empty list.');
    const text = (value: Value) => keyText(scope, value);
    scope.context.spend(ENTRY_COST * wanted.length);
    const list = rows(frame);
    scope.context.spend(ENTRY_COST * list.length);
    const index = new Map(list.map((row) => [text(isObject(row) ? member(row, keyField) : undefined), row]));
    const found = wanted.map(text).map((key) => [key, index.get(key) ?? null] as const);
    if (asMap) scope.context.spend(MEMBER_COST * found.length);
    return asMap ? mapOf(found) : found.map(([, row]) => row);
  });
};

/** A key of a map as text. It is charged for, because all of it is read. */
function keyText(scope: Scope, value: Value): string {
  const text = toText(scope.context.plain(value));
  scope.context.spend(text.length >> 5);
  return text;
}

function mapOf(entries: readonly (readonly [string, Json])[]): Json {
  const map: Record<string, Json> = {};
  for (const [key, row] of entries) setMember(map, key, row);
  return map;
}

function check(step: NormalStep<'lookup_many'>, pointer: string, findings: Findings): void {
  rowsFindings(step, pointer, findings);
  const documents = rowsOf(step, findings);
  if (documents !== null && isText(step.keyField)) pathFinding(documents, step.keyField, `${pointer}/keyField`, findings);
  findings.missing(step, ['keys'], pointer, 'MISSING_LOOKUP_KEYS');
  findings.structure(STEPS.lookup_many, step, pointer, 'asMap', 'keyField');
}

const flow: StepFlow<NormalStep<'lookup_many'>> = (step, names, frame) => {
  const row = union(rowOf(step, names, frame), NULL);
  const map: Type = { kind: 'object', members: new Map(), rest: row, open: false };
  return binds(step, names, step.json.asMap === false ? list(row) : map);
};

export const lookupManyStep: StepKind<'lookup_many'> = {
  budget: 'reads',
  paths: ['from'],
  compile,
  check,
  binds: () => 'open',
  flow,
};
