import type { PushedMany, PushedOne, Put as PutAnswer, Removed } from '../../../contract/answers.ts';
import { Refusal } from '../../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import type { PublishTarget } from '../../events.ts';
import type { StoredFindings } from '../../finding.ts';
import { type ListedKind, nameMember, type SingleKind } from '../../kinds.ts';
import type { DefinitionsState } from '../../states.ts';
import { knownIn } from '../findings/known.ts';
import { effectiveDefinitions } from '../model/effective.ts';
import { definitionOf, entriesOf, isRemoval, nameOf, withoutAuthoring } from '../model/overlay.ts';
import { contentProblem, invalid } from '../source/check.ts';
import { compileItem } from '../source/compile.ts';
import type { Problem } from '../source/problem.ts';
import { tooManyDefinitions } from './capacity.ts';
import {
  codeOf,
  diagnostic,
  existing,
  fileOf,
  openedBy,
  type PlannedItem,
  planAll,
  putProblem,
  refusedResults,
  wholeOf,
} from './plan-item.ts';
import { planSingle, wholeDiagnostics } from './plan-single.ts';
import { current, type Decision, isStored, publishEvents, refusePush, written } from './publish-events.ts';
import { removal, unpushedOf } from './removal.ts';
import { warner, writtenResult } from './warnings.ts';

/**
 * Management writes. A push is atomic: with one bad element nothing is written, and the answer has a result for each element. A push to
 * `next` changes only `next`; what it removes there is removed from live by the promotion.
 */

/**
 * PUT and POST of an array: upsert by id. Nothing is deleted, unless `replaceAll` (endpoints only) is set. `body` is `undefined` if the
 * request had none.
 */
export function decideUpsertMany(
  state: DefinitionsState,
  kind: ListedKind,
  body: Json | undefined,
  options: { readonly target: PublishTarget; readonly replaceAll: boolean; readonly strict?: boolean; readonly stored?: StoredFindings },
): Decision<PushedMany> | Refusal {
  const { target, replaceAll, strict = false, stored } = options;
  const about = { resourceKind: kind };
  if (body === undefined) return refusePush('VALIDATION_FAILED', 'Request body is empty.', about);
  if (!isArray(body)) return refusePush('VALIDATION_FAILED', `Body must be an array of ${kind} objects.`, about);
  const planned = planAll(state, kind, body, target);
  if (planned.some((each) => !each.ok)) return refuseMany(kind, planned);
  const puts = [...new Map(planned.flatMap((each) => (each.ok ? [[each.put.id, each.put]] : []))).values()];
  const unpushed = replaceAll && kind === 'endpoint' ? unpushedOf(state, target, kind, puts) : [];
  const removed = removal(unpushed, target);
  const full = tooManyDefinitions(state, puts, removed.deletes);
  if (full) return full;
  const existed = puts.map((put) => current(state, target, kind, put.id));
  const createdCount = existed.filter((item) => item === undefined || isRemoval(item)).length;
  const unchangedCount = puts.filter((put, i) => existed[i]?.hash === put.hash).length;
  const counts = { createdCount, updatedCount: puts.length - createdCount - unchangedCount, unchangedCount, deletedCount: unpushed.length };
  const warn = warner(state, target, new Map([[kind, planned]]), { strict, stored });
  const results = planned.flatMap((each) => (each.ok ? [writtenResult(kind, each, warn)] : []));
  return {
    events: publishEvents(state, target, [...puts, ...removed.puts], removed.deletes),
    answer: written({ resourceKind: kind, action: 'upsert' as const, results, ...counts }, target),
  };
}

