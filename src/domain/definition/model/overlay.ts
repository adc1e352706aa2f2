import type { Item } from '../../../contract/resources/definition.ts';
import { hashText } from '../../../kernel/hash.ts';
import { isObject, type Json, type JsonObject, stringifyJson, tryParseJson } from '../../../kernel/json.ts';
import { objectOf, stringOf } from '../../../kernel/json-read.ts';
import type { DefinitionKind, PublishTarget } from '../../events.ts';
import { isListed } from '../../kinds.ts';
import type { DefinitionItem, DefinitionsState, Layer } from '../../states.ts';
import { AUTHORING_MEMBERS } from '../source/compile.ts';

/**
 * `next` is an overlay over `live`. An entry is one definition as a target sees it. An entry stays the same object
 * until its item is published again, in live or next. So what is derived from an entry can be cached by identity.
 */
export interface Entry {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly hash: string;
  /** Any JSON value for the single documents, an object for all others. */
  readonly value: Json;
  /** Unix ms of the newest publish in it. */
  readonly updatedAt: number;
  readonly live: DefinitionItem | null;
  readonly staged: DefinitionItem | null;
}

/**
 * What is staged where `next` removes a definition: the definition `null`. Nobody can push it, and to a fold it is a text like any other,
 * so the log needs no event for it.
 */
export const REMOVAL: Json = null;

const REMOVAL_TEXT = stringifyJson(REMOVAL);

export function isRemoval(item: DefinitionItem): boolean {
  return item.text === REMOVAL_TEXT;
}

const values = new WeakMap<DefinitionItem, Json>();
const single = new WeakMap<DefinitionItem, Entry>();
const merged = new WeakMap<DefinitionItem, Entry>();

/** The stored definition, parsed once. A text that is not JSON reads as null: a log written elsewhere must not stop this node. */
export function definitionOf(item: DefinitionItem): Json {
  const known = values.get(item);
  if (known !== undefined) return known;
  const value = tryParseJson(item.text) ?? null;
  values.set(item, value);
  return value;
}

/** The definitions of a kind as a target sees them: live ones in order of creation, then those that exist only in `next`. */
export function entriesOf(state: DefinitionsState, target: PublishTarget, kind: DefinitionKind): readonly Entry[] {
  const live = [...state.live[kind].values()];
  if (target === 'live' || state.next[kind].size === 0) return live.map((item) => alone(item, 'live'));
  const staged = stagedByLive(state, kind);
  const over = live.filter((item) => !isRemoved(state, item)).map((item) => pair(item, staged.get(item)));
  const added = [...state.next[kind].values()].filter((item) => !isRemoval(item) && liveUnder(state, item) === undefined);
  return [...over, ...added.map((item) => alone(item, 'staged'))];
}

/** The live definitions of a kind that a promotion would remove. */
export function removalsOf(state: DefinitionsState, kind: DefinitionKind): readonly DefinitionItem[] {
  return state.next[kind].size === 0 ? [] : [...state.live[kind].values()].filter((item) => isRemoved(state, item));
}

/** Whether the live definition is removed in `next` by its id. A staged endpoint with its slug replaces it instead. */
function isRemoved(state: DefinitionsState, live: DefinitionItem): boolean {
  const staged = state.next[live.kind].get(live.id);
  return staged !== undefined && isRemoval(staged);
}

/** The live definition that a staged one covers: same id, or for endpoints the same slug. */
function liveUnder(state: DefinitionsState, staged: DefinitionItem): DefinitionItem | undefined {
  const same = state.live[staged.kind].get(staged.id);
  if (same !== undefined || staged.kind !== 'endpoint') return same;
  const under = findByName(state.live, 'endpoint', nameOf(staged));
  return under === undefined || isRemoved(state, under) ? undefined : under;
}

/** The first item with this slug (endpoints) or name, exactly. */
export function findByName(layer: Layer, kind: DefinitionKind, name: string): DefinitionItem | undefined {
  const known = byName.get(layer[kind]) ?? firstsByName(layer[kind].values());
  byName.set(layer[kind], known);
  return known.get(name);
}

/** Cached by the items of a layer, which never change: a push looks up the name of each of its thousands of elements. */
const byName = new WeakMap<Layer[DefinitionKind], ReadonlyMap<string, DefinitionItem>>();

function firstsByName(items: Iterable<DefinitionItem>): ReadonlyMap<string, DefinitionItem> {
  const firsts = new Map<string, DefinitionItem>();
  for (const item of items) if (!firsts.has(nameOf(item))) firsts.set(nameOf(item), item);
  return firsts;
}

/** The slug of an endpoint, the name of other kinds; its id if it has none. */
export function nameOf(item: DefinitionItem): string {
  const { slug, name }: Item = objectOf(definitionOf(item));
  return stringOf(item.kind === 'endpoint' ? slug : name) ?? item.id;
}

/**
 * Merges a staged definition over a live one: every staged top-level member wins, except `id`. A staged source replaces everything, so what
 * runs is what its text says. A staged plain edit removes the live source text, which would say something else.
 */
export function overlaid(live: JsonObject, staged: JsonObject, id: string): JsonObject {
  if (typeof sourceTextOf(staged) === 'string') return { ...staged, id };
  return { ...withoutAuthoring(live), ...staged, id };
}

function sourceTextOf({ sourceText }: Item): Json | undefined {
  return sourceText;
}

/** A definition without its source text and the members that go with it. */
export function withoutAuthoring(definition: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !AUTHORING_MEMBERS.some((each) => each === name)));
}

function stagedByLive(state: DefinitionsState, kind: DefinitionKind): ReadonlyMap<DefinitionItem, DefinitionItem> {
  const found = new Map<DefinitionItem, DefinitionItem>();
  for (const staged of state.next[kind].values()) {
    if (isRemoval(staged)) continue;
    const live = liveUnder(state, staged);
    if (live !== undefined) found.set(live, staged);
  }
  return found;
}

function alone(item: DefinitionItem, side: 'live' | 'staged'): Entry {
  const known = single.get(item);
  if (known !== undefined) return known;
  const { kind, id, hash, updatedAt } = item;
  const value = definitionOf(item);
  const entry = { kind, id, hash, value, updatedAt, live: side === 'live' ? item : null, staged: side === 'live' ? null : item };
  single.set(item, entry);
  return entry;
}

function pair(live: DefinitionItem, staged: DefinitionItem | undefined): Entry {
  if (staged === undefined) return alone(live, 'live');
  const known = merged.get(staged);
  if (known?.live === live) return known;
  const value = mergedValue(live, staged);
  const hash = hashText(stringifyJson(value));
  const updatedAt = Math.max(live.updatedAt, staged.updatedAt);
  const entry = { kind: live.kind, id: live.id, hash, value, updatedAt, live, staged };
  merged.set(staged, entry);
  return entry;
}

function mergedValue(live: DefinitionItem, staged: DefinitionItem): Json {
  return over(live.kind, live.id, definitionOf(live), definitionOf(staged));
}

/** A staged definition over the live one. The single documents are replaced as a whole. */
export function over(kind: DefinitionKind, id: string, live: Json, staged: Json): Json {
  return isListed(kind) && isObject(live) && isObject(staged) ? overlaid(live, staged, id) : staged;
}
