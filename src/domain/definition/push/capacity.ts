import type { Refusal } from '../../../kernel/errors.ts';
import type { DefinitionChange } from '../../events.ts';
import type { DefinitionsState } from '../../states.ts';
import { isRemoval } from '../model/overlay.ts';
import { type Put, refusePush } from './publish-events.ts';

/**
 * How many definitions a project may have. A node keeps all of them in memory, and a push visits each of them in one turn of the event
 * loop. So the number bounds how long one project blocks the others.
 */
export const MAX_DEFINITIONS = 2000;

/** Refuses a push of more items than a project may have. Call it before anything is done for each item. */
export function tooManyItems(items: number): Refusal | null {
  if (items <= MAX_DEFINITIONS) return null;
  return refusePush('VALIDATION_FAILED', `A push may hold at most ${MAX_DEFINITIONS} definitions; this one holds ${items}.`, {});
}

/** Refuses puts that would give a project too many definitions. Definitions that it has can always be changed. */
export function tooManyDefinitions(
  state: DefinitionsState,
  puts: readonly Put[],
  deletes: readonly DefinitionChange[] = [],
): Refusal | null {
  const isHeld = ({ kind, id }: Put) => state.live[kind].has(id) || state.next[kind].has(id);
  const made = puts.filter((put) => !isHeld(put)).length;
  if (made === 0) return null;
  const total = countIn(state) - deletes.length + made;
  if (total <= MAX_DEFINITIONS) return null;
  const message = `A project may have at most ${MAX_DEFINITIONS} definitions, live and staged; with this push it would have ${total}.`;
  return refusePush('VALIDATION_FAILED', message, {});
}

function countIn({ live, next }: DefinitionsState): number {
  const items = (layer: DefinitionsState['live']) => Object.values(layer).flatMap((kind) => [...kind.values()]);
  const staged = items(next).filter((item) => !isRemoval(item) && !live[item.kind].has(item.id));
  return items(live).length + staged.length;
}
