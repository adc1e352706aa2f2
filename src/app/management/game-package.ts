import type * as contract from '../../contract/answers.ts';
import { SCOPES } from '../../contract/credentials.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { isStaged } from '../../domain/definition/model/effective.ts';
import { answered, type Decision as Publish } from '../../domain/definition/push/publish-events.ts';
import { isApproved } from '../../domain/definition/release/approval.ts';
import { decidePromote } from '../../domain/definition/release/promote.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { decidePackageSync, packageBody, syncedPackage } from '../../domain/project/package.ts';
import { revisionInitBody } from '../../domain/revision/init.ts';
import type { ReleaseState } from '../../domain/states.ts';
import { accepted } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { type Decide, publishWhole } from './publish-whole.ts';
import { stagedDocuments } from './staged-documents.ts';

/** The game's package and its revisions. */
export interface GamePackage {
  /** `body`: members of a package. A new revision promotes what is staged. Needs every scope. */
  sync(caller: Caller, body: Json): Promise<ManageAnswer<contract.PackageSynced>>;
  read(caller: Caller): Promise<ManageAnswer<contract.KnownPackage>>;
  /** Tells a starting game how its `revision` relates to the current one; `null`: it did not say. Takes any key. */
  init(caller: Caller, revision: number | null): Promise<ManageAnswer<contract.RevisionStatus>>;
}

export function createGamePackage(context: AppContext): GamePackage {
  return {
    async sync(caller, body) {
      const project = await projectOf(context, caller);
      requirePermissions(accessAt(project, caller, 'live').key, SCOPES, 'rw');
      const nextDocuments = isStaged(project.definitions.next) ? await stagedDocuments(context, project) : 0;
      const decide: Decide<contract.PackageSynced> = (access, now, release) => decideSync(access, release, body, now, nextDocuments);
      return publishWhole(context, caller, 'package.sync', 'live', SCOPES, decide);
    },

    async read(caller) {
      const project = await projectOf(context, caller);
      const { authority, key } = accessAt(project, caller, 'live');
      requirePermissions(key, SCOPES, 'r');
      const gamePackage = authority.gamePackage === null ? null : packageBody(authority.gamePackage);
      return { ...positioned(context, project, caller), result: { ok: true, gamePackage } };
    },

    async init(caller, revision) {
      const project = await projectOf(context, caller);
      const { authority } = accessAt(project, caller, 'live');
      return { ...positioned(context, project, caller), result: revisionInitBody(authority.gamePackage, revision) };
    },
  };
}

const NOT_APPROVED = 'The package is stored. What is staged was not promoted: in this project a second person has to approve it first';

/** A new revision promotes what is staged, too, unless an approval is missing. `nextDocuments`: what a promotion does not take over. */
function decideSync(
  { authority, state, settings }: AccessContext,
  release: ReleaseState | null,
  body: Json,
  now: number,
  nextDocuments: number,
): Publish<contract.PackageSynced> {
  const { changes, previousRevisionId, revisionChanged } = accepted(decidePackageSync(authority.gamePackage, body));
  const due = revisionChanged && isStaged(state.next) ? decidePromote(state, { dryRun: false }) : null;
  const waits = due !== null && settings.approvals === 'required' && !isApproved(release, due.events, state);
  const promotion = waits ? null : due;
  const promotes = promotion !== null;
  const count = (kind: string) => promotion?.answer.promoted[kind] ?? 0;
  const synced: DomainEvent = { type: 'package.synced', data: { changes } };
  const answer = {
    gamePackage: packageBody(syncedPackage(authority.gamePackage, changes, now)),
    previousRevisionId,
    revisionChanged,
    promotedRevisionOverrides: {
      endpointCount: count('endpoints'),
      collectionCount: count('collections'),
      promoted: promotes,
      ...(promotes ? { nextDocuments } : {}),
      ...(waits ? { waits: NOT_APPROVED } : {}),
    },
  };
  return { events: [synced, ...(promotion?.events ?? [])], answer: answered(answer) };
}
