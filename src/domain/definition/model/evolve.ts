import { hashText } from '../../../kernel/hash.ts';
import type { DefinitionChange, DefinitionKind, ProjectEvent, SourceStored } from '../../events.ts';
import type { DefinitionItem, DefinitionsState, Layer } from '../../states.ts';

/**
 * Folds the events of the definitions subject. `source.stored` only fills the text store. A publish puts texts into a layer by their hash.
 * A promotion makes `next` live; a rollback restores an earlier live. Both start a new generation of `next` data, as does a renewal, which
 * changes no definition.
 */

/** Number of texts (complete or not) that are kept although no definition refers to them: the newest ones. */
export const UNREFERRED_KEPT = 64;

export const EMPTY_LAYER: Layer = {
  collection: new Map(),
  endpoint: new Map(),
  workflow: new Map(),
  library: new Map(),
  query: new Map(),
  'game-values': new Map(),
  'rate-limit-rules': new Map(),
  tests: new Map(),
};

const EMPTY_HASH = layerHash(EMPTY_LAYER);

export const EMPTY_DEFINITIONS: DefinitionsState = {
  live: EMPTY_LAYER,
  next: EMPTY_LAYER,
  generation: 0,
  liveHash: EMPTY_HASH,
  nextHash: EMPTY_HASH,
  sources: new Map(),
  partial: new Map(),
};

/** Content hash of a layer: SHA-256 over its sorted `kind/id hash` lines, after `changes` are applied. */
export function layerHash(layer: Layer, changes: readonly DefinitionChange[] = []): string {
  const hashes = new Map<string, string | null>();
  for (const items of Object.values(layer)) {
    for (const item of items.values()) hashes.set(`${item.kind}/${item.id}`, item.hash);
  }
  for (const change of changes) hashes.set(`${change.kind}/${change.id}`, change.hash);
  const lines: string[] = [];
  for (const [name, hash] of hashes) if (hash !== null) lines.push(`${name} ${hash}\n`);
  return hashText(lines.sort().join(''));
}

/** Throws if the log contradicts itself: a text that does not match its hash, or a publish of a text that was never stored. */
export function evolveDefinitions(state: DefinitionsState, event: ProjectEvent): DefinitionsState {
  const at = event.metadata.recordedAt;
  switch (event.type) {
    case 'source.stored':
      return storeSource(state, event.data);
    case 'definitions.published': {
      const { target, changes, hash } = event.data;
      const layer = applyChanges(state[target], changes, state.sources, at);
      const published = target === 'live' ? { ...state, live: layer, liveHash: hash } : { ...state, next: layer, nextHash: hash };
      return dropUnused(state, published);
    }
    case 'definitions.promoted': {
      const { changes, hash, generation } = event.data;
      const live = applyChanges(state.live, changes, state.sources, at);
      return dropUnused(state, { ...state, live, liveHash: hash, next: EMPTY_LAYER, nextHash: EMPTY_HASH, generation });
    }
    case 'definitions.rolledBack': {
      const { changes, hash, generation } = event.data;
      const live = applyChanges(state.live, changes, state.sources, at);
      return dropUnused(state, { ...state, live, liveHash: hash, generation });
    }
    case 'definitions.nextRenewed':
      return { ...state, generation: event.data.generation };
    default:
      return state;
  }
}

function storeSource(state: DefinitionsState, data: SourceStored): DefinitionsState {
  const { hash, part, parts, text } = data;
  if (state.sources.has(hash)) return state;
  const pieces = parts === 1 ? [text] : Array.from({ length: parts }, (_, i) => (i === part ? text : state.partial.get(hash)?.[i]));
  if (pieces.includes(undefined)) {
    return { ...state, partial: newest(new Map(state.partial).set(hash, pieces)) };
  }
  const whole = pieces.join('');
  if (hashText(whole) !== hash) throw new Error(`Corrupt log: the stored source ${hash} has another hash`);
  const partial = new Map(state.partial);
  partial.delete(hash);
  return { ...state, sources: new Map(state.sources).set(hash, whole), partial };
}

/** An updated item keeps its position and creation time. A put after a delete is a new item at the end. */
function applyChanges(layer: Layer, changes: readonly DefinitionChange[], sources: ReadonlyMap<string, string>, at: number): Layer {
  const touched = new Map<DefinitionKind, Map<string, DefinitionItem>>();
  for (const { kind, id, hash } of changes) {
    const items = touched.get(kind) ?? new Map(layer[kind]);
    touched.set(kind, items);
    if (hash === null) {
      items.delete(id);
      continue;
    }
    const text = sources.get(hash);
    if (text === undefined) throw new Error(`Corrupt log: ${kind} ${id} refers to the unknown source ${hash}`);
    items.set(id, { kind, id, hash, text, createdAt: items.get(id)?.createdAt ?? at, updatedAt: at });
  }
  return { ...layer, ...Object.fromEntries(touched) };
}

/** Drops texts that a layer referred to, and none does now. One to which nothing referred yet may belong to a later publish. */
function dropUnused(before: DefinitionsState, after: DefinitionsState): DefinitionsState {
  const used = referred(after);
  const released = referred(before);
  const sources = new Map<string, string>();
  const waiting: string[] = [];
  for (const [hash, text] of after.sources) {
    if (!used.has(hash) && released.has(hash)) continue;
    sources.set(hash, text);
    if (!used.has(hash)) waiting.push(hash);
  }
  for (const hash of waiting.slice(0, -UNREFERRED_KEPT)) sources.delete(hash);
  return { ...after, sources };
}

function referred(state: DefinitionsState): Set<string> {
  const hashes = new Set<string>();
  for (const layer of [state.live, state.next]) {
    for (const items of Object.values(layer)) for (const item of items.values()) hashes.add(item.hash);
  }
  return hashes;
}

function newest<V>(entries: Map<string, V>): Map<string, V> {
  const surplus = entries.size - UNREFERRED_KEPT;
  for (const name of [...entries.keys()].slice(0, Math.max(0, surplus))) entries.delete(name);
  return entries;
}
