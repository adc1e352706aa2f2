import type { DefinitionChange, PublishTarget } from '../../events.ts';
import type { ListedKind } from '../../kinds.ts';
import type { DefinitionsState } from '../../states.ts';
import { type Entry, entriesOf, REMOVAL } from '../model/overlay.ts';
import { type Put, putOf } from './publish-events.ts';

/** What removes definitions from a target. */

/**
 * The puts and deletes that remove definitions from a target. In `next` a live definition is removed by putting a removal, and one that is
 * only staged is deleted.
 */
export function removal(entries: readonly Entry[], target: PublishTarget): { readonly puts: Put[]; readonly deletes: DefinitionChange[] } {
  if (target === 'live') return { puts: [], deletes: entries.map(({ kind, id }) => ({ kind, id, hash: null })) };
  return {
    puts: entries.flatMap(({ kind, live }) => (live === null ? [] : [putOf(kind, live.id, REMOVAL)])),
    deletes: entries.flatMap(({ kind, live, staged }) =>
      staged === null || staged.id === live?.id ? [] : [{ kind, id: staged.id, hash: null }],
    ),
  };
}

/** The definitions of a kind in a target that the push does not contain. With `replaceAll` they are removed. */
export function unpushedOf(state: DefinitionsState, target: PublishTarget, kind: ListedKind, puts: readonly Put[]): Entry[] {
  const kept = new Set(puts.map((put) => put.id));
  return entriesOf(state, target, kind).filter(({ id, staged }) => !kept.has(id) && !(staged !== null && kept.has(staged.id)));
}

/** The state without these definitions: what the rest may refer to after their removal. */
export function without(state: DefinitionsState, entries: readonly Entry[]): DefinitionsState {
  if (entries.length === 0) return state;
  const gone = new Set(entries.flatMap(({ live, staged }) => [live, staged]));
  const kinds = new Set(entries.map(({ kind }) => kind));
  const left = (layer: DefinitionsState['live']) => ({
    ...layer,
    ...Object.fromEntries([...kinds].map((kind) => [kind, new Map([...layer[kind]].filter(([, item]) => !gone.has(item)))])),
  });
  return { ...state, live: left(state.live), next: left(state.next) };
}
