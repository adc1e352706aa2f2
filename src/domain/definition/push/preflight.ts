import type { Preflighted } from '../../../contract/answers.ts';
import { Refusal, refusal } from '../../../kernel/errors.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { stringOf } from '../../../kernel/json-read.ts';
import type { KnownByName } from '../../../language/validate/meant.ts';
import type { PublishTarget } from '../../events.ts';
import type { Finding, StoredFindings } from '../../finding.ts';
import { type ListedKind, nameMember, type SingleKind } from '../../kinds.ts';
import type { DefinitionsState } from '../../states.ts';
import { warningsOf } from '../findings/shown.ts';
import { type Entry, isRemoval } from '../model/overlay.ts';
import { ParseBudget } from '../source/positions.ts';
import { plainWords } from '../source/wording.ts';
import { tooManyDefinitions } from './capacity.ts';
import { noListMessage, notAList, pushedKinds, pushedValues, putsOf, refusedWhole, type SyncMode, unpushedEntries } from './decide-sync.ts';
import { codeOf, type InvalidItem, type ValidItem } from './plan-item.ts';
import { type PlannedSection, type PlannedSections, planSections } from './plan-sections.ts';
import type { PlannedWhole } from './plan-single.ts';
import { answered } from './publish-events.ts';
import { removal, without } from './removal.ts';
import { refusesStrict } from './strict.ts';
import { findingsOfItem, knownByName } from './warnings.ts';

/**
 * POST sync/preflight: what a sync of the same body would do. Whatever would refuse the sync is an error. Findings are warnings; they fail
 * the preflight only if the push is strict.
 */
export function preflight(
  state: DefinitionsState,
  body: Json | undefined,
  target: PublishTarget,
  { strict = false, replaceAll = false, stored }: SyncMode = {},
): Preflighted | Refusal {
  const sections = planSections(state, body, target, 0);
  if (sections instanceof Refusal) return sections;
  const kinds = pushedKinds(sections);
  const unpushed = replaceAll ? unpushedEntries(state, target, kinds) : [];
  const full = tooManyDefinitions(state, putsOf(sections) ?? [], removal(unpushed, target).deletes);
  if (full) return full;
  const known = knownByName(without(state, unpushed), target, kinds, pushedValues(sections));
  const how = { known, strict, stored, budget: new ParseBudget(), fails: strict || [...sections.values()].some(failsOf) };
  const reports = new Map([...sections].map(([name, section]) => [name, sectionReport(name, section, unpushed, how)]));
  const sum = (count: (section: SectionReport) => number) => [...reports.values()].reduce((all, section) => all + count(section), 0);
  const [total, success, failed, warnings] = [sum((s) => s.total), sum((s) => s.passed), sum((s) => s.failed), sum((s) => s.warnings)];
  const summary = { total, success, failed, warnings, nextAction: nextAction(failed, warnings) };
  const answer = {
    mode: 'preflight' as const,
    publishTarget: target,
    ...Object.fromEntries([...reports].map(([name, section]) => [name, section.body])),
    summary,
  };
  if (failed > 0) return refusal('PREFLIGHT_VALIDATION_FAILED', refusedMessage(sections, reports.values()), { body: answer });
  return answered({ ...answer, message: 'Preflight validation passed. No resources were written.' });
}

/** Message of a refused preflight. The editor logs only this line, so it names the first failing element. */
function refusedMessage(sections: PlannedSections, reports: Iterable<SectionReport>): string {
  const failures = [...sections].flatMap(([name, section]) => failuresOf(name, section));
  const found = [...reports].flatMap(({ found: first }) => (first === null ? [] : [first]));
  return plainWords(`Preflight validation failed. No resources were written. ${failures[0] ?? found[0] ?? ''}`);
}

function failsOf(section: PlannedSection): boolean {
  if ('whole' in section) return section.whole instanceof Refusal;
  return section.planned === null || section.planned.some((each) => !each.ok);
}

function failuresOf(name: string, section: PlannedSection): string[] {
  if ('whole' in section) return section.whole instanceof Refusal ? [`${name}: ${section.whole.message}`] : [];
  if (section.planned === null) return [noListMessage(name)];
  return section.planned.flatMap((each) => (each.ok ? [] : [`${each.file ?? each.resourceId}: ${each.problem.message}`]));
}

function nextAction(failed: number, warnings: number): string {
  if (failed > 0) return 'Fix the errors, then run the preflight again.';
  return warnings > 0 ? 'Review the warnings; the push can proceed.' : 'The push can proceed.';
}

interface SectionReport {
  readonly body: JsonObject;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** The first finding for which a strict push fails, as one line; `null`: none. */
  readonly found: string | null;
}

interface ReportOptions {
  readonly known: KnownByName;
  readonly budget: ParseBudget;
  readonly stored: StoredFindings | undefined;
  readonly strict: boolean;
  readonly fails: boolean;
}

