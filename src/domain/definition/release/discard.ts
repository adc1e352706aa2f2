import type { Discarded } from '../../../contract/answers.ts';
import { type Refusal, refusal } from '../../../kernel/errors.ts';
import { STAGED_KINDS } from '../../kinds.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { isRemoval, nameOf } from '../model/overlay.ts';
import { answered, type Decision, publishEvents } from '../push/publish-events.ts';

/** What to discard: a kind, or one definition of it by id, slug or name, as the difference names them; `{}`: everything. */
export interface DiscardRequest {
  readonly kind?: string;
  readonly id?: string;
}

/**
 * Discards what was pushed to `next`, so that a wrong staged definition does not go live with the next game revision. Live stays, and so
 * does the data that calls to `next` wrote. 400 INVALID_BODY for an unknown kind, and for an id without its kind.
 */
export function decideDiscard(
  state: DefinitionsState,
  { kind, id }: DiscardRequest,
  { dryRun }: { readonly dryRun: boolean },
): Decision<Discarded> | Refusal {
  const kinds = kind === undefined ? STAGED_KINDS : STAGED_KINDS.filter((each) => each === kind);
  if (kinds.length === 0) return refusal('INVALID_BODY', `\`kind\` must be one of ${STAGED_KINDS.join(', ')}`);
  if (id !== undefined && kind === undefined) return refusal('INVALID_BODY', '`id` stands beside the `kind` that it is of');
  const named = (item: DefinitionItem) => nameOf(isRemoval(item) ? (state.live[item.kind].get(item.id) ?? item) : item);
  const isDiscarded = (item: DefinitionItem) => id === undefined || item.id === id || named(item) === id;
  const gone = kinds.flatMap((each) => [...state.next[each].values()].filter(isDiscarded));
  const changes = gone.map((item) => ({ kind: item.kind, id: item.id, action: 'discard' }));
  const deletes = gone.map((item) => ({ kind: item.kind, id: item.id, hash: null }));
  const events = dryRun ? [] : publishEvents(state, 'next', [], deletes);
  return { events, answer: answered({ changes, ...(dryRun ? { dryRun: true as const } : {}) }, 'next') };
}
