import type * as contract from '../../contract/answers.ts';
import { answered } from '../../domain/definition/push/publish-events.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { FlagRow } from '../ports/readers.ts';

/** Writes that exceeded rules with the action `flag`, newest first. `before`: a revision, as the page before names it. */
export type Flags = (
  caller: Caller,
  target: PublishTarget,
  query: { readonly player: string | null; readonly limit: number; readonly before: string | null },
) => Promise<ManageAnswer<contract.Flags>>;

/** A rule flags only the first write that exceeds it in a window. */
export function createFlags(context: AppContext): Flags {
  return async (caller, target, query) => {
    const project = await projectOf(context, caller);
    const { key, space } = accessAt(project, caller, target);
    requirePermissions(key, ['rate_limits'], 'r');
    requireStorable(query.player);
    const page = { before: revisionCursor(query.before, 'before') ?? Number.MAX_SAFE_INTEGER, limit: query.limit };
    const reached = await viewsReached(context, project, 'flags', project.set.head);
    const found = await context.views.flags(project.id, { space, player: query.player, ...page });
    const flags = found.flags.map(flagShown);
    return { ...positioned(context, project, caller, reached), result: answered({ flags, before: found.next }) };
  };
}

export function flagShown({ start, at, ...flag }: FlagRow): contract.Flags['flags'][number] {
  return { ...flag, start: isoOf(start), at: isoOf(at) };
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