function sectionReport(name: string, section: PlannedSection, unpushed: readonly Entry[], how: ReportOptions): SectionReport {
  if ('whole' in section) return wholeReport(section.kind, section.whole, how);
  const { kind, planned } = section;
  if (planned === null) {
    const counts = { total: 0, passed: 0, failed: 1, warnings: 0 };
    return { ...counts, found: null, body: { ...notAList(name), ...counts } };
  }
  const results = planned.map((each) => (each.ok ? validResult(kind, each, how) : invalidResult(kind, each)));
  const failed = results.filter((result) => result.fails).length;
  const found = results.find((result) => result.found !== null)?.found ?? null;
  const warnings = results.reduce((sum, result) => sum + result.warnings, 0);
  const counts = { total: planned.length, passed: planned.length - failed, failed, warnings };
  const removed = unpushed
    .filter((entry) => entry.kind === kind)
    .map(({ id }) => ({ ok: true, resourceKind: kind, resourceId: id, action: 'would_delete' }));
  return { ...counts, found, body: { ok: failed === 0, ...counts, results: [...results.map((result) => result.body), ...removed] } };
}

/** A single document counts as one element, however large it is. */
function wholeReport(kind: SingleKind | 'tests', whole: PlannedWhole | Refusal, how: ReportOptions): SectionReport {
  if (whole instanceof Refusal) {
    const counts = { total: 1, passed: 0, failed: 1, warnings: 0 };
    return { ...counts, found: null, body: { ...refusedWhole(whole), ...counts } };
  }
  const { body, warnings, fails, found } = resultOf(
    { resourceKind: kind, resourceId: kind },
    whole.findings(how.known),
    'would_replace',
    '',
    how,
  );
  const counts = { total: 1, passed: fails ? 0 : 1, failed: fails ? 1 : 0, warnings };
  return { ...counts, found, body: { ok: !fails, ...counts, results: [body] } };
}

interface Result {
  readonly body: JsonObject;
  readonly warnings: number;
  readonly fails: boolean;
  readonly found: string | null;
}

function validResult(kind: ListedKind, fit: ValidItem, how: ReportOptions): Result {
  const { definition, before, put } = fit;
  const named = kind === 'workflow' ? undefined : stringOf(definition[nameMember(kind)]);
  const about = { resourceKind: kind, resourceId: named ?? put.id };
  const sourcePath = stringOf(definition['sourcePath']) ?? '';
  const found = findingsOfItem(kind, fit, how);
  const action = before === undefined || isRemoval(before) ? 'would_create' : 'would_update';
  return resultOf(about, found, action, sourcePath, how);
}

function resultOf(
  about: { readonly resourceKind: string; readonly resourceId: string },
  found: readonly Finding[],
  action: string,
  sourcePath: string,
  { strict, fails }: ReportOptions,
): Result {
  const diagnostics = warningsOf(fails ? found.map(withoutPositions) : found, about, sourcePath);
  const first = found.find(({ code }) => refusesStrict(code));
  if (!strict || first === undefined)
    return { body: { ok: true, ...about, action, diagnostics }, warnings: diagnostics.length, fails: false, found: null };
  const where = sourcePath === '' ? about.resourceId : sourcePath;
  const errors = diagnostics.map((each) => (refusesStrict(each.code) ? { ...each, severity: 'error' } : each));
  const body = { ok: false, ...about, error: 'STRICT_FINDINGS', message: plainWords(first.message), diagnostics: errors };
  return { body, warnings: 0, fails: true, found: `${where}: ${first.message}` };
}

/** Removes positions in lists from messages: an editor that finds `steps[…].id` in a failure reports missing step ids instead. */
function withoutPositions(finding: Finding): Finding {
  return { ...finding, message: finding.message.replace(/\[(\d+)\]/g, '/$1') };
}

const MISSING_NAME = {
  endpoint: ['ENDPOINT_SLUG_REQUIRED', 'slug'],
  collection: ['COLLECTION_NAME_REQUIRED', 'name'],
  workflow: ['WORKFLOW_ID_OR_NAME_REQUIRED', 'id'],
  library: ['LIBRARY_ID_OR_NAME_REQUIRED', 'id'],
  query: ['VALIDATION_FAILED', 'name'],
} as const;

/** `sourcePath` names the member that is wrong; `file` the author's file, if there is one. */
function invalidResult(kind: ListedKind, { problem, resourceId, file }: InvalidItem): Result {
  const about = { resourceKind: kind, resourceId };
  const inSource = codeOf(problem) === 'SOURCE_COMPILE_FAILED';
  const [keyCode, keyName] = MISSING_NAME[kind];
  const plain = problem.missingName === true ? { code: keyCode, sourcePath: keyName } : { code: problem.code, sourcePath: '' };
  const where = inSource ? { code: 'SOURCE_COMPILE_FAILED', type: problem.code, sourcePath: 'sourceText' } : plain;
  const diagnostic = {
    severity: 'error',
    ...where,
    message: plainWords(problem.message),
    ...about,
    ...(file === undefined ? {} : { file }),
    ...(problem.line === undefined || problem.column === undefined ? {} : { line: problem.line, column: problem.column }),
    suggestedFix: inSource ? 'Correct the source text.' : 'Correct the definition.',
  };
  const message = diagnostic.message;
  const body = { ok: false, ...about, error: 'VALIDATION_FAILED', message, diagnostics: [diagnostic] };
  return { body, warnings: 0, fails: true, found: null };
}
