import type { AccessContext } from '../../domain/access/context.ts';
import { countCall } from '../../domain/limit/calls.ts';
import type { EndpointModel } from '../../domain/model.ts';
import { accepted } from '../../kernel/errors.ts';
import { type Decided, decidedBy, withEvents } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import { windowIn } from '../project/state-access.ts';

/**
 * Runs `decide` as one call of an endpoint whose definition limits calls. Every call counts, also one that is refused or writes nothing:
 * the count is part of the same commit. Throws 429 `RATE_LIMIT` before `decide` runs.
 */
export function counted<A>(
  { space }: AccessContext,
  ctx: DecisionContext,
  endpoint: EndpointModel,
  player: string,
  now: number,
  decide: () => Decided<A>,
): Decided<A> {
  const windows = accepted(countCall(endpoint, player, { now, windowOf: (counter) => windowIn(ctx, space, counter) }));
  return withEvents([{ type: 'call.counted', data: { space, endpoint: endpoint.id, windows } }], decidedBy(decide));
}
