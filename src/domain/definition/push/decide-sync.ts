import type { Synced } from '../../../contract/answers.ts';
import { Refusal } from '../../../kernel/errors.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import type { DomainEvent, PublishTarget } from '../../events.ts';
import type { StoredFindings } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import type { DefinitionsState } from '../../states.ts';
import type { Entry } from '../model/overlay.ts';
import { plainWords } from '../source/wording.ts';
import { tooManyDefinitions } from './capacity.ts';
import { type PlannedItem, refusedResults } from './plan-item.ts';
import { type PlannedSection, type PlannedSections, planSections } from './plan-sections.ts';
import { wholeDiagnostics } from './plan-single.ts';
import { ABOUT_STORE, type Decision, type Put, publishEvents, refusePush, written } from './publish-events.ts';
import { removal, unpushedOf, without } from './removal.ts';
import { knownByName, type PushedKinds, type Warn, warner, writtenResult } from './warnings.ts';

/** PUT sync: definitions of every kind in one push, all of them or nothing. */
export function decideSync(
  state: DefinitionsState,
  body: Json | undefined,
  target: PublishTarget,
  now: number,
  { strict = false, replaceAll = false, stored }: SyncMode = {},
): Decision<Synced> | Refusal {
  const sections = planSections(state, body, target, now);
  if (sections instanceof Refusal) return sections;
  const puts = putsOf(sections);
  if (puts === null) {
    const failed = [...sections].map(([name, section]) => [name, refusedSection(name, section)]);
    const detail = { ...ABOUT_STORE, ...Object.fromEntries(failed) };
    return refusePush('VALIDATION_FAILED', 'One or more resources failed validation. Nothing was written.', detail);
  }
  const [kinds, values] = [pushedKinds(sections), pushedValues(sections)];
  const unpushed = replaceAll ? unpushedEntries(state, target, kinds) : [];
  const removed = removal(unpushed, target);
  const full = tooManyDefinitions(state, puts, removed.deletes);
  if (full) return full;
  const left = without(state, unpushed);
  const warn = warner(left, target, kinds, { values, strict, stored });
  const known = knownByName(left, target, kinds, values);
  const pushed = [...sections].map(([name, section]) => {
    if ('planned' in section) return [name, writtenSection(section.kind, section.planned ?? [], unpushed, warn)];
    const { kind, whole } = section;
    return [name, whole instanceof Refusal ? {} : writtenWhole(kind, whole.total, wholeDiagnostics(kind, whole.findings(known)))];
  });
  return { events: eventsOf(state, target, puts, removed), answer: written(Object.fromEntries(pushed), target) };
}

export interface SyncMode {
  /** Whether findings refuse the push. */
  readonly strict?: boolean;
  /** Whether the push removes definitions of its kinds that its lists do not contain. */
  readonly replaceAll?: boolean;
  /** What is known of the documents of its collections. */
  readonly stored?: StoredFindings;
}

/** What a push with `replaceAll` removes: definitions of the kinds that it has a list of. */
export function unpushedEntries(state: DefinitionsState, target: PublishTarget, kinds: PushedKinds): readonly Entry[] {
  return [...kinds].flatMap(([kind, planned]) =>
    unpushedOf(
      state,
      target,
      kind,
      planned.flatMap((each) => (each.ok ? [each.put] : [])),
    ),
  );
}

/** Tests belong to both targets: their one list is live. */
function eventsOf(
  state: DefinitionsState,
  target: PublishTarget,
  puts: readonly Put[],
  removed: ReturnType<typeof removal>,
): DomainEvent[] {
  if (target === 'live') return publishEvents(state, target, puts, removed.deletes);
  const isTest = ({ kind }: Put) => kind === 'tests';
  return [
    ...publishEvents(state, target, [...puts.filter((put) => !isTest(put)), ...removed.puts], removed.deletes),
    ...publishEvents(state, 'live', puts.filter(isTest)),
  ];
}

/** What the push puts; the last element with an id wins. `null`: an element is invalid. */
export function putsOf(sections: PlannedSections): readonly Put[] | null {
  const puts = new Map<string, Put>();
  const add = (put: Put) => puts.set(`${put.kind}/${put.id}`, put);
  for (const section of sections.values()) {
    if ('whole' in section) {
      if (section.whole instanceof Refusal) return null;
      add(section.whole.put);
      continue;
    }
    if (section.planned === null) return null;
    for (const each of section.planned) {
      if (!each.ok) return null;
      add(each.put);
    }
  }
  return [...puts.values()];
}

export function pushedKinds(sections: PlannedSections): PushedKinds {
  return new Map(
    [...sections.values()].flatMap((section) => ('planned' in section ? [[section.kind, section.planned ?? []] as const] : [])),
  );
}

/** The game values of a push. */
export function pushedValues(sections: PlannedSections): Put | undefined {
  const wholes = [...sections.values()].flatMap((section) => ('whole' in section ? [section] : []));
  const values = wholes.find(({ kind }) => kind === 'game-values')?.whole;
  return values === undefined || values instanceof Refusal ? undefined : values.put;
}

export function notAList(section: string): JsonObject {
  return { ok: false, error: 'VALIDATION_FAILED', message: noListMessage(section), results: [] };
}

export function noListMessage(section: string): string {
  return `${section} must be an array`;
}

function refusedSection(name: string, section: PlannedSection): JsonObject {
  if ('whole' in section) return section.whole instanceof Refusal ? refusedWhole(section.whole) : skippedWhole(section.kind);
  const { kind, planned } = section;
  if (planned === null) return notAList(name);
  return { ok: planned.every((each) => each.ok), total: planned.length, results: refusedResults(kind, planned) };
}

/** The result of a refused single document. For tests, the refusal has a result for each of them. */
export function refusedWhole({ code, message, extra }: Refusal): JsonObject {
  const { results = [], ...about } = extra.body ?? {};
  return { ok: false, ...about, error: code, message: plainWords(message), results };
}

function skippedWhole(kind: string): JsonObject {
  return { ok: true, total: 1, results: [{ ok: true, resourceKind: kind, resourceId: kind, action: 'skipped' }] };
}

function writtenWhole(kind: string, total: number, diagnostics: JsonObject): JsonObject {
  return { ok: true, total, results: [{ ok: true, resourceKind: kind, resourceId: kind, action: 'replace', ...diagnostics }] };
}

function writtenSection(kind: ListedKind, planned: readonly PlannedItem[], unpushed: readonly Entry[], warn: Warn): JsonObject {
  const results = planned.flatMap((each) => (each.ok ? [writtenResult(kind, each, warn)] : []));
  const removed = unpushed
    .filter((entry) => entry.kind === kind)
    .map(({ id }) => ({ ok: true, resourceKind: kind, resourceId: id, action: 'delete' }));
  return { ok: true, total: planned.length, results: [...results, ...removed] };
}
