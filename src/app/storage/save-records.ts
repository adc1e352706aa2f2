import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import type { CollectionModel } from '../../domain/definition/model.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import { isThere } from '../../domain/document/packed.ts';
import type { DomainEvent, SaveRecord, Space } from '../../domain/events.ts';
import { recordName } from '../../domain/record/decide.ts';
import { slotKey } from '../../domain/record/slot.ts';
import { asRecordList } from '../../domain/states.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { type AccessContext, accessFrom, accessOf, type DirectAction, directCollection, requireOwn } from '../access.ts';
import type { Address, ReadAnswer, RecordAddress } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { type AnswerCodec, idempotent, keyedBy, NO_ANSWER } from '../idempotency.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { isUnproven, provenOwner, requireSession } from '../security/players.ts';
import { DocumentWrites } from './document-writes.ts';
import { versionIn } from './documents.ts';
import { RecordWrites } from './record-writes.ts';

/** Save slots of players; `at.key` is the player. All throw 400 INVALID_KEY for a key that is no player id. */
export interface SaveRecords {
  list(caller: Caller, at: Address): Promise<ReadAnswer<contract.SaveRecords>>;
  /** Checks access before a body is read. */
  mayWrite(caller: Caller, at: Address): Promise<Caller>;
  /** `body`: the parsed request body, or anything else if there was none. Without a name in it the slot gets the default name. */
  create(caller: Caller, at: Address, body: Json | undefined): Promise<ReadAnswer<contract.NamedRecord>>;
  rename(caller: Caller, at: RecordAddress, body: Json): Promise<ReadAnswer<contract.NamedRecord>>;
  remove(caller: Caller, at: RecordAddress): Promise<ReadAnswer<contract.Done>>;
}

const PLAYER_ID = /^[A-Za-z0-9_-]{1,128}$/;
const RECORD_ID_BYTES = 3;
/** Ids drawn for a new slot. That all are taken is too unlikely to happen. */
const DRAWN = 8;

/** Save slots of players. Access follows the rules for documents. */
export function createSaveRecords(context: AppContext): SaveRecords {
  return {
    async list(caller, at) {
      const project = await projectOf(context, caller);
      const access = accessFrom(project.authority, project.definitions, caller, at.target);
      const collection = collectionOf(access, caller, at, 'read');
      await provenOwner(context, project, caller, access, collection, at, 'read');
      const records = await listIn(project, access.space, collection.id, at.key);
      const entries = await Promise.all(records.map((record) => entryOf(project, access.space, collection.id, at.key, record)));
      return { ...positioned(context, project, caller), result: { ok: true, records: entries, maxRecords: collection.maxRecords } };
    },

    async mayWrite(caller, at) {
      return admitted(context, await projectOf(context, caller), caller, at, 'write');
    },

    async create(claimed, at, body) {
      const project = await projectOf(context, claimed);
      const caller = isUnproven(project, claimed) ? await admitted(context, project, claimed, at, 'write') : claimed;
      const name = recordName(isObject(body) ? member(body, 'recordName') : undefined);
      const drawn = Array.from({ length: DRAWN }, () => randomBytes(RECORD_ID_BYTES).toString('hex'));
      const outcome = await execute(project, caller, 'record.create', (ctx, now) => {
        const { access, collection, writes, events } = opened(ctx, now, caller, at);
        const keyed = keyedBy(caller, access.space, context.limits.answers.game);
        return idempotent({ ctx, now, keyed }, RECORD_KEPT, () => {
          const { recordId, recordName: given } = writes.create(collection, at.key, drawn, name);
          return decided({ recordId, recordName: given }, events);
        });
      });
      return { ...stored(outcome), result: { ok: true, ...outcome.answer } };
    },

    async rename(claimed, at, body) {
      const project = await projectOf(context, claimed);
      const caller = isUnproven(project, claimed) ? await admitted(context, project, claimed, at, 'write') : claimed;
      const name = recordName(isObject(body) ? member(body, 'recordName') : undefined);
      if (name === null) throw refusal('INVALID_BODY', 'recordName must be a text that is not blank');
      const outcome = await execute(project, caller, 'record.rename', (ctx, now) => {
        const { access, collection, writes, events } = opened(ctx, now, caller, at);
        const keyed = keyedBy(caller, access.space, context.limits.answers.game);
        return idempotent({ ctx, now, keyed }, NO_ANSWER, () => {
          writes.rename(collection, at.key, at.recordId, name);
          return decided(null, events);
        });
      });
      return { ...stored(outcome), result: { ok: true, recordId: at.recordId, recordName: name } };
    },

    async remove(claimed, at) {
      const project = await projectOf(context, claimed);
      const caller = isUnproven(project, claimed) ? await admitted(context, project, claimed, at, 'delete') : claimed;
      const outcome = await execute(project, caller, 'record.delete', (ctx, now) => {
        const access = accessOf(ctx, caller, at.target);
        const collection = collectionOf(access, caller, at, 'delete');
        requireOwn(access, caller, collection, at.key, 'delete');
        requireSession(ctx, caller, now);
        // This applies to secret keys too, unlike for documents.
        if (!collection.allowRecordDelete) throw refusal('RECORD_DELETE_DISABLED');
        const key = slotKey(at.key, at.recordId);
        // No record has such an id, and no table could store it.
        if (!DOCUMENT_KEY.test(key)) throw refusal('RECORD_NOT_FOUND');
        ctx.expect([...recordListSubjects(access.space, collection.id, at.key), ...documentSubjects(access.space, collection.id, key)]);
        const keyed = keyedBy(caller, access.space, context.limits.answers.game);
        return idempotent({ ctx, now, keyed }, NO_ANSWER, () => {
          const writes = new DocumentWrites(ctx, access, now, context.limits.documentBytes);
          writes.removeRecord(collection, { player: at.key, recordId: at.recordId }, 'direct');
          return decided(null, writes.events);
        });
      });
      return { ...stored(outcome), result: { ok: true } };
    },
  };
}

