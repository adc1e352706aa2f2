import { EMPTY_LAYER } from '../../../src/domain/definition/model/evolve.ts';
import type { DefinitionKind, PublishTarget } from '../../../src/domain/events.ts';
import type { DefinitionItem, DefinitionsState, Layer } from '../../../src/domain/states.ts';

/** All of a project's definitions as one JSON text. */
export const DEFINITIONS_QUERY = `
SELECT json_build_object(
  'generation', s.generation, 'liveHash', s.live_hash, 'nextHash', s.next_hash,
  'items', (SELECT coalesce(json_agg(json_build_object(
      'layer', d.layer, 'kind', d.kind, 'id', d.id, 'hash', d.hash, 'createdAt', d.created_at, 'updatedAt', d.updated_at)
      ORDER BY d.ordinal), '[]')
    FROM {definitions} d WHERE d.project = s.project),
  'sources', (SELECT coalesce(json_agg(json_build_object('hash', t.hash, 'part', t.part, 'parts', t.parts, 'text', t.text)
      ORDER BY t.ordinal, t.part), '[]')
    FROM {definition_sources} t WHERE t.project = s.project))::text AS body
FROM {definition_sets} s WHERE s.project = $1`;

interface Item extends Omit<DefinitionItem, 'text'> {
  readonly layer: PublishTarget;
}

interface Source {
  readonly hash: string;
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

interface Body {
  readonly generation: number;
  readonly liveHash: string;
  readonly nextHash: string;
  readonly items: readonly Item[];
  readonly sources: readonly Source[];
}

export function definitionsFrom(text: string): DefinitionsState {
  const { items, sources: stored, ...rest } = JSON.parse(text) as Body;
  const sources = new Map(stored.filter((source) => source.parts === 1).map((source) => [source.hash, source.text]));
  const partial = new Map<string, (string | undefined)[]>();
  for (const { hash, part, parts, text: piece } of stored) {
    if (parts === 1) continue;
    const pieces = partial.get(hash) ?? new Array<string | undefined>(parts).fill(undefined);
    pieces[part] = piece;
    partial.set(hash, pieces);
  }
  return { ...rest, live: layerFrom(items, 'live', sources), next: layerFrom(items, 'next', sources), sources, partial };
}

function layerFrom(items: readonly Item[], target: PublishTarget, sources: ReadonlyMap<string, string>): Layer {
  const layer = new Map<DefinitionKind, Map<string, DefinitionItem>>();
  for (const { layer: of, ...item } of items) {
    if (of !== target) continue;
    const text = sources.get(item.hash);
    if (text === undefined) throw new Error(`the definition ${item.kind} ${item.id} has no stored text`);
    const ofKind = layer.get(item.kind) ?? new Map<string, DefinitionItem>();
    layer.set(item.kind, ofKind.set(item.id, { ...item, text }));
  }
  return { ...EMPTY_LAYER, ...Object.fromEntries(layer) };
}
