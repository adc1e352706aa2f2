import type { Restored } from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { CAUSE, SOURCE } from '../../domain/correction/causes.ts';
import { type Parts, restored } from '../../domain/correction/pick.ts';
import { restoreSlots, type SlotChanges, withoutCome, withoutSlots } from '../../domain/correction/slots.ts';
import { type Policy, type UndoneDocument, undoDocument } from '../../domain/correction/three-way.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import { WITHOUT_DEFAULTS } from '../../domain/document/schema.ts';
import type { DomainEvent, SaveRecord } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { slotKey } from '../../domain/record/slot.ts';
import { documentSubject } from '../../domain/subjects.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { accessAt, accessOf, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, projectOf } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import { wholeAnswer } from '../management/answer-codec.ts';
import { type SeenSchema, seenSchemas } from '../management/stored-documents.ts';
import type { TellingContext } from '../management/untelling.ts';
import { momentOf } from '../past/moment.ts';
import type { Past } from '../past/past.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { namingCommit, tooLarge, type Why } from './answering.ts';
import { type CommittedDocument, committedBy } from './committed.ts';
import { Correcting, type Obstacle } from './correcting.ts';

export interface Restoring extends Why, Parts {
  /** A revision, or an instant with its zone. */
  readonly to: number | string;
  /** Ids of save records that stay as they are, with their data. */
  readonly keepSlots: readonly string[];
  /** Ids; empty: all collections of the player. */
  readonly collections: readonly string[];
  /** Ids: of these collections all that differs comes back, whether it was lost or came since. */
  readonly alsoCollections: readonly string[];
  /** Ids of save records that go, with their data, although they came since and only what was lost comes back. */
  readonly alsoSlots: readonly string[];
  /** Changes of each document that are told; left out: all. */
  readonly lines?: number | undefined;
  readonly policy: Policy;
  readonly despite: readonly Obstacle[];
  readonly dryRun: boolean;
}

const SCOPE = ['restore'];
/** Documents of a player that are restored together, and changes since then in which a counterparty is looked for. */
const MAX_DOCUMENTS = 500;
const MAX_CHANGES = 2000;
const REVISIONS = 500;
const VIEWS_WAIT_MS = 5_000;
const NARROWER =
  'restore some collections at a time (`collections`, on the command line --collection), or to a later moment; nothing was written';

/** A player's documents and lists as they were, and what counterparties got since. */
interface Goal {
  /** The last revision that counts. */
  readonly revision: number;
  readonly documents: readonly { readonly collection: string; readonly key: string; readonly past: JsonObject | null }[];
  readonly lists: readonly { readonly collection: string; readonly past: readonly SaveRecord[] }[];
  /** Newest first. */
  readonly others: readonly CommittedDocument[];
}

/** Brings a player's data in live back to what they were, in one commit. */
export async function restore(
  context: TellingContext,
  past: Past,
  caller: Caller,
  player: string,
  request: Restoring,
): Promise<ManageAnswer<Restored>> {
  const project = await projectOf(context, caller);
  const access = accessAt(project, caller, 'live');
  requirePermissions(access.key, SCOPE, 'rw');
  requireStorable(player);
  requireLost(request);
  // What other nodes wrote counts.
  await project.refresh();
  const { revision } = await momentOf(past, project, context.scheduler, String(request.to), 'to');
  const goal = await goalOf(context, past, project, access, { player, revision, ...request });
  const { documentBytes, answers } = context.limits;
  const seen = await seenSchemas(caller, context.personalIn);
  const outcome = await execute(project, caller, CAUSE.restore, (ctx, now) => {
    const present = accessOf(ctx, caller, 'live');
    requirePermissions(present.key, SCOPE, 'rw');
    return idempotent({ ctx, now, keyed: keyedBy(caller, present.space, answers.managed) }, wholeAnswer<Restored>(), () => {
      const writes = new DocumentWrites(ctx, present, now, documentBytes);
      const { events, report } = decideRestore(ctx, present, writes, goal, player, { ...request, seen });
      const answer: Restored = {
        ok: true,
        ...(request.dryRun ? { dryRun: true as const } : {}),
        revision: null,
        player,
        to: revision,
        ...report,
      };
      return decided(answer, request.dryRun ? [] : events);
    });
  }).catch(tooLarge(`What changes is too large for one commit: ${NARROWER}`));
  return namingCommit(outcome, request.dryRun);
}

function decideRestore(
  ctx: DecisionContext,
  access: AccessContext,
  writes: DocumentWrites,
  { documents, lists, others, revision }: Goal,
  player: string,
  request: Restoring & { readonly seen: SeenSchema },
) {
  const { reason, ticket, despite, keepSlots, lines, seen } = request;
  ctx.expect([
    ...[...documents, ...others].flatMap(({ collection, key }) => documentSubjects('live', collection, key)),
    ...lists.flatMap(({ collection }) => recordListSubjects('live', collection, player)),
  ]);
  const correcting = new Correcting(access, writes, { source: SOURCE.restore, reason, despite, lines, seen });
  const slots = lists.map((list) => ({
    ...list,
    changes: changesOf(
      list.collection,
      withoutSlots(restoreSlots(list.past, writes.recordsOf(list.collection, player)), keepSlots),
      request,
    ),
  }));
  const kept = new Set(keepSlots.map((recordId) => slotKey(player, recordId)));
  for (const { collection, changes } of slots) correcting.makeSlots(collection, player, changes);
  for (const { collection, key, past } of documents) {
    if (kept.has(key) && lists.some((list) => list.collection === collection)) continue;
    const goes = slots.some((list) => list.collection === collection && list.changes.remove.some((id) => slotKey(player, id) === key));
    const parts = { ...request, lost: request.lost && !goes && !request.alsoCollections.includes(collection) };
    correcting.document(collection, key, (present) => ({ document: restored(past, present, parts), left: [], shortfalls: [] }));
  }
  for (const { collection, changes } of slots) correcting.removeSlots(collection, player, changes);
  for (const changes of groupBy(others, ({ collection, key }) => `${collection}/${key}`).values()) takeBack(correcting, access, changes);
  const events = correcting.events();
  const data = { reason, ...(ticket === undefined ? {} : { ticket }), restored: { player, revision } };
  const made: DomainEvent = { type: 'correction.made', data };
  return { events: events.length === 0 ? [] : [...events, made], report: correcting.report() };
}

