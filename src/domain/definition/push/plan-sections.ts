import { SCOPES, type Scope } from '../../../contract/credentials.ts';
import { type Refusal, refusal } from '../../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { listOf, objectOf } from '../../../kernel/json-read.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import type { PublishTarget } from '../../events.ts';
import { isListed, type ListedKind, SECTIONS, type SingleKind, type SourceKind, STAGED_KINDS } from '../../kinds.ts';
import type { DefinitionsState } from '../../states.ts';
import { planTests, testsIn } from '../../test/decide.ts';
import { type PlannedItem, planAll } from './plan-item.ts';
import { type PlannedWhole, planSingle } from './plan-single.ts';

/** The sections of a sync: one for every kind of definition. Other members are refused. */

const LISTED: ReadonlyMap<string, ListedKind> = new Map(STAGED_KINDS.filter(isListed).map((kind) => [SECTIONS[kind], kind]));

const WHOLE: ReadonlyMap<string, SingleKind | 'tests'> = new Map<string, SingleKind | 'tests'>([
  ...['gameValues', 'game-values', 'values'].map((name) => [name, 'game-values'] as const),
  ...['rateLimitRules', 'rate-limit-rules'].map((name) => [name, 'rate-limit-rules'] as const),
  ['tests', 'tests'],
]);

/** Members that are options, not sections. */
const OPTIONS = ['strict'];

/** A planned section of a body. */
export type PlannedSection =
  /** Planned element by element; `null`: the section is not a list. */
  | { readonly kind: ListedKind; readonly planned: readonly PlannedItem[] | null }
  /** The single document of its kind. */
  | { readonly kind: SingleKind | 'tests'; readonly whole: PlannedWhole | Refusal };

/** By the names in the body. Sections that are missing or null are left out. */
export type PlannedSections = ReadonlyMap<string, PlannedSection>;

const SCOPES_OF: ReadonlyMap<string, readonly Scope[]> = new Map<string, readonly Scope[]>([
  ['endpoints', ['endpoints']],
  ['collections', ['collections']],
  ['workflows', ['workflows']],
  ['libraries', ['workflows']],
  ['queries', ['queries']],
  ...['game-values', 'gameValues', 'game_values', 'values'].map((name): [string, readonly Scope[]] => [name, ['game_values']]),
  ...['rate-limit-rules', 'rateLimitRules', 'rate_limits'].map((name): [string, readonly Scope[]] => [name, ['rate_limits']]),
  ...['settings', 'config', 'keys'].map((name): [string, readonly Scope[]] => [name, ['settings']]),
  ...['tests', 'game-package', 'gamePackage'].map((name): [string, readonly Scope[]] => [name, SCOPES]),
]);

/** Permissions that the key needs: one for every section present, even an empty one. */
export function scopesOfSync(body: Json | undefined): readonly Scope[] {
  return [...new Set(Object.keys(objectOf(body)).flatMap((name) => SCOPES_OF.get(name) ?? []))];
}

/** Every element that may be a source item, with its kind. */
export function itemsOfSync(body: Json | undefined): readonly (readonly [item: Json, kind: SourceKind])[] {
  const sections = objectOf(body);
  const listed = [...LISTED].flatMap(([name, kind]) => listOf(sections[name]).map((item) => [item, kind] as const));
  return [...listed, ...listOf(testsIn(sections['tests'])).map((item) => [item, 'test'] as const)];
}

/** Plans the sections of a body. Never throws: an invalid body gives a refusal. `now`: the time from which new rules count. */
export function planSections(
  state: DefinitionsState,
  body: Json | undefined,
  target: PublishTarget,
  now: number,
): PlannedSections | Refusal {
  if (body === undefined) return refusal('VALIDATION_FAILED', 'Request body is empty.');
  if (!isObject(body)) return refusal('VALIDATION_FAILED', 'Body must be an object with resource sections.');
  const wrong = unknownSection(body) ?? repeatedSection(body);
  if (wrong !== null) return wrong;
  const sections = new Map<string, PlannedSection>();
  for (const [name, kind] of LISTED) {
    const items = sectionIn(body, name);
    if (items === undefined) continue;
    const planned = isArray(items) ? planAll(state, kind, items, target) : null;
    sections.set(name, { kind, planned });
  }
  for (const [name, kind] of WHOLE) {
    const section = sectionIn(body, name);
    if (section === undefined) continue;
    sections.set(name, { kind, whole: kind === 'tests' ? planTests(section) : planSingle(state, kind, section, target, now) });
  }
  return sections;
}

/** Refuses an unknown section. Otherwise a misspelt one would be ignored, and the answer would report success. */
function unknownSection(body: JsonObject): Refusal | null {
  const known = [...LISTED.keys(), ...WHOLE.keys()];
  const name = Object.keys(body).find((each) => !known.includes(each) && !OPTIONS.includes(each));
  if (name === undefined) return null;
  const meant = didYouMean(name, known) ?? `Known are ${known.join(', ')}.`;
  return refusal('UNKNOWN_SECTION', `A push has no section '${name}'. ${meant} Nothing was written.`, { body: { section: name } });
}

/** Refuses a section that comes under two of its names, since one of them would be lost. */
function repeatedSection(body: JsonObject): Refusal | null {
  for (const kind of new Set(WHOLE.values())) {
    const names = [...WHOLE].flatMap(([name, each]) => (each === kind && sectionIn(body, name) !== undefined ? [name] : []));
    if (names.length > 1) return refusal('VALIDATION_FAILED', `The sections ${names.join(' and ')} are the same one. Nothing was written.`);
  }
  return null;
}

function sectionIn(body: JsonObject, name: string): Json | undefined {
  return body[name] ?? undefined;
}
