import type { Written } from '../../contract/resources/member.ts';
import type { StepSchema } from '../../contract/resources/step.ts';
import { isArray, isNumber, isObject, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { changed, writablePath } from '../expressions/change.ts';
import type { ComputedPath } from '../expressions/computed-path.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import type { Eval, Scope } from '../expressions/scope.ts';
import { compileDeep, compileShallow } from '../expressions/template.ts';
import { isNullish, type Value } from '../expressions/value.ts';
import { binding, type CompileStep, type StepDefinition, type StepDefinitionOf } from '../step.ts';

/**
 * `transform` makes a value, and changes names of the call with `set` and `append`. Each is a map of path to value, as in `set:
 * {'visited[current]': true, current: '{{next}}'}`, or one path, which gets the step's own value. Only names change, never a document. Other
 * names that hold the same value keep it.
 */
export const transformStep: CompileStep<'transform'> = (step, { language }) => {
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

/** The value of a `transform`, or an entry of a `compute`. */
export type ComputedValue = Pick<Written<StepSchema<'transform'>>, 'expression' | 'value'>;

/** What is bound under the step's name; `null` if it only changes names. */
function compileComputedValue(language: Language, { expression, value }: ComputedValue): Eval | null {
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

function compileChanges(language: Language, { json }: StepDefinitionOf<'transform'>, verb: Change['verb']): Change[] {
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
  const { expression, ...others }: ComputedValue = objectOf(json);
  return typeof expression === 'string' && Object.keys(others).length === 0 ? language.expression(expression) : compileDeep(language, json);
}

function apply(scope: Scope, { verb, text, target, value }: Change, step: StepDefinition): void {
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
