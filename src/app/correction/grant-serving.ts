import type { Corrected } from '../../contract/answers.ts';
import { isDue } from '../../domain/correction/grant.ts';
import { isThere } from '../../domain/document/packed.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { GrantState } from '../../domain/states.ts';
import { AUTHORITY, grantPlayerSubject, grantSubject } from '../../domain/subjects.ts';
import { notFound, type Refusal, refusable, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { operatorAccess } from '../access.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects } from '../project/state-access.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { type Committed, committedBy } from './committed.ts';
import { decideUndo } from './undo.ts';

/** What a grant does for one player, and how it is taken back: the parts of decisions. Permission was asked for when the grant began. */

const live = operatorAccess('live');

/** What is given. */
export type Gift = Pick<GrantState, 'collection' | 'ops' | 'reason'>;

interface Given {
  readonly events: readonly DomainEvent[];
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** Whether the log still wants this player served, in the phase that the grant is in. */
export function isStillDue(ctx: DecisionContext, grant: string, phase: GrantState['phase'], player: string): boolean {
  if (ctx.read(AUTHORITY)?.deleted !== false) return false;
  return ctx.read(grantSubject(grant))?.phase === phase && isDue(phase, ctx.read(grantPlayerSubject(grant, player)));
}

/** Gives it to one player, or says why not. Nobody gets a document by it who had none: a mistyped id must make no player. */
export function giveTo(ctx: DecisionContext, now: number, maxBytes: number, gift: Gift, key: string): Given | Refusal {
  const { collection: id, ops, reason } = gift;
  const access = live(ctx);
  const collection = access.definitions.collections.find((each) => each.id === id);
  if (collection === undefined) return notFound('collection', `The collection ${id} is no longer defined`);
  ctx.expect(documentSubjects('live', id, key));
  const writes = new DocumentWrites(ctx, access, now, maxBytes);
  const { state } = writes.located(id, key);
  if (!isThere(state)) return notFound('document', `There is no document ${id}/${key}`);
  const how = { player: key, saveVersion: null, strictSaveVersion: false, checkSchema: true, isCorrection: true, source: 'grant', reason };
  return refusable(() => {
    const before = state.document;
    const after = writes.write(collection, key, { kind: 'operations', ops }, how);
    return { events: writes.events, before, after: after.document };
  });
}

/** The commit in which a player got it, and what it did. */
export interface GivenCommit {
  readonly commit: Commit;
  readonly committed: Committed;
}

/** Reads it. `null`: nothing was changed by it. Throws as {@link Past} does. */
export async function givenCommit(past: Past, project: Project, revision: number): Promise<GivenCommit | null> {
  const commit = await past.commitAt(project, revision);
  if (commit === null) throw notFound('commit', `There is no commit at revision ${revision}`);
  if (commit.events.some(({ type }) => type === 'log.redacted')) throw refusal('REDACTED');
  const committed = await committedBy(past, project, commit);
  return committed.documents.length + committed.lists.length === 0 ? null : { commit, committed };
}

interface Taken {
  readonly events: readonly DomainEvent[];
  readonly report: Corrected;
}

type Undo = NonNullable<GrantState['undo']>;

/** Undoes that commit as far as it goes, or says why not. */
export function takeBack(
  ctx: DecisionContext,
  now: number,
  maxBytes: number,
  given: GivenCommit,
  { policy, ...why }: Undo,
): Taken | Refusal {
  const access = live(ctx);
  return refusable(() =>
    decideUndo(ctx, access, new DocumentWrites(ctx, access, now, maxBytes), { ...given, ...why, policy, despite: [] }),
  );
}
