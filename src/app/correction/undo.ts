import type { Undone } from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { CAUSE, SOURCE } from '../../domain/correction/causes.ts';
import { undoSlots } from '../../domain/correction/slots.ts';
import { type Policy, undoDocument } from '../../domain/correction/three-way.ts';
import { isDocumentEvent } from '../../domain/document/evolve.ts';
import { WITHOUT_DEFAULTS } from '../../domain/document/schema.ts';
import type { DomainEvent, EventType, ProjectEvent, Space } from '../../domain/events.ts';
import { isRecordListEvent } from '../../domain/record/evolve.ts';
import { undoneSubject } from '../../domain/subjects.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { accessAt, accessOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { decided, execute, projectOf } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import { wholeAnswer } from '../management/answer-codec.ts';
import { type SeenSchema, seenSchemas } from '../management/stored-documents.ts';
import type { TellingContext } from '../management/untelling.ts';
import type { Commit } from '../past/commits.ts';
import type { Past } from '../past/past.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { namingCommit, tooLarge, type Why } from './answering.ts';
import { type Committed, committedBy } from './committed.ts';
import { Correcting, type Obstacle } from './correcting.ts';

export interface Undoing extends Why {
  /** Any revision of the commit. */
  readonly revision: number;
  readonly policy: Policy;
  readonly despite: readonly Obstacle[];
  readonly dryRun: boolean;
}

const SCOPE = ['restore'];
/** How often a commit is undone, undone again, and so on: each adds a commit to what the next one says. */
const MAX_CHAIN = 64;

/** Undoes a commit of documents and save records. */
export async function undo(context: TellingContext, past: Past, caller: Caller, request: Undoing): Promise<ManageAnswer<Undone>> {
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'rw');
  // The commit may be another node's.
  await project.refresh();
  const commit = await undoable(past, project, request.revision);
  const committed = await committedBy(past, project, commit);
  const { documentBytes, answers } = context.limits;
  const seen = await seenSchemas(caller, context.personalIn);
  const { recordedAt, cause } = metadataOf(commit);
  const undone = { revision: commit.last, at: new Date(recordedAt).toISOString(), cause };
  const outcome = await execute(project, caller, CAUSE.undo, (ctx, now) => {
    const access = accessOf(ctx, caller, spaceOf(committed) === 'live' ? 'live' : 'next');
    requirePermissions(access.key, SCOPE, 'rw');
    return idempotent({ ctx, now, keyed: keyedBy(caller, access.space, answers.managed) }, wholeAnswer<Undone>(), () => {
      const writes = new DocumentWrites(ctx, access, now, documentBytes);
      const { events, report } = decideUndo(ctx, access, writes, { commit, committed, ...request, seen });
      const answer: Undone = { ok: true, ...(request.dryRun ? { dryRun: true as const } : {}), revision: null, undone, ...report };
      return decided(answer, request.dryRun ? [] : events);
    });
  }).catch(tooLarge('What this commit did is too large to be undone in one commit'));
  return namingCommit(outcome, request.dryRun);
}

/** The commit, if it can be undone. Throws 404, and 409 NOTHING_TO_UNDO with what else to do. */
async function undoable(past: Past, project: Project, revision: number): Promise<Commit> {
  const commit = await past.commitAt(project, revision);
  const began = project.authority?.createdAt ?? 0;
  if (commit === null || metadataOf(commit).recordedAt < began)
    throw notFound('commit', `There is no commit at revision ${revision}: the log of this project ends at ${project.set.head}`);
  const types = new Set<EventType>(commit.events.map(({ type }) => type));
  const named = `The commit at revision ${revision} (${metadataOf(commit).cause})`;
  if (types.has('log.redacted')) throw refusal('NOTHING_TO_UNDO', `${named} was redacted: what it did is no longer known`);
  const publish = [...types].find((type) => type.startsWith('definitions.'));
  if (publish !== undefined) throw refusal('NOTHING_TO_UNDO', `${named} is a publish: \`savepoint rollback\` takes it back`);
  if (commit.events.some((event) => isDocumentEvent(event) || isRecordListEvent(event))) return commit;
  throw refusal('NOTHING_TO_UNDO', `${named} changed no document and no save record: it holds ${[...types].join(', ')}`);
}