interface NamedRecord {
  readonly recordId: string;
  readonly recordName: string;
}

const RECORD_KEPT: AnswerCodec<NamedRecord> = {
  encode: ({ recordId, recordName: name }) => ({ recordId, recordName: name }),
  decode(kept) {
    const [id, name] = isObject(kept) ? [member(kept, 'recordId'), member(kept, 'recordName')] : [];
    return { recordId: typeof id === 'string' ? id : '', recordName: typeof name === 'string' ? name : '' };
  },
};

/** The caller to write or delete as. Throws the decision's refusals of access. */
function admitted(context: AppContext, project: Project, caller: Caller, at: Address, action: 'write' | 'delete'): Awaitable<Caller> {
  const access = accessFrom(project.authority, project.definitions, caller, at.target);
  return provenOwner(context, project, caller, access, collectionOf(access, caller, at, action), at, action);
}

/** Throws 400 INVALID_KEY before anything is said about the collection. */
function collectionOf(access: AccessContext, caller: Caller, at: Address, action: DirectAction): CollectionModel {
  if (!PLAYER_ID.test(at.key)) throw refusal('INVALID_KEY');
  return directCollection(access, caller, at.collection, at.key, action);
}

function opened(ctx: DecisionContext, now: number, caller: Caller, at: Address) {
  const access = accessOf(ctx, caller, at.target);
  const collection = collectionOf(access, caller, at, 'write');
  requireOwn(access, caller, collection, at.key, 'write');
  requireSession(ctx, caller, now);
  ctx.expect(recordListSubjects(access.space, collection.id, at.key));
  const events: DomainEvent[] = [];
  return { access, collection, events, writes: new RecordWrites(ctx, access.space, now, events) };
}

/** The list at this node's head. */
async function listIn(project: Project, space: Space, collection: string, player: string): Promise<readonly SaveRecord[]> {
  for (const subject of recordListSubjects(space, collection, player)) {
    const list = asRecordList((await project.read(subject)).state);
    if (list !== null) return list.records;
  }
  return [];
}

/** An entry of the list. The slot's update time is that of its data, so a save writes one event and not two. */
async function entryOf(
  project: Project,
  space: Space,
  collection: string,
  player: string,
  record: SaveRecord,
): Promise<contract.SaveRecords['records'][number]> {
  const { state } = (await versionIn(project, space, collection, slotKey(player, record.recordId))).version;
  const savedAt = state !== null && 'document' in state && isThere(state) ? state.updatedAt : 0;
  return {
    recordId: record.recordId,
    recordName: record.recordName,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(Math.max(record.updatedAt, savedAt)).toISOString(),
    // No slot of this server has its data under the bare player id.
    isLegacy: false,
  };
}
