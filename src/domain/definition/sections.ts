import { SCOPES, type Scope } from '../../contract/credentials.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { member } from '../../kernel/path.ts';
import type { PublishTarget } from '../events.ts';
import type { DefinitionsState } from '../states.ts';
import { planTests, testsIn } from '../test/decide.ts';
import type { ListedKind, SingleKind, SourceKind } from './kinds.ts';
import { type Planned, plan } from './plan.ts';
import { type PlannedWhole, planSingle } from './plan-single.ts';
import { listOf, objectOf } from './read.ts';

/** The sections of a sync (management 11; decision 32): every kind of definition, and no member that is none. */

const LISTED: ReadonlyMap<string, ListedKind> = new Map<string, ListedKind>([
  ['endpoints', 'endpoint'],
  ['collections', 'collection'],
  ['workflows', 'workflow'],
  ['libraries', 'library'],
  ['queries', 'query'],
]);

const WHOLE: ReadonlyMap<string, SingleKind | 'tests'> = new Map<string, SingleKind | 'tests'>([
  ...['gameValues', 'game-values', 'values'].map((name) => [name, 'game-values'] as const),
  ...['rateLimitRules', 'rate-limit-rules'].map((name) => [name, 'rate-limit-rules'] as const),
  ['tests', 'tests'],
]);

/** Members that say how to push, and are no section. */
const OPTIONS = ['strict'];

/** What a section of a body holds, judged. */
export type PlannedSection =
  /** One by one; `null`: no list. */
  | { readonly kind: ListedKind; readonly planned: readonly Planned[] | null }
  /** The one document of its kind. */
  | { readonly kind: SingleKind | 'tests'; readonly whole: PlannedWhole | Refusal };

/** By the name under which they came. Sections that are absent or null are left out. */
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

/** What the key must be permitted to write: of every section that is there, also of an empty one (management 11.1). */
export function scopesOfSync(body: Json | undefined): readonly Scope[] {
  return isObject(body) ? [...new Set(Object.keys(body).flatMap((name) => SCOPES_OF.get(name) ?? []))] : [];
}

/** Every element of its sections that may be a source text, with what it should be. */
export function itemsOfSync(body: Json | undefined): readonly (readonly [item: Json, kind: SourceKind])[] {
  const sections = objectOf(body);
  const listed = [...LISTED].flatMap(([name, kind]) => listOf(member(sections, name)).map((item) => [item, kind] as const));
  return [...listed, ...listOf(testsIn(member(sections, 'tests'))).map((item) => [item, 'test'] as const)];
}

/** Throws nothing: a body that cannot be a sync is the refusal of it. `now`: since when new rules count. */
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
    const planned = isArray(items) ? items.map((item, index) => plan(state, kind, item, target, index)) : null;
    sections.set(name, { kind, planned });
  }
  for (const [name, kind] of WHOLE) {
    const section = sectionIn(body, name);
    if (section === undefined) continue;
    sections.set(name, { kind, whole: kind === 'tests' ? planTests(section) : planSingle(state, kind, section, target, now) });
  }
  return sections;
}

/** A misspelt section would leave what stands in it behind, and the answer would say that all is well (decision 36). */
function unknownSection(body: JsonObject): Refusal | null {
  const known = [...LISTED.keys(), ...WHOLE.keys()];
  const name = Object.keys(body).find((each) => !known.includes(each) && !OPTIONS.includes(each));
  if (name === undefined) return null;
  const meant = didYouMean(name, known) ?? `Known are ${known.join(', ')}.`;
  return refusal('UNKNOWN_SECTION', `A push has no section '${name}'. ${meant} Nothing was written.`, { body: { section: name } });
}

/** Under two of its names: one would be lost. */
function repeatedSection(body: JsonObject): Refusal | null {
  for (const kind of new Set(WHOLE.values())) {
    const names = [...WHOLE].flatMap(([name, each]) => (each === kind && sectionIn(body, name) !== undefined ? [name] : []));
    if (names.length > 1) return refusal('VALIDATION_FAILED', `The sections ${names.join(' and ')} are the same one. Nothing was written.`);
  }
  return null;
}

function sectionIn(body: JsonObject, name: string): Json | undefined {
  return member(body, name) ?? undefined;
}
