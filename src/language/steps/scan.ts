import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { chargedList } from '../expressions/collections.ts';
import { LanguageError } from '../expressions/errors.ts';
import type { Language } from '../expressions/language.ts';
import { childOf } from '../expressions/path.ts';
import { ENTRY_COST, type Eval, MEMBER_COST, type Scope } from '../expressions/scope.ts';
import { compileDeep, setMember } from '../expressions/template.ts';
import { isNullish, toText, type Value } from '../expressions/value.ts';
import { MAX_SCANNED } from '../run.ts';
import {
  type Body,
  binding,
  type Compilation,
  type CompileStep,
  type Frame,
  firstString,
  type StepDefinitionOf,
  stepFailure,
} from '../step.ts';
import { drawIndex, weightsOf } from './random.ts';
import { collectionOf, compileRequired } from './read.ts';
import { compileWhere } from './shared/where.ts';

/** `lookup`, `filter`, `random_select` and `lookup_many` over rows. */

/** Steps that look for rows by a condition. */
type SearchStep = 'lookup' | 'filter' | 'random_select';
type Rows = (frame: Frame) => readonly Json[];

/** Cost of reading a document as a row, in units of work. */
const DOCUMENT_COST = 4;

export const lookupStep: CompileStep<'lookup'> = (step, compilation) => {
  if (step.json.where === undefined && byKey(step)) return lookupByKey(step, compilation);
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, (frame) => {
    const { rows, test } = matching(frame);
    const found = rows.find(test) ?? null;
    if (found === null) required?.(frame.scope);
    return found;
  });
};

/** The form that editors write: the member `key` of a list or map that the call holds. */
function lookupByKey(step: StepDefinitionOf<SearchStep>, { language }: Compilation): Body {
  const found = compileFrom(step, language) ?? (() => null);
  const required = compileRequired(step, language);
  return binding(step, ({ scope }) => {
    const value = found(scope);
    if (isNullish(value)) required?.(scope);
    return value ?? null;
  });
}

/** What `from` names in the call, or its member `key`; `null` for a step without `from`. */
function compileFrom(step: StepDefinitionOf<SearchStep | 'lookup_many'>, language: Language): Eval | null {
  const text = fromOf(step);
  if (text === undefined) return null;
  const from = language.token(text);
  const { key: written } = step.json;
  if (written === undefined) return from;
  const key = compileDeep(language, written);
  return (scope) => {
    const name = key(scope);
    return isNullish(name) ? undefined : childOf(from(scope), toText(scope.context.plain(name)));
  };
}

export const filterStep: CompileStep<'filter'> = (step, compilation) => {
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  return binding(step, (frame) => {
    const { rows, test } = matching(frame);
    const found = rows.filter(test);
    if (found.length === 0) required?.(frame.scope);
    return found;
  });
};

export const randomSelectStep: CompileStep<'random_select'> = (step, compilation) => {
  const matching = compileMatching(step, compilation);
  const required = compileRequired(step, compilation.language);
  const weightField = firstString(step.json, 'weightField');
  return binding(step, (frame) => {
    const { scope } = frame;
    const { rows, test } = matching(frame);
    const found = rows.filter(test);
    if (found.length === 0) required?.(scope);
    const weights = found.map((row) => (weightField === undefined ? 1 : weightsOf(scope, row, weightField)));
    return found[drawIndex(scope, weights)] ?? null;
  });
};

export const lookupManyStep: CompileStep<'lookup_many'> = (step, compilation) => {
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

type MatchRows = (frame: Frame) => { readonly rows: readonly Json[]; readonly test: (row: Json) => boolean };

function compileMatching(step: StepDefinitionOf<SearchStep>, compilation: Compilation): MatchRows {
  const rows = compileRows(step, compilation);
  const { where } = step.json;
  if (where === undefined && byKey(step)) return (frame) => ({ rows: rows(frame), test: () => true });
  if (!isObject(where)) throw new LanguageError('requires a "where" clause.');
  const prepare = compileWhere(compilation.language, where);
  return (frame) => ({ rows: rows(frame), test: prepare(frame.scope) });
}

/** The rows: of a table of the game values, of a list that the call holds, or all documents of a collection (without their keys). */
function compileRows(step: StepDefinitionOf<SearchStep | 'lookup_many'>, compilation: Compilation): Rows {
  const { language } = compilation;
  const from = compileFrom(step, language);
  if (from !== null) return charged(({ scope }) => chargedList(scope, from(scope), 'from'));
  if (step.json.source !== 'values') return compileCollection(step, compilation);
  const name = firstString(step.json, 'table', 'collection') ?? '';
  return charged(({ scope }) => scope.context.table(name));
}

/** Documents of a collection; an unknown one is empty. */
function compileCollection(step: StepDefinitionOf<SearchStep | 'lookup_many'>, compilation: Compilation): Rows {
  if (firstString(step.json, 'collection') === undefined) throw new LanguageError('could not resolve scan source.');
  const collection = collectionOf(step, compilation);
  if (collection === null) return () => [];
  return ({ scope, documents }) => {
    const rows = documents.scan(collection);
    if (rows.length > MAX_SCANNED) {
      throw stepFailure(step, 400, 'SCAN_TOO_LARGE', `A step looks through ${MAX_SCANNED} documents at most; "${collection}" has more.`);
    }
    scope.context.spend(rows.length * DOCUMENT_COST);
    return rows;
  };
}

function charged(rows: Rows): Rows {
  return (frame) => {
    const list = rows(frame);
    frame.scope.context.spend(list.length);
    return list;
  };
}

/** Whether `key` selects a member of `from`. The step finds that member, or with a `where` searches in it. */
export function byKey(step: StepDefinitionOf<SearchStep>): boolean {
  return fromOf(step) !== undefined && step.json.key !== undefined;
}

/** The `from` that editors write: a path or a token. */
export function fromOf({ json }: StepDefinitionOf<SearchStep | 'lookup_many'>): string | undefined {
  const from = firstString(json, 'from');
  return from?.startsWith('{{') && from.endsWith('}}') ? from.slice(2, -2) : from;
}