interface UndoneCommit extends Why {
  readonly commit: Commit;
  readonly committed: Committed;
  readonly policy: Policy;
  readonly despite: readonly Obstacle[];
  /** What ledgers name as the source; left out: `undo`. */
  readonly source?: string;
  /** What of schemas whoever asks may be told of; left out: all. */
  readonly seen?: SeenSchema;
}

/**
 * Decides to undo one commit. No events: it left nothing that could go back. Throws 409: ALREADY_UNDONE, CORRECTION_BLOCKED, and
 * NOTHING_TO_UNDO for the data of a `next` that is gone.
 */
export function decideUndo(ctx: DecisionContext, access: AccessContext, writes: DocumentWrites, request: UndoneCommit) {
  const { commit, committed, reason, ticket, policy, despite, source = SOURCE.undo, seen } = request;
  const { documents, lists } = committed;
  const space = spaceOf(committed);
  if (access.space !== space) throw refusal('NOTHING_TO_UNDO', `The data of ${space} are gone: a promotion or rollback began new ones`);
  ctx.expect([
    undoneSubject(commit.last),
    ...documents.flatMap(({ collection, key }) => documentSubjects(space, collection, key)),
    ...lists.flatMap(({ collection, player }) => recordListSubjects(space, collection, player)),
  ]);
  const undone = undoneAfter(ctx, commit);
  const correcting = new Correcting(access, writes, { source, reason, despite, ...(seen === undefined ? {} : { seen }) });
  const slots = lists.map((list) => ({
    ...list,
    changes: undoSlots(list.before, list.after, writes.recordsOf(list.collection, list.player)),
  }));
  for (const { collection, player, changes } of slots) correcting.makeSlots(collection, player, changes);
  for (const change of documents) {
    correcting.document(change.collection, change.key, (present, { schema }) => {
      const reads = access.settings.fillDefaults ? schema : WITHOUT_DEFAULTS;
      return undoDocument(change, present, { schema, reads, policy });
    });
  }
  for (const { collection, player, changes } of slots) correcting.removeSlots(collection, player, changes);
  const events = correcting.events();
  const made: DomainEvent = { type: 'correction.made', data: { reason, ...(ticket === undefined ? {} : { ticket }), undone } };
  return { events: events.length === 0 ? [] : [...events, made], report: correcting.report() };
}

/**
 * What counts as undone afterwards. A commit that undid another brings that back when it is undone itself, and so on. Throws 409
 * ALREADY_UNDONE, also if what it undid was undone again since, by another commit.
 */
function undoneAfter(ctx: DecisionContext, { last, events }: Commit): readonly (readonly [number, boolean])[] {
  if (ctx.read(undoneSubject(last))?.undone) throw refusal('ALREADY_UNDONE');
  const earlier = events.flatMap((event) => (event.type === 'correction.made' ? (event.data.undone ?? []) : []));
  if (earlier.length >= MAX_CHAIN)
    throw refusal('NOTHING_TO_UNDO', `This was undone and undone again ${MAX_CHAIN} times: write what it should be`);
  const changed = earlier.find(([revision, undone]) => (ctx.read(undoneSubject(revision))?.undone ?? false) !== undone);
  if (changed !== undefined) {
    const [revision, undone] = changed;
    const what = undone ? 'is no longer undone' : 'was undone again since';
    throw refusal('ALREADY_UNDONE', `This undid others, and the commit at revision ${revision} ${what}: undo what did that first`);
  }
  return [[last, true], ...earlier.map(([revision, undone]): [number, boolean] => [revision, !undone])];
}

function spaceOf({ documents, lists }: Committed): Space {
  return documents[0]?.space ?? lists[0]?.space ?? 'live';
}

function metadataOf({ events }: Commit): ProjectEvent['metadata'] {
  const [first] = events;
  if (first === undefined) throw new Error('a commit without events');
  return first.metadata;
}
