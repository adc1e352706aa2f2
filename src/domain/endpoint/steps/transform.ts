import { isArray, isNumber, isObject, type Json } from '../../../kernel/json.ts';
import { member } from '../../../kernel/path.ts';
import { changed, writablePath } from '../change.ts';
import type { ComputedPath } from '../computed-path.ts';
import { LanguageError } from '../errors.ts';
import type { Language } from '../language.ts';
import type { Eval, Scope } from '../scope.ts';
import { binding, type CompileStep, type SourceOf, type StepSource } from '../step.ts';
import { compileDeep, compileShallow } from '../template.ts';
import { isNullish, type Value } from '../value.ts';

/**
 * `transform` makes a value, and changes names of the call with `set` and `append`: a map of path to value, or a path that takes the step's own
 * value, as loops need it: `set: {'visited[current]': true, current: '{{next}}'}`. Only names change, never a document. Other names that hold
 * the same value keep it.
 */
export const transformStep: CompileStep<'transform'> = (source, { language }) => {
  const own = compileOwn(language, source);
  const changes = [...compileChanges(language, source, 'set'), ...compileChanges(language, source, 'append')];
  if (own === null && (changes.length === 0 || changes.some(({ value }) => value === null))) {
    throw new LanguageError('it has neither expression nor value.');
  }
  const bind = own === null ? null : binding(source, ({ scope }) => own(scope));
  if (changes.length === 0 && bind !== null) return bind;
  return (frame) => {
    bind?.(frame);
    for (const change of changes) apply(frame.scope, change, source);
    return undefined;
  };
};

/** What is bound under the step's name; `null` if it only changes names. */
function compileOwn(language: Language, { json: { expression, value } }: SourceOf<'transform'>): Eval | null {
  if (typeof expression === 'string') return language.expression(expression);
  if (isNumber(expression)) return () => expression;
  return value === undefined ? null : compileShallow(language, value);
}

interface Change {
  readonly verb: 'set' | 'append';
  readonly text: string;
  readonly target: ComputedPath;
  /** `null`: the step's own value. */
  readonly value: Eval | null;
}

function compileChanges(language: Language, { json }: SourceOf<'transform'>, verb: Change['verb']): Change[] {
  const source = json[verb] ?? null;
  if (source === null) return [];
  if (typeof source === 'string') return [{ verb, text: source, target: writablePath(language, source), value: null }];
  if (!isObject(source)) throw new LanguageError(`${verb} must be a map of path to value, or a path.`);
  return Object.entries(source).map(([text, value]) => ({
    verb,
    text,
    target: writablePath(language, text),
    value: compileValue(language, value),
  }));
}

/** As in the operations of a write: every text in it is a template, and a sole `{expression}` is computed. */
function compileValue(language: Language, json: Json): Eval {
  const expression = isObject(json) && Object.keys(json).length === 1 ? member(json, 'expression') : undefined;
  return typeof expression === 'string' ? language.expression(expression) : compileDeep(language, json);
}

function apply(scope: Scope, { verb, text, target, value }: Change, source: StepSource): void {
  const given = (value === null ? scope.name(source.name) : value(scope)) ?? null;
  const path = target(scope);
  if (path === null) throw new LanguageError(`What stands between the brackets of "${text}" has no value.`);
  const change = verb === 'set' ? () => given : (before: Value) => appended(scope, before, given, text);
  scope.names.set(path.root, changed(scope, scope.name(path.root), path.rest, 0, change, text));
}

function appended(scope: Scope, before: Value, given: Json, text: string): Json {
  if (isNullish(before)) return [given];
  if (!isArray(before)) throw new LanguageError(`"${text}" is no list to append to.`);
  scope.context.spend(before.length);
  return [...before, given];
}