/** PATCH: one definition, bare or under its kind's name. A plain one is merged into the stored one, a source item replaces it. */
export function decideUpsertOne(
  state: DefinitionsState,
  kind: ListedKind,
  body: Json | undefined,
  target: PublishTarget,
  stored?: StoredFindings,
): Decision<PushedOne> | Refusal {
  const about = { resourceKind: kind, resourceId: null };
  if (!isObject(body)) return refusePush('VALIDATION_FAILED', `Body must contain one ${kind} object.`, about);
  const item = itemOfPatch(body, kind);
  const beside = item === body ? [] : Object.keys(body).filter((name) => name !== kind);
  const compiled = compileItem(item, kind);
  if (!compiled.ok) return refuseOne(kind, compiled, compiled.resourceId, item);
  const { definition } = compiled;
  const { slug, name, sourceText } = definition;
  const own = compiled.id ?? (kind === 'endpoint' ? stringOf(slug) : undefined) ?? stringOf(name);
  if (own === undefined) return refusePush('VALIDATION_FAILED', MISSING_NAME[kind], about);
  // A name alone may also be the id of a definition with another name.
  const held = existing(state, kind, target, definition, true) ?? existing(state, kind, target, { id: own }, false);
  const before = held === undefined || isRemoval(held) ? undefined : held;
  const isSource = typeof sourceText === 'string';
  const base = before === undefined || isSource ? {} : withoutAuthoring(objectOf(definitionOf(before)));
  const id = held?.id ?? own;
  const { whole: value, put } = wholeOf(kind, isSource ? definition : { ...base, ...definition }, id);
  const key = stringOf(value[nameMember(kind)]);
  const resourceId = (kind === 'workflow' ? undefined : key) ?? put.id;
  const problem = putProblem(kind, put, key) ?? contentProblem(value);
  if (problem !== null) return refuseOne(kind, problem, resourceId, item);
  const full = tooManyDefinitions(state, [put]);
  if (full) return full;
  const events = publishEvents(state, target, [put]);
  const outcome = isStored(state, target, put)
    ? ({ action: 'unchanged', skipped: true } as const)
    : ({ action: before === undefined ? 'created' : 'updated' } as const);
  const unread = beside.map((name) => ({ code: 'UNKNOWN_TOP_LEVEL_FIELD', message: `'${name}' beside '${kind}' is ignored.` }));
  const fit = {
    ok: true,
    put,
    definition: value,
    before,
    opens: openedBy(state, kind, value, target),
    warnings: [...compiled.warnings, ...unread],
  } as const;
  const warnings = warner(state, target, new Map([[kind, [fit]]]), { stored })(kind, fit);
  return { events, answer: written({ resourceKind: kind, resourceId, id: put.id, ...outcome, ...warnings }, target) };
}

/** The one definition of a PATCH: the body, or its member of the kind's name. */
export function itemOfPatch(body: JsonObject, kind: ListedKind): JsonObject {
  const { [kind]: wrapped, id } = body;
  return isObject(wrapped) && id === undefined ? wrapped : body;
}

const MISSING_NAME: Readonly<Record<ListedKind, string>> = {
  endpoint: 'Endpoint slug is required.',
  collection: 'Collection name is required.',
  workflow: 'Workflow id is required.',
  library: 'Library id is required.',
  query: 'Query name is required.',
};

/** DELETE by id, else by slug or name. 200 also if there was no such definition. */
export function decideRemove(state: DefinitionsState, kind: ListedKind, id: string, target: PublishTarget): Decision<Removed> | Refusal {
  if (id.trim() === '') return refusePush('VALIDATION_FAILED', `Missing route parameter '${kind}Id'.`, { resourceKind: kind });
  const entries = entriesOf(state, target, kind);
  const entry =
    entries.find((each) => each.id === id) ??
    entries.find(({ live, staged }) => [live, staged].some((item) => item !== null && nameOf(item) === id));
  const { puts, deletes } = removal(entry === undefined ? [] : [entry], target);
  const answer = written({ resourceKind: kind, action: 'delete' as const, resourceId: id }, target);
  return { events: publishEvents(state, target, puts, deletes), answer };
}

/** PUT and POST of game values or rate-limit rules: replaces the whole document. */
export function decidePutSingle(
  state: DefinitionsState,
  kind: SingleKind,
  body: Json | undefined,
  target: PublishTarget,
  now: number,
): Decision<PutAnswer> | Refusal {
  const planned = planSingle(state, kind, body, target, now);
  if (planned instanceof Refusal) return planned;
  const known = knownIn(effectiveDefinitions(state, target));
  const answer = { resourceKind: kind, action: 'upsert' as const, ...wholeDiagnostics(kind, planned.findings(known)) };
  return { events: publishEvents(state, target, [planned.put]), answer: written(answer, target) };
}

/** DELETE of a single document: all of it, whatever the body says. 200 also if there was none. */
export function decideRemoveSingle(state: DefinitionsState, kind: SingleKind, target: PublishTarget): Decision<Removed> {
  const { puts, deletes } = removal(entriesOf(state, target, kind), target);
  return {
    events: publishEvents(state, target, puts, deletes),
    answer: written({ resourceKind: kind, action: 'delete' as const }, target),
  };
}

function refuseMany(kind: ListedKind, planned: readonly PlannedItem[]): Refusal {
  const failures = planned.flatMap((each) => (each.ok ? [] : [each]));
  const first = failures[0]?.problem ?? invalid('');
  const message =
    planned.length === 1 ? first.message : `Nothing was written: ${failures.length} of ${planned.length} failed. ${first.message}`;
  return refusePush(codeOf(first), message, { resourceKind: kind, results: refusedResults(kind, planned) });
}

function refuseOne(kind: ListedKind, problem: Problem, resourceId: string | null, item: Json): Refusal {
  const body = { resourceKind: kind, resourceId, diagnostics: [diagnostic(problem, fileOf(item))] };
  return refusePush(codeOf(problem), problem.message, body);
}
