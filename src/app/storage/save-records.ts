import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import { isThere } from '../../domain/document/packed.ts';
import type { DomainEvent, SaveRecord, Space } from '../../domain/events.ts';
import { recordName } from '../../domain/record/decide.ts';
import { slotKey } from '../../domain/record/slot.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type Json, stringOrEmpty } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Address, ReadAnswer, RecordAddress } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, stored } from '../context.ts';
import { type AnswerCodec, idempotent, keyedBy, NO_ANSWER } from '../idempotency.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import { type Admitted, admit, admitAndStore, recheckAdmission } from './admission.ts';
import { DocumentWrites } from './document-writes.ts';
import { versionIn } from './documents.ts';
import { RecordWrites } from './record-writes.ts';

/** Save slots of players; `at.key` is the player. All throw 400 INVALID_KEY for a key that is no player id. */
export interface SaveRecords {
  list(caller: Caller, at: Address): Promise<ReadAnswer<contract.SaveRecords>>;
  /**
   * `readRequest` is called once access is granted, and answers the parsed request body, or anything else if there was none. Without a name
   * in the body the slot gets the default name.
   */
  create(caller: Caller, at: Address, readRequest: () => Awaitable<Json | undefined>): Promise<ReadAnswer<contract.NamedRecord>>;
  rename(caller: Caller, at: RecordAddress, readRequest: () => Awaitable<Json>): Promise<ReadAnswer<contract.NamedRecord>>;
  remove(caller: Caller, at: RecordAddress): Promise<ReadAnswer<contract.Done>>;
}

const RECORD_ID_BYTES = 3;
/** Ids drawn for a new slot. That all are taken is too unlikely to happen. */
const DRAWN = 8;

/** Save slots of players. Access follows the rules for documents. */
export function createSaveRecords(context: AppContext): SaveRecords {
  return {
    async list(claimed, at) {
      const slots = await readableSlots(context, claimed, at);
      return slotsAnswer(context, slots, slots.caller);
    },

    create: (claimed, at, readRequest) =>
      admitAndStore(context, claimed, 'slots.write', at, readRequest, (admitted, body) => create(context, admitted, body)),

    rename: (claimed, at, readRequest) =>
      admitAndStore(context, claimed, 'slots.write', at, readRequest, (admitted, body) => rename(context, admitted, at.recordId, body)),

    async remove(claimed, at) {
      const admitted = await admit(context, claimed, 'slots.delete', at);
      const { project, caller } = admitted;
      const outcome = await execute(project, caller, 'record.delete', (ctx, now) => {
        const { access, collection } = recheckAdmission(ctx, now, admitted);
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

async function create(context: AppContext, admitted: Admitted<Address>, body: Json | undefined): Promise<ReadAnswer<contract.NamedRecord>> {
  const { project, caller, at } = admitted;
  const name = nameIn(body);
  const drawn = Array.from({ length: DRAWN }, () => randomBytes(RECORD_ID_BYTES).toString('hex'));
  const outcome = await execute(project, caller, 'record.create', (ctx, now) => {
    const { access, collection, writes, events } = opened(ctx, now, admitted);
    const keyed = keyedBy(caller, access.space, context.limits.answers.game);
    return idempotent({ ctx, now, keyed }, RECORD_CODEC, () => {
      const { recordId, recordName: given } = writes.create(collection, at.key, drawn, name);
      return decided({ recordId, recordName: given }, events);
    });
  });
  return { ...stored(outcome), result: { ok: true, ...outcome.answer } };
}

async function rename(
  context: AppContext,
  admitted: Admitted<Address>,
  recordId: string,
  body: Json,
): Promise<ReadAnswer<contract.NamedRecord>> {
  const { project, caller, at } = admitted;
  const name = nameIn(body);
  if (name === null) throw refusal('INVALID_BODY', 'recordName must be a text that is not blank');
  const outcome = await execute(project, caller, 'record.rename', (ctx, now) => {
    const { access, collection, writes, events } = opened(ctx, now, admitted);
    const keyed = keyedBy(caller, access.space, context.limits.answers.game);
    return idempotent({ ctx, now, keyed }, NO_ANSWER, () => {
      writes.rename(collection, at.key, recordId, name);
      return decided(null, events);
    });
  });
  return { ...stored(outcome), result: { ok: true, recordId, recordName: name } };
}

/** The name that a body asks for; `null`: the default one. Throws 400 INVALID_BODY for what is no name. */
function nameIn(body: Json | undefined): string | null {
  if (body !== undefined && body !== null && !isObject(body)) throw refusal('INVALID_BODY', 'The body must be a JSON object');
  const { recordName: name } = objectOf(body);
  if (name !== undefined && name !== null && typeof name !== 'string') throw refusal('INVALID_BODY', '`recordName` must be a text');
  return recordName(name);
}

/** Checks that the caller may read a player's slots, and proves the player if that is needed. */
export function readableSlots(context: AppContext, caller: Caller, at: Address): Awaitable<Admitted<Address>> {
  return admit(context, caller, 'slots.read', at);
}

/** What the slots of a player are read with, whoever may read them. */
export interface SharedSlots extends Pick<Admitted<Address>, 'project' | 'collection' | 'at'> {
  readonly access: SharedAccess;
}

/** The slots at this node's head. */
export async function slotsAnswer(
  context: AppContext,
  { project, access, collection, at }: SharedSlots,
  caller: Pick<Caller, 'position'>,
): Promise<ReadAnswer<contract.SaveRecords>> {
  const records = await listIn(project, access.space, collection.id, at.key);
  const entries = await Promise.all(records.map((record) => entryOf(project, access.space, collection.id, at.key, record)));
  return { ...positioned(context, project, caller), result: { ok: true, records: entries, maxRecords: collection.maxRecords } };
}

interface NamedRecord {
  readonly recordId: string;
  readonly recordName: string;
}

const RECORD_CODEC: AnswerCodec<NamedRecord> = {
  encode: ({ recordId, recordName: name }) => ({ recordId, recordName: name }),
  decode(kept) {
    const { recordId: id, recordName: name } = objectOf(kept);
    return { recordId: stringOrEmpty(id), recordName: stringOrEmpty(name) };
  },
};

function opened(ctx: DecisionContext, now: number, admitted: Admitted<Address>) {
  const { access, collection } = recheckAdmission(ctx, now, admitted);
  ctx.expect(recordListSubjects(access.space, collection.id, admitted.at.key));
  const events: DomainEvent[] = [];
  return { access, collection, events, writes: new RecordWrites(ctx, access.space, now, events) };
}

/** The list at this node's head. */
async function listIn(project: Project, space: Space, collection: string, player: string): Promise<readonly SaveRecord[]> {
  for (const subject of recordListSubjects(space, collection, player)) {
    const list = (await project.read(subject)).state;
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
  return slotEntry(record, state !== null && 'document' in state && isThere(state) ? state.updatedAt : 0);
}

/** `savedAt`: when its data were saved last, unix ms; 0: there are none. */
export function slotEntry(record: SaveRecord, savedAt: number): contract.SaveRecords['records'][number] {
  return {
    recordId: record.recordId,
    recordName: record.recordName,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(Math.max(record.updatedAt, savedAt)).toISOString(),
    // No slot of this server has its data under the bare player id.
    isLegacy: false,
  };
}
