import type { AccessContext } from '../../domain/access/context.ts';
import type { Decision } from '../../domain/definition/push/publish-events.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Caller } from '../caller.ts';
import type { AppContext } from '../context.ts';
import type { Decide } from './publish-whole.ts';
import { type PersonalIn, type SeenSchema, seenSchemas } from './stored-documents.ts';
import { madeUnique } from './unique-survey.ts';

/** What is personal is known to those who record looks. */
export type TellingContext = AppContext & { readonly personalIn: PersonalIn };

/**
 * A decision that makes no personal field unique for whoever is shown none: whether that is refused tells which values are the same, and
 * with a default, what they are. `isBack`: collections that are new to live may have been there before, with documents. Throws 403
 * REVEAL_NEEDED.
 */
export async function untelling<Answer>(
  { personalIn }: TellingContext,
  caller: Caller,
  decide: Decide<Answer>,
  { isBack = false }: { readonly isBack?: boolean } = {},
): Promise<Decide<Answer>> {
  if (caller.isMasked !== true) return decide;
  const seen = await seenSchemas(caller, personalIn);
  return (access, ...at) => untold(decide(access, ...at), access, seen, isBack);
}

/** The decision, if it makes no field unique that is not seen. Throws 403 REVEAL_NEEDED. */
export function untold<Answer>(decision: Decision<Answer>, { state }: AccessContext, seen: SeenSchema, isBack = false): Decision<Answer> {
  for (const { collection, fields, isNew } of madeUnique(state, decision.events)) {
    const { unique } = seen(collection.id, collection.schema);
    const told = isNew && !isBack ? undefined : fields.find((field) => !unique.includes(field));
    if (told !== undefined)
      throw refusal(
        'REVEAL_NEEDED',
        `Whether values of "${told.path}" in ${collection.id} are unique tells of them: making a personal field unique takes a reason in the header x-ns-reveal`,
      );
  }
  return decision;
}