/** What becomes of a list of slots: where only what was lost comes back, those that came since stay unless they are asked for. */
function changesOf(collection: string, changes: SlotChanges, { lost, alsoCollections, alsoSlots }: Restoring): SlotChanges {
  return lost && !alsoCollections.includes(collection) ? withoutCome(changes, alsoSlots) : changes;
}

/** Throws 400 where something is to come back besides what was lost, and all comes back. */
function requireLost({ lost, also, alsoCollections, alsoSlots }: Restoring): void {
  if (!lost && [also, alsoCollections, alsoSlots].some(({ length }) => length > 0))
    throw refusal(
      'INVALID_REQUEST',
      '`also`, `alsoCollections` and `alsoSlots` say what comes back besides what was lost: give `lost` with them, or leave them out',
    );
}

/** Undoes what several commits did to the document of a counterparty, newest first, in one write. */
function takeBack(correcting: Correcting, access: AccessContext, changes: readonly CommittedDocument[]): void {
  const [first] = changes;
  if (first === undefined) return;
  correcting.document(first.collection, first.key, (present, { schema }) => {
    const reads = access.settings.fillDefaults ? schema : WITHOUT_DEFAULTS;
    const undone: UndoneDocument = { document: present, left: [], shortfalls: [] };
    return changes.reduce((after, change) => {
      const next = undoDocument(change, after.document, { schema, reads, policy: 'reverse' });
      return { document: next.document, left: [...after.left, ...next.left], shortfalls: [...after.shortfalls, ...next.shortfalls] };
    }, undone);
  });
}

interface Asked extends Restoring {
  readonly player: string;
  readonly revision: number;
}

async function goalOf(context: AppContext, past: Past, project: Project, access: AccessContext, asked: Asked): Promise<Goal> {
  const { player, revision, policy, only } = asked;
  const collections = collectionsOf(access, asked);
  const ids = collections.map(({ id }) => id);
  if (!(await context.views.caughtUp(project.id, project.set.head, VIEWS_WAIT_MS))) throw refusal('BEHIND');
  const keys = await context.views.documentsOf(project.id, player, { collections: ids, limit: MAX_DOCUMENTS + 1 });
  if (keys.length > MAX_DOCUMENTS) throw refusal('APPEND_TOO_LARGE', `${player} has more than ${MAX_DOCUMENTS} documents: ${NARROWER}`);
  const documents = await inTurns(keys, async (at) => {
    const was = await past.documentAt(project, { space: 'live', ...at }, revision);
    return { ...at, past: was?.document ?? null };
  });
  const slotted = only.length > 0 ? [] : collections.filter(({ maxRecords }) => maxRecords > 1);
  const lists = await inTurns(slotted, async ({ id }) => {
    return { collection: id, past: await past.recordsAt(project, 'live', id, player, revision) };
  });
  const others = policy === 'reverse' ? await othersSince(context, past, project, asked, keys) : [];
  return { revision, documents, lists, others };
}

/** The collections of players that are asked for. Throws 404 for one that there is not, 400 for a global one. */
function collectionsOf({ definitions }: AccessContext, { collections: ids }: Asked): readonly CollectionModel[] {
  const ofPlayers = definitions.collections.filter(({ type }) => type !== 'global');
  return ids.length === 0
    ? ofPlayers
    : ids.map((id) => {
        const found = definitions.collection(id);
        if (found === undefined) throw notFound('collection', `There is no collection ${id}`);
        if (found.type === 'global')
          throw refusal('INVALID_REQUEST', `${id} is global: it belongs to no player. \`undo\` takes back single commits`);
        return found;
      });
}

/** What the commits that changed the player's documents since did to documents of others, newest first. */
async function othersSince(
  { views }: AppContext,
  past: Past,
  project: Project,
  { player, revision }: Asked,
  keys: readonly { readonly collection: string; readonly key: string }[],
): Promise<readonly CommittedDocument[]> {
  const changes = new Set<number>();
  for (const { collection, key } of keys) {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const found = await views.revisions(project.id, documentSubject('live', collection, key), { before, limit: REVISIONS });
      for (const each of found) if (each > revision) changes.add(each);
      if (changes.size > MAX_CHANGES)
        throw refusal(
          'APPEND_TOO_LARGE',
          `${player} made more than ${MAX_CHANGES} changes since then, and who got something by them is not known: ${NARROWER}`,
        );
      const last = found.at(-1);
      if (last === undefined || last <= revision || found.length < REVISIONS) break;
      before = last;
    }
  }
  const commits = await inTurns([...changes], (each) => past.commitAt(project, each));
  const distinct = new Map(commits.flatMap((commit) => (commit === null ? [] : [[commit.last, commit]])));
  const newestFirst = [...distinct.values()].sort((a, b) => b.last - a.last);
  const isOfOther = ({ key }: { readonly key: string }) => playerOfKey(key) !== player;
  const others: CommittedDocument[] = [];
  for (const commit of newestFirst) others.push(...(await committedBy(past, project, commit, isOfOther)).documents);
  return others.filter(({ space }) => space === 'live');
}
