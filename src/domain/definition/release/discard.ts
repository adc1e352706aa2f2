import type { Discarded } from '../../../contract/answers.ts';
import { type Refusal, refusal } from '../../../kernel/errors.ts';
import type { Json } from '../../../kernel/json.ts';
import { objectOf } from '../../../kernel/json-read.ts';
import { STAGED_KINDS } from '../../kinds.ts';
import type { DefinitionItem, DefinitionsState } from '../../states.ts';
import { isRemoval, nameOf } from '../model/overlay.ts';
import { answered, type Decision, publishEvents } from '../push/publish-events.ts';

const MEMBERS = ['kind', 'id', 'dryRun'];

/**
 * Discards what was pushed to `next`, so that a wrong staged definition does not go live with the next game revision. `{}` means everything;
 * `kind` and `id`, as the difference names them, mean one kind or one definition (by slug or name too). Live stays, and so does the data that
 * calls to `next` wrote. 400 INVALID_BODY for an unknown kind, an id without its kind, and any other member.
 */
export function decideDiscard(
  state: DefinitionsState,
  body: Json | undefined,
  { dryRun }: { readonly dryRun: boolean },
): Decision<Discarded> | Refusal {
  const request = objectOf(body);
  // Else a body with `slug` instead of `id` would discard the whole kind.
  if (!Object.keys(request).every((name) => MEMBERS.includes(name))) {
    return refusal('INVALID_BODY', `The body has no members but ${MEMBERS.join(', ')}`);
  }
  const { kind, id } = request;
  const kinds = kind === undefined ? STAGED_KINDS : STAGED_KINDS.filter((each) => each === kind);
  if (kinds.length === 0) return refusal('INVALID_BODY', `\`kind\` must be one of ${STAGED_KINDS.join(', ')}`);
  if (id !== undefined && (typeof id !== 'string' || kind === undefined))
    return refusal('INVALID_BODY', '`id` must be a text, beside a `kind`');
  const named = (item: DefinitionItem) => nameOf(isRemoval(item) ? (state.live[item.kind].get(item.id) ?? item) : item);
  const isDiscarded = (item: DefinitionItem) => id === undefined || item.id === id || named(item) === id;
  const gone = kinds.flatMap((each) => [...state.next[each].values()].filter(isDiscarded));
  const changes = gone.map((item) => ({ kind: item.kind, id: item.id, action: 'discard' }));
  const deletes = gone.map((item) => ({ kind: item.kind, id: item.id, hash: null }));
  const events = dryRun ? [] : publishEvents(state, 'next', [], deletes);
  return { events, answer: answered({ changes, ...(dryRun ? { dryRun: true as const } : {}) }, 'next') };
}
