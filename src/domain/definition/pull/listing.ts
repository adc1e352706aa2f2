import type { Listing, StoredRules, StoredValues } from '../../../contract/answers.ts';
import type { collection } from '../../../contract/resources/collection.ts';
import type { Item } from '../../../contract/resources/definition.ts';
import type { Written } from '../../../contract/resources/member.ts';
import { flatName, type rule as ruleSchema, type WindowName } from '../../../contract/resources/rate-limits.ts';
import { isObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import { firstText, flagOf, numberOf, objectOf, stringOf } from '../../../kernel/json-read.ts';
import { type PublishTarget, SINGLE_ID } from '../../events.ts';
import type { ListedKind, SingleKind } from '../../kinds.ts';
import { identifiedRules } from '../../limit/rules.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { definitionOf, isRemoval } from '../model/overlay.ts';
import { answered, lastPushed } from '../push/publish-events.ts';

type Listed = Listing['data'][number];

/** The GET listings that editors pull from. */

export interface ListOptions {
  readonly includeStaged: boolean;
  /** `null`: the request named none. */
  readonly target: PublishTarget | null;
  readonly projectId: string;
  /** The project setting of this name. */
  readonly endpointRateLimits: JsonObject | null;
}

export function listDefinitions(state: DefinitionsState, kind: ListedKind, options: ListOptions): Listing {
  if (kind === 'workflow' && options.target === null && !options.includeStaged) return answered({ data: workflowsAsPushed(state) });
  const live = [...state.live[kind].values()].map((item) => listed(kind, item));
  const shown = showsStaged(options) ? [...state.next[kind].values()] : [];
  // A definition may be listed twice, live and staged. The editor prefers the item with the mark.
  return answered({ data: [...live, ...shown.flatMap((item) => staged(state, kind, item))] });
}

export function listGameValues(state: DefinitionsState, options: ListOptions): StoredValues {
  return answered({ data: single(state, 'game-values', options) ?? [], ...singleMark(state, 'game-values', options) });
}

/** A staged definition with its mark. For a staged removal: the live definition with another mark. */
function staged({ live }: DefinitionsState, kind: ListedKind, item: DefinitionItem): Listed[] {
  if (!isRemoval(item)) return [{ ...listed(kind, item), revisionTarget: 'next' as const }];
  const removed = live[kind].get(item.id);
  return removed === undefined ? [] : [{ ...listed(kind, removed), revisionTarget: 'next', stagedRemoval: true }];
}

/**
 * Each workflow as it was last pushed, to either target. The editor names no target when it reads workflows, not even after a staged push,
 * and compares the answer with the author's files. If only live ones were listed, it would see a mismatch, and a pull would overwrite the
 * new text with the old one.
 */
function workflowsAsPushed(state: DefinitionsState): Listed[] {
  const { live, next } = state;
  const known = [...live.workflow.values()].flatMap((item) => {
    const later = next.workflow.get(item.id);
    return later === undefined || lastPushed(item, later) === item ? [listed('workflow', item)] : staged(state, 'workflow', later);
  });
  const added = [...next.workflow.values()].filter((item) => !live.workflow.has(item.id));
  return [...known, ...added.flatMap((item) => staged(state, 'workflow', item))];
}

function showsStaged({ includeStaged, target }: ListOptions): boolean {
  return includeStaged && target !== 'live';
}

/** A single document has no key, so a request for `next` gets only the staged one. */
function single(state: DefinitionsState, kind: SingleKind, options: ListOptions): Json | undefined {
  const item = stagedSingle(state, kind, options) ?? state.live[kind].get(SINGLE_ID);
  return item === undefined || isRemoval(item) ? undefined : definitionOf(item);
}

function stagedSingle(state: DefinitionsState, kind: SingleKind, options: ListOptions): DefinitionItem | undefined {
  return options.target === 'next' || showsStaged(options) ? state.next[kind].get(SINGLE_ID) : undefined;
}

function singleMark(state: DefinitionsState, kind: SingleKind, options: ListOptions): { readonly stagedRemoval?: true } {
  const item = stagedSingle(state, kind, options);
  return item !== undefined && isRemoval(item) ? { stagedRemoval: true } : {};
}

/** The stored definition, with the members that a listing always has, and without those that the editor's typed reader cannot read. */
function listed(kind: ListedKind, item: DefinitionItem): Listed {
  const definition = objectOf(definitionOf(item));
  const shown = Object.fromEntries(Object.entries(definition).flatMap(([name, value]) => editorSafe(name, value)));
  const key = firstText(definition, 'name') ?? firstText(definition, 'slug') ?? item.id;
  const { name, slug, visibility }: Item & Written<typeof collection> = shown;
  const named = { ...shown, id: item.id, name: stringOf(name) ?? key };
  if (kind === 'endpoint') return { ...named, slug: stringOf(slug) ?? item.id };
  return kind === 'collection' && visibility === undefined ? { ...named, visibility: 'private' } : named;
}

/** Members that a listing sets on its items. An item's own members of these names are left out. */
const LISTINGS_OWN = new Set(['revisionTarget', 'hasStaged', 'stagedRemoval']);
/** Members that the editor would take for the definition when it compares and pulls. */
const VIEWS = new Set(['definition', 'canonicalDefinition']);
const TEXT_MEMBERS = new Set(['name', 'slug', 'description', 'notes', 'method', 'collectionType', 'accessMode', 'rateLimitAction']);

/** Converts or drops members that the editor reads without checking their type. */
function editorSafe(name: string, value: Json): [string, Json][] {
  if (LISTINGS_OWN.has(name) || (VIEWS.has(name) && isObject(value))) return [];
  if (name === 'maxRecords') return Number.isInteger(value) ? [[name, value]] : [];
  if (!TEXT_MEMBERS.has(name) || typeof value === 'string') return [[name, value]];
  const text = stringOf(value) ?? (typeof value === 'boolean' ? String(value) : undefined);
  return text === undefined ? [] : [[name, text]];
}

export function listRateLimitRules(state: DefinitionsState, options: ListOptions): StoredRules {
  const stored = single(state, 'rate-limit-rules', options);
  return answered({
    projectId: options.projectId,
    source: 'configuration',
    endpointRateLimits: options.endpointRateLimits,
    rules: identifiedRules(stored ?? null).map(({ id, rule }) => listedRule(id, rule)),
    ...sourceOf(stored),
    ...singleMark(state, 'rate-limit-rules', options),
  });
}

/** The source file of the rules, if they were pushed with one. */
function sourceOf(stored: Json | undefined): Pick<StoredRules, 'sourceFormat' | 'sourcePath' | 'sourceText'> {
  const { sourceFormat, sourcePath, sourceText }: Item = objectOf(stored);
  if (typeof sourceText !== 'string') return {};
  const [format, path] = [stringOf(sourceFormat), stringOf(sourcePath)];
  return { sourceText, ...(format === undefined ? {} : { sourceFormat: format }), ...(path === undefined ? {} : { sourcePath: path }) };
}

/** A rule with every stored field, and the flat form that the editor reads, whichever of the three forms was sent. */
function listedRule(id: string, rule: Written<typeof ruleSchema>): StoredRules['rules'][number] {
  const windows: { readonly [W in WindowName]?: Json } = objectOf(rule.windows);
  const most = (window: WindowName): number | null => {
    const seedForm = stringOf(rule.window) === window ? numberOf(rule.limit) : undefined;
    return numberOf(rule[flatName(window)]) ?? numberOf(windows[window]) ?? seedForm ?? null;
  };
  const [collection, field] = [firstText(rule, 'collection') ?? '*', firstText(rule, 'field') ?? '*'];
  return {
    ...rule,
    id,
    collection,
    field,
    action: firstText(rule, 'action') ?? 'reject',
    maxPerMinute: most('perMinute'),
    maxPerHour: most('perHour'),
    maxPerDay: most('perDay'),
    maxPerWeek: most('perWeek'),
    maxPerMonth: most('perMonth'),
    maxPerYear: most('perYear'),
    enabled: flagOf(rule.enabled) ?? true,
    scope: firstText(rule, 'scope') ?? 'per_player',
  };
}
