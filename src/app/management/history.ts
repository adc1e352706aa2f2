import type * as contract from '../../contract/answers.ts';
import { closedPublishes } from '../../domain/access/calls.ts';
import type { AccessContext, SharedAccess } from '../../domain/access/context.ts';
import { answered } from '../../domain/definition/push/publish-events.ts';
import { decideRollback } from '../../domain/definition/release/rollback.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import { keptWhy } from '../../domain/said.ts';
import { DEFINITIONS } from '../../domain/subjects.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { PublishRow } from '../ports/publishes.ts';
import type { Project } from '../project/project.ts';
import type { EarlierLiveSearches } from './earlier-live.ts';
import { type Decide, publishWhole } from './publish-whole.ts';
import { actorsOf, shownApproval } from './shown-release.ts';
import { stagedDocuments } from './staged-documents.ts';
import { type TellingContext, untelling } from './untelling.ts';

/** The history of publishes, and rollback. */
export interface History {
  /** Publishes, newest first. `before`: a revision, as the page before names it. */
  publishes(caller: Caller, query: PublishesQuery): Promise<ManageAnswer<contract.Publishes>>;
  /**
   * Restores live as it was before its last publish or promotion. Throws 409 NOTHING_TO_ROLL_BACK, and PUBLISH_CONFLICT and REVEAL_NEEDED
   * as a push does.
   */
  rollback(caller: Caller, options: RollbackOptions): Promise<ManageAnswer<contract.RolledBack>>;
}

export interface PublishesQuery {
  readonly limit: number;
  readonly before: string | null;
}

interface RollbackOptions {
  readonly dryRun: boolean;
  /** An owner goes past the second person. */
  readonly breakGlass?: boolean;
  /** Revision of a publish; −1: before any; `null`: one back. */
  readonly to: number | null;
}

/** `searches`: shared with those who ask for the approval of a rollback. */
export function createHistory(context: TellingContext, searches: EarlierLiveSearches): History {
  return {
    async publishes(caller, query) {
      const project = await projectOf(context, caller);
      return publishesAnswer(context, project, mayReadPublishes(project, caller), caller, query);
    },

    async rollback(caller, options) {
      const project = await projectOf(context, caller);
      // A publish that another node just made is the one to undo.
      await project.refresh();
      const { key, state: seen } = accessAt(project, caller, 'live');
      requirePermissions(key, STAGED_SCOPES, 'rw');
      const earlier = await searches.find(project, options.to);
      const ended = options.dryRun ? { nextDocuments: await stagedDocuments(context, project) } : {};
      const decide: Decide<contract.RolledBack> = ({ state }) => {
        // The search was made for another state of live.
        if (state.liveHash !== seen.liveHash || state.generation !== seen.generation) throw refusal('WRITE_CONFLICT');
        const decision = accepted(decideRollback(state, earlier, options));
        return { ...decision, answer: { ...decision.answer, ...ended } };
      };
      return publishWhole(
        context,
        { ...caller, breakGlass: options.breakGlass ?? false },
        'definitions.rollback',
        'live',
        STAGED_SCOPES,
        await untelling(context, caller, decide, { isBack: true }),
      );
    },
  };
}

/** `revision`: what the rows show. Hashes and labels are of the head. */
interface PublishesAnswer extends ManageAnswer<contract.Publishes> {
  readonly revision: number;
}

/** What was published, whoever may read it. */
export async function publishesAnswer(
  context: AppContext,
  project: Project,
  { state: { liveHash, nextHash } }: SharedAccess,
  caller: Pick<Caller, 'position'>,
  query: PublishesQuery,
): Promise<PublishesAnswer> {
  const page = { before: revisionCursor(query.before, 'before') ?? Number.MAX_SAFE_INTEGER, limit: query.limit };
  const reached = await viewsReached(context, project, 'publishes', project.set.residentChangedAt(DEFINITIONS));
  const found = await context.views.publishes(project.id, page);
  await context.people.know(actorsOf(found.publishes.flatMap(({ approval }) => approval ?? [])));
  const publishes = found.publishes.map((publish) => shown(context, project, publish));
  const result = answered({ liveHash, nextHash, publishes, before: found.next });
  return { ...positioned(context, project, caller, reached), result, revision: found.revision };
}

/** The caller's authority, if it may read what was published. */
export function mayReadPublishes(project: Project, caller: Caller): AccessContext {
  const access = accessAt(project, caller, 'live');
  accepted(closedPublishes(access, caller));
  return access;
}

function shown(context: AppContext, project: Project, publish: PublishRow): contract.Publishes['publishes'][number] {
  const { restored, undoneBy, at, actor, label, message, ticket, approval, differences, ...row } = publish;
  return {
    ...row,
    changes: row.changes.map((change, place) => ({ ...change, ...differences?.[place] })),
    ...(restored === null ? {} : { restored }),
    ...(undoneBy === null ? {} : { undoneBy }),
    ...keptWhy({ message, ticket }),
    ...(approval === null ? {} : { approval: shownApproval(context, project, approval) }),
    actor: { ...actor, ...(label === null ? {} : { label }) },
    at: new Date(at).toISOString(),
  };
}
