import { Refusal, refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { PublishTarget } from '../events.ts';
import { SCOPES, type Scope } from '../project/permissions.ts';
import type { DefinitionsState } from '../states.ts';
import type { ListedKind } from './kinds.ts';
import { type Planned, plan, refusedResults } from './plan.ts';
import { ABOUT_STORE, type Decision, type Put, publishEvents, refusePush, written } from './publish.ts';
import { type PushedKinds, type Warn, warner, writtenResult } from './pushed.ts';
import { listOf, objectOf } from './read.ts';

/**
 * PUT sync: endpoints, collections, workflows and libraries of one push, all of them or nothing (management 11.2, decision 9). Other sections are
 * ignored, but the key needs their permission all the same.
 */

export type Section = 'endpoints' | 'collections' | 'workflows' | 'libraries';

const SECTIONS: readonly (readonly [section: Section, kind: ListedKind])[] = [
  ['endpoints', 'endpoint'],
  ['collections', 'collection'],
  ['workflows', 'workflow'],
  ['libraries', 'library'],
];

/** What a section of a body holds, judged one by one; `null`: no list. Sections that are absent or null are left out. */
export type PlannedSections = ReadonlyMap<Section, { readonly kind: ListedKind; readonly planned: readonly Planned[] | null }>;

const SECTION_SCOPES: ReadonlyMap<string, readonly Scope[]> = new Map<string, readonly Scope[]>([
  ['endpoints', ['endpoints']],
  ['collections', ['collections']],
  ['workflows', ['workflows']],
  ['libraries', ['workflows']],
  ['queries', ['queries']],
  ...['game-values', 'gameValues', 'game_values'].map((name): [string, readonly Scope[]] => [name, ['game_values']]),
  ...['rate-limit-rules', 'rateLimitRules', 'rate_limits'].map((name): [string, readonly Scope[]] => [name, ['rate_limits']]),
  ...['settings', 'config', 'keys'].map((name): [string, readonly Scope[]] => [name, ['settings']]),
  ...['tests', 'game-package', 'gamePackage'].map((name): [string, readonly Scope[]] => [name, SCOPES]),
]);

/** What the key must be permitted to write: of every section that is there, also of an empty one (management 11.1). */
export function scopesOfSync(body: Json | undefined): readonly Scope[] {
  return isObject(body) ? [...new Set(Object.keys(body).flatMap((name) => SECTION_SCOPES.get(name) ?? []))] : [];
}

/** Every element of its sections, with what it should be. */
export function itemsOfSync(body: Json | undefined): readonly (readonly [item: Json, kind: ListedKind])[] {
  return SECTIONS.flatMap(([name, kind]) => listOf(member(objectOf(body), name)).map((item) => [item, kind] as const));
}

export function decideSync(state: DefinitionsState, body: Json | undefined, target: PublishTarget): Decision | Refusal {
  const sections = planSections(state, body, target);
  if (sections instanceof Refusal) return sections;
  const puts = putsOf(sections);
  if (puts === null) {
    const failed = [...sections].map(([name, { kind, planned: items }]) => [name, refusedSection(name, kind, items)]);
    const body = { ...ABOUT_STORE, ...Object.fromEntries(failed) };
    return refusePush('VALIDATION_FAILED', 'One or more resources failed validation. Nothing was written.', body);
  }
  const warn = warner(state, target, pushedKinds(sections));
  const pushed = [...sections].map(([name, { kind, planned: items }]) => [name, writtenSection(kind, items ?? [], warn)]);
  return { events: publishEvents(state, target, puts), answer: written(Object.fromEntries(pushed), target) };
}

/** What the push puts, the last of an id winning; `null` when something in it does not fit. */
function putsOf(sections: PlannedSections): readonly Put[] | null {
  const puts = new Map<string, Put>();
  for (const { planned } of sections.values()) {
    if (planned === null) return null;
    for (const each of planned) {
      if (!each.ok) return null;
      puts.set(`${each.put.kind}/${each.put.id}`, each.put);
    }
  }
  return [...puts.values()];
}

export function pushedKinds(sections: PlannedSections): PushedKinds {
  return new Map([...sections.values()].map(({ kind, planned }) => [kind, planned ?? []]));
}

/** Throws nothing: a body that cannot be a sync is the refusal of it. */
export function planSections(state: DefinitionsState, body: Json | undefined, target: PublishTarget): PlannedSections | Refusal {
  if (body === undefined) return refusal('VALIDATION_FAILED', 'Request body is empty.');
  if (!isObject(body)) return refusal('VALIDATION_FAILED', 'Body must be an object with resource sections.');
  const sections = new Map<Section, { kind: ListedKind; planned: readonly Planned[] | null }>();
  for (const [name, kind] of SECTIONS) {
    const items = member(body, name);
    if (items === undefined || items === null) continue;
    const planned = isArray(items) ? items.map((item, index) => plan(state, kind, item, target, index)) : null;
    sections.set(name, { kind, planned });
  }
  return sections;
}

export function noList(section: Section): JsonObject {
  return { ok: false, error: 'VALIDATION_FAILED', message: noListMessage(section), results: [] };
}

export function noListMessage(section: Section): string {
  return `${section} must be an array`;
}

function refusedSection(name: Section, kind: ListedKind, planned: readonly Planned[] | null): JsonObject {
  if (planned === null) return noList(name);
  return { ok: planned.every((each) => each.ok), total: planned.length, results: refusedResults(kind, planned) };
}

function writtenSection(kind: ListedKind, planned: readonly Planned[], warn: Warn): JsonObject {
  const results = planned.flatMap((each) => (each.ok ? [writtenResult(kind, each, warn)] : []));
  return { ok: true, total: planned.length, results };
}
