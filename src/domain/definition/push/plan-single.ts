import type { Diagnostic } from '../../../contract/answers.ts';
import type { Item } from '../../../contract/resources/definition.ts';
import type { WrittenValues } from '../../../contract/resources/game-values.ts';
import { resources } from '../../../contract/resources/index.ts';
import type { Refusal } from '../../../kernel/errors.ts';
import { isArray, isObject, type Json } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import { type KnownByName, withSuggestions } from '../../../language/validate/meant.ts';
import { type PublishTarget, SINGLE_ID } from '../../events.ts';
import { type Finding, Findings } from '../../finding.ts';
import type { SingleKind } from '../../kinds.ts';
import { datedRules } from '../../limit/rules.ts';
import type { DefinitionsState } from '../../states.ts';
import { isValueTaken } from '../findings/known.ts';
import { rateRulesFindings } from '../findings/rate-rules.ts';
import { warningsOf } from '../findings/shown.ts';
import { gameValuesFindings } from '../findings/values.ts';
import { effectiveDefinitions } from '../model/effective.ts';
import { definitionOf } from '../model/overlay.ts';
import { contentProblem, invalid, sourceProblem, storedTextProblem } from '../source/check.ts';
import { authoringOf } from '../source/compile.ts';
import type { Problem } from '../source/problem.ts';
import { current, type Put, putOf, refusePush } from './publish-events.ts';

/** Plans a push of single documents, which are replaced whole: game values, rules, tests. Nothing here writes. */

export interface PlannedWhole {
  readonly put: Put;
  /** Number of groups and tables, of rules, or of tests. */
  readonly total: number;
  findings(known: KnownByName): readonly Finding[];
}

const MAX_RULES = 1000;

/** A push of game values or rules: what it would put, or why it is refused. */
export function planSingle(
  state: DefinitionsState,
  kind: SingleKind,
  body: Json | undefined,
  target: PublishTarget,
  now: number,
): PlannedWhole | Refusal {
  const value = kind === 'rate-limit-rules' ? ruleList(body) : body;
  const about = { resourceKind: kind };
  if (body === undefined) return refusePush('VALIDATION_FAILED', 'Request body is empty.', about);
  if (value === undefined) return refusePush('VALIDATION_FAILED', 'Body must hold a list of rule objects.', about);
  if (!isObject(value) && !isArray(value)) return refusePush('VALIDATION_FAILED', 'Body must be an object or a list.', about);
  if (kind === 'rate-limit-rules' && isArray(value) && value.length > MAX_RULES) {
    const message = `A project may have at most ${MAX_RULES} rate-limit rules, because every write is checked against them; this push has ${value.length}.`;
    return refusePush('VALIDATION_FAILED', message, about);
  }
  const count = kind === 'game-values' ? groupsAndTables(value) : 0;
  if (count > MAX_VALUES) {
    const message = `Game values may hold ${MAX_VALUES} groups and tables, and these are ${count}: put rows into one table, entries into one group.`;
    return refusePush('VALIDATION_FAILED', message, about);
  }
  const before = current(state, target, kind, SINGLE_ID);
  const held = before === undefined ? null : definitionOf(before);
  const dated = isArray(value) && kind === 'rate-limit-rules' ? datedRules(value, held, now) : null;
  const put = putOf(kind, SINGLE_ID, dated === null ? value : withSource(dated, body));
  const shapeless = kind === 'game-values' ? valuesProblem(value) : null;
  const problem = contentProblem(value) ?? sourceProblem(objectOf(body)) ?? shapeless ?? storedTextProblem(put.text);
  if (problem !== null) return refusePush('VALIDATION_FAILED', problem.message, about);
  return { put, total: totalOf(value), findings: (known) => singleFindings(state, kind, body, target, known) };
}

function singleFindings(
  state: DefinitionsState,
  kind: SingleKind,
  body: Json,
  target: PublishTarget,
  known: KnownByName,
): readonly Finding[] {
  const findings = new Findings(known);
  if (kind === 'game-values') gameValuesFindings(body, isValueTaken(effectiveDefinitions(state, target)), findings);
  else rateRulesFindings(body, findings);
  findings.form(kind === 'game-values' ? resources.gameValues : resources.rateLimitRules, body, { numbersAreTexts: true });
  return withSuggestions(findings.all, known);
}

/** The answer's member with warnings; no member if there are none. */
export function wholeDiagnostics(
  resourceKind: string,
  found: readonly Finding[],
  resourceId = SINGLE_ID,
): { readonly diagnostics?: readonly Diagnostic[] } {
  const about = { resourceKind, resourceId };
  return found.length === 0 ? {} : { diagnostics: warningsOf(found, about, '') };
}

/** What has no structure: nothing of it would be served, in place of all that there is. */
function valuesProblem(value: Json): Problem | null {
  if (isArray(value)) return itemProblem(value);
  const { items = null, groups = null, tables = null }: WrittenValues = objectOf(value);
  if (items === null && groups === null && tables === null)
    return invalid(
      'Game values are {items: [a group or a table, …]}; nothing was replaced. {items: []} holds none, and DELETE removes them all.',
    );
  if (items !== null && !isArray(items)) return invalid(`'items' must be a list.`);
  for (const [name, part] of Object.entries({ groups, tables })) {
    if (part !== null && !isArray(part) && !isObject(part)) return invalid(`'${name}' must be a list, or a map by id.`);
  }
  return itemProblem(items ?? []);
}

function itemProblem(items: readonly Json[]): Problem | null {
  const index = items.findIndex((item) => !isObject(item));
  return index === -1 ? null : invalid(`'items[${index}]' must be a group or a table, which is an object.`);
}

/**
 * Groups and tables of game values. Each is a part of every answer, and is looked at by each publish; of their rows and entries there may
 * be many more.
 */
const MAX_VALUES = 20_000;

function groupsAndTables(value: Json): number {
  const { items, groups, tables }: WrittenValues = objectOf(value);
  const sizeOf = (part: Json | undefined) => (isArray(part) ? part.length : Object.keys(objectOf(part)).length);
  return isArray(value) ? value.length : isArray(items) ? items.length : sizeOf(groups) + sizeOf(tables);
}

/** Rules come as `{rules: […]}` or as a bare list. */
function ruleList(body: Json | undefined): readonly Json[] | undefined {
  const rules = isArray(body) ? body : objectOf(body)['rules'];
  return isArray(rules) && rules.every((rule) => isObject(rule)) ? rules : undefined;
}

/** Rules are stored as a bare list; if they came with the text of their file, as an object that keeps it. */
function withSource(rules: readonly Json[], body: Json): Json {
  const item: Item = objectOf(body);
  return typeof item.sourceText === 'string' ? { rules, ...authoringOf(item) } : rules;
}

function totalOf(value: Json): number {
  const written: WrittenValues = objectOf(value);
  const items = isArray(value) ? value : written.items;
  return isArray(items) ? items.length : Object.keys(written).length;
}
