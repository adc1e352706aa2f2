import { type Findings, isTemplated, isText } from '../../../domain/finding.ts';
import { isObject, type Json } from '../../../kernel/json.ts';
import { chargedList } from '../../expressions/collections.ts';
import { LanguageError } from '../../expressions/errors.ts';
import type { Language } from '../../expressions/language.ts';
import { childOf } from '../../expressions/path.ts';
import type { Eval } from '../../expressions/scope.ts';
import { compileDeep } from '../../expressions/template.ts';
import { isNullish, toText } from '../../expressions/value.ts';
import type { NormalStep } from '../../normal/logic.ts';
import { MAX_SCANNED } from '../../run.ts';
import { type Compilation, type Frame, firstString, type StepDefinition, type StepDefinitionOf, stepFailure } from '../../step.ts';
import type { FlowFrame } from '../../types/flow.ts';
import type { Names } from '../../types/names.ts';
import { keyOfType, typeOfDeep, typeOfToken } from '../../types/templates.ts';
import { MISSING, mayBe, NEVER, nullForMissing, type Type, union } from '../../types/type.ts';
import { itemsOf, walkType } from '../../types/walk.ts';
import { whereFindings } from '../../validate/condition.ts';
import { type ClosedDocuments, pathFinding, rowsOf, whereFieldFindings } from '../../validate/fields.ts';
import type { Shape } from '../../validate/shape.ts';
import { tokenBodyFindings } from '../../validate/tokens.ts';
import { collectionFindings, collectionOf } from './documents.ts';
import { requiredFindings, type SearchStep } from './required.ts';
import { compileWhere } from './where.ts';

/** Rows that steps look through: documents of a collection, a table of the game values, or a list of the call. */

type Rows = (frame: Frame) => readonly Json[];

/** Cost of reading a document as a row, in units of work. */
const DOCUMENT_COST = 4;

/** What `from` names in the call, or its member `key`; `null` for a step without `from`. */
export function compileFrom(step: StepDefinitionOf<SearchStep | 'lookup_many'>, language: Language): Eval | null {
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

type MatchRows = (frame: Frame) => { readonly rows: readonly Json[]; readonly test: (row: Json) => boolean };

export function compileMatching(step: StepDefinitionOf<SearchStep>, compilation: Compilation): MatchRows {
  const rows = compileRows(step, compilation);
  const { where } = step.json;
  if (where === undefined && byKey(step)) return (frame) => ({ rows: rows(frame), test: () => true });
  if (!isObject(where)) throw new LanguageError('requires a "where" clause.');
  const prepare = compileWhere(compilation.language, where);
  return (frame) => ({ rows: rows(frame), test: prepare(frame.scope) });
}

/** The rows: of a table of the game values, of a list that the call holds, or all documents of a collection (without their keys). */
export function compileRows(step: StepDefinitionOf<SearchStep | 'lookup_many'>, compilation: Compilation): Rows {
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
function fromOf({ json }: StepDefinitionOf<SearchStep | 'lookup_many'>): string | undefined {
  const from = firstString(json, 'from');
  return from?.startsWith('{{') && from.endsWith('}}') ? from.slice(2, -2) : from;
}

/** Findings for the rows that a step names. */
export function rowsFindings(step: NormalStep<SearchStep>, pointer: string, findings: Findings): void {
  requiredFindings(step, pointer, findings);
  if (step.from !== undefined) {
    fromFindings(step, pointer, findings);
    return;
  }
  const { source } = step;
  if (source === undefined) {
    collectionFindings(step, pointer, findings);
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
export function fromFindings({ from: text }: Pick<NormalStep<'foreach'>, 'from'>, pointer: string, findings: Findings): void {
  if (isText(text) && !isTemplated(text)) tokenBodyFindings(text, `${pointer}/from`, findings);
}

/** Findings for the fields of a row that a search names. */
function rowFields(documents: ClosedDocuments, step: NormalStep<SearchStep>, pointer: string, findings: Findings): void {
  const { where, weightField }: NormalStep<'random_select'> = step;
  if (where !== undefined) whereFieldFindings(documents, where, `${pointer}/where`, findings);
  if (isText(weightField)) pathFinding(documents, weightField, `${pointer}/weightField`, findings);
}

/** A search needs a `where`, unless `key` selects the row in `from`. */
export function searchFindings(step: NormalStep<SearchStep>, pointer: string, findings: Findings): void {
  rowsFindings(step, pointer, findings);
  const { where } = step;
  const documents = rowsOf(step, findings);
  if (documents !== null) rowFields(documents, step, pointer, findings);
  if (where !== undefined) whereFindings(where, `${pointer}/where`, findings);
  else if (step.from === undefined || step.key === undefined) {
    findings.add('WHERE_REQUIRED', pointer, `This step needs a 'where'.`);
  }
}

/** The type that `from` names, or its member `key`; `null` for a step without `from`. */
export function typeOfFrom(step: StepDefinition<NormalStep<SearchStep | 'lookup_many'>>, names: Names): Type | null {
  const { json } = step;
  const text = fromOf(step);
  if (text === undefined) return null;
  const from = typeOfToken(names, text);
  if (json.key === undefined) return from;
  const key = typeOfDeep(names, json.key);
  const member = walkType(from, [keyOfType(key)]);
  return mayBe(key, 'missing') || mayBe(key, 'null') ? union(member, MISSING) : member;
}

/** The type of a row: of a list of the call, of a table of the game values, or a document. */
export function rowOf(step: StepDefinition<NormalStep<SearchStep | 'lookup_many'>>, names: Names, frame: FlowFrame): Type {
  const from = typeOfFrom(step, names);
  if (from !== null) return nullForMissing(itemsOf(from));
  const { json } = step;
  if (json.source === 'values') {
    return nullForMissing(itemsOf(walkType(names.world.values, [firstString(json, 'table', 'collection') ?? ''])));
  }
  const collection = firstString(json, 'collection');
  frame.analysis.touched('scans', collection);
  return frame.analysis.documents(collection) ?? NEVER;
}

/** The members of a row that a step binds. */
export function rowShape(step: NormalStep<SearchStep>, findings: Findings): Shape {
  return rowsOf(step, findings) ?? 'open';
}
