import { STEPS } from '../../contract/resources/step.ts';
import { type Findings, isText } from '../../domain/finding.ts';
import { isArray, isNumber, isObject, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { bracketParts } from '../expressions/brackets.ts';
import { changed, writablePath } from '../expressions/change.ts';
import { language } from '../expressions/compilers.ts';
import type { ComputedPath } from '../expressions/computed-path.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Eval, Scope } from '../expressions/scope.ts';
import { compileDeep, compileShallow } from '../expressions/template.ts';
import { isNullish, type Value } from '../expressions/value.ts';
import type { NormalStep } from '../normal/logic.ts';
import { binding, type CompileStep, type StepDefinition, type StepDefinitionOf } from '../step.ts';
import type { StepKind } from '../step-kind.ts';
import { goesOn, REFUSED, type StepFlow } from '../types/flow.ts';
import { bind, type Names, typeOfName } from '../types/names.ts';
import { segmentsOf, typeOfDeep, typeOfExpression, typeOfShallow } from '../types/templates.ts';
import { isNever, list, NUMBER, nullForMissing, partsOf, type Type, UNKNOWN, union } from '../types/type.ts';
import { changedType } from '../types/walk.ts';
import { expressionFindings } from '../validate/expression.ts';
import { RESERVED_NAMES } from '../validate/reserved.ts';

/**
 * `transform` makes a value, and changes names of the call with `set` and `append`. Each is a map of path to value, as in `set:
 * {'visited[current]': true, current: '{{next}}'}`, or one path, which gets the step's own value. Only names change, never a document.
 * Other names that hold the same value keep it.
 */
const compile: CompileStep<'transform'> = (step, { language }) => {
  const own = compileComputedValue(language, step.json);
  const changes = [...compileChanges(language, step, 'set'), ...compileChanges(language, step, 'append')];
  if (own === null && (changes.length === 0 || changes.some(({ value }) => value === null))) {
    throw new LanguageError('it has neither expression nor value.');
  }
  const bind = own === null ? null : binding(step, ({ scope }) => own(scope));
  if (changes.length === 0 && bind !== null) return bind;
  return (frame) => {
    bind?.(frame);
    for (const change of changes) apply(frame.scope, change, step);
    return undefined;
  };
};

/** What is bound under the step's name; `null` if it only changes names. */
function compileComputedValue(language: Language, { expression, value }: NormalStep<'transform'>): Eval | null {
  if (typeof expression === 'string') return language.expression(expression);
  if (isNumber(expression)) return () => expression;
  return value === undefined ? null : compileShallow(language, value);
}

interface CompiledChange {
  readonly verb: 'set' | 'append';
  readonly text: string;
  readonly target: ComputedPath;
  /** `null`: the step's own value. */
  readonly value: Eval | null;
}

function compileChanges(language: Language, { json }: StepDefinitionOf<'transform'>, verb: CompiledChange['verb']): CompiledChange[] {
  const written = json[verb] ?? null;
  if (written === null) return [];
  if (typeof written === 'string') return [{ verb, text: written, target: writablePath(language, written), value: null }];
  if (!isObject(written)) throw new LanguageError(`${verb} must be a map of path to value, or a path.`);
  return Object.entries(written).map(([text, value]) => ({
    verb,
    text,
    target: writablePath(language, text),
    value: compileValue(language, value),
  }));
}

/** As in the operations of a write, every text in it is a template, and an object with nothing but `expression` is computed. */
function compileValue(language: Language, json: Json): Eval {
  const { expression, ...others }: NormalStep<'transform'> = objectOf(json);
  return typeof expression === 'string' && Object.keys(others).length === 0 ? language.expression(expression) : compileDeep(language, json);
}

function apply(scope: Scope, { verb, text, target, value }: CompiledChange, step: StepDefinition): void {
  const given = (value === null ? scope.name(step.name) : value(scope)) ?? null;
  const path = target(scope);
  if (path === null) throw new LanguageError(`The name or token between the brackets of "${text}" has no value.`);
  const change = verb === 'set' ? () => given : (before: Value) => appended(scope, before, given, text);
  scope.names.set(path.root, changed(scope, scope.name(path.root), path.rest, 0, change, text));
}

function appended(scope: Scope, before: Value, given: Json, text: string): Json {
  if (isNullish(before)) return [given];
  if (!isArray(before)) throw new LanguageError(`"${text}" is not a list, so nothing can be appended to it.`);
  scope.context.spend(before.length);
  return [...before, given];
}

/** Members of a transform that change names of the call. */
const CHANGES = ['set', 'append'] as const;

function check(step: NormalStep<'transform'>, pointer: string, findings: Findings): void {
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

/** The names whose values it changes. */
function targetRoots(step: NormalStep<'transform'>): readonly string[] {
  const paths = CHANGES.flatMap((verb) => (isText(step[verb]) ? [step[verb]] : Object.keys(objectOf(step[verb]))));
  return paths.map((path) => path.split(/[.[]/, 1)[0]?.trim() ?? '');
}

const flow: StepFlow<NormalStep<'transform'>> = (step, names) => {
  const { json } = step;
  const own = ownValue(names, json);
  const changes = [...changesOf(json.set, 'set'), ...changesOf(json.append, 'append')];
  let current = own === null ? names : bind(names, [step.name, own]);
  if (own !== null && isNever(own)) return REFUSED;
  for (const change of changes) {
    const after = applied(current, change, step);
    if (after === null) return REFUSED;
    current = after;
  }
  return goesOn(current);
};

function ownValue(names: Names, { expression, value }: NormalStep<'transform'>): Type | null {
  if (typeof expression === 'string') return typeOfExpression(names, expression);
  if (isNumber(expression)) return NUMBER;
  return value === undefined ? null : typeOfShallow(names, value);
}

interface TypedChange {
  readonly verb: 'set' | 'append';
  readonly path: string;
  /** `null`: the step's own value. */
  readonly value: Json | null;
  readonly own: boolean;
}

function changesOf(written: Json | undefined, verb: TypedChange['verb']): TypedChange[] {
  if (typeof written === 'string') return [{ verb, path: written, value: null, own: true }];
  return isObject(written) ? Object.entries(written).map(([path, value]) => ({ verb, path, value, own: false })) : [];
}

/** The names after a change; `null`: it fails. */
function applied(names: Names, { verb, path, value, own }: TypedChange, { name }: StepDefinition): Names | null {
  const given = nullForMissing(own ? typeOfName(names, name) : changedTo(names, value));
  const parts = attemptParts(path);
  if (isNever(given) || parts === null) return null;
  const segments = segmentsOf(names, parts, false);
  const root = segments?.[0] ?? parts[0]?.text.split('.', 1)[0]?.trim() ?? '';
  if (typeof root !== 'string') return null;
  if (segments === null) return bind(names, [root, UNKNOWN]);
  const change = verb === 'set' ? () => given : (before: Type) => appendedType(before, given);
  const after = changedType(typeOfName(names, root), segments.slice(1), change);
  return isNever(after) ? null : bind(names, [root, after]);
}

function attemptParts(path: string): NonNullable<ReturnType<typeof bracketParts>> | null {
  try {
    return bracketParts(path) ?? [{ kind: 'names', text: path }];
  } catch (error) {
    if (error instanceof LanguageError) return null;
    throw error;
  }
}

function changedTo(names: Names, json: Json): Type {
  const expression = isObject(json) && Object.keys(json).length === 1 ? json['expression'] : undefined;
  return typeof expression === 'string' ? typeOfExpression(names, expression) : typeOfDeep(names, json);
}

function appendedType(before: Type, given: Type): Type {
  const lists = partsOf(before).flatMap((part) => {
    if (part.kind === 'null' || part.kind === 'missing') return [list(given)];
    if (part.kind === 'unknown') return [list(UNKNOWN)];
    return part.kind === 'list' ? [list(union(part.item, given))] : [];
  });
  return union(...lists);
}

export const transformStep: StepKind<'transform'> = {
  compile,
  check,
  binds: () => 'open',
  bindsAlso: targetRoots,
  flow,
};
