import type * as contract from '../../contract/answers.ts';
import { PLAYER_ID } from '../../domain/access/data.ts';
import { differenceOf } from '../../domain/definition/release/difference.ts';
import type { RecordListStep } from '../../domain/record/past.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { objectFrom } from '../../kernel/json-read.ts';
import type { Address, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type ChangesQuery, lastOfPage, pageOfChanges, toldOf } from './changes.ts';
import { type AnswerOfPast, type HistoryContext, ofMoment, pastData, pastDataIfAny } from './moments.ts';

/** What happened to the list of a player's save records: the slots themselves, whose data are documents with a history of their own. */
export interface SaveRecordHistory {
  /** Slots that were created, renamed and deleted, newest first. Throws as the reads of documents' history do, and 400 INVALID_KEY. */
  changes(caller: Caller, address: Address, query: ChangesQuery): Promise<AnswerOfPast & { readonly result: contract.SaveRecordHistory }>;
  /** `to` `null`: now. */
  compare(caller: Caller, address: Address, from: string, to: string | null): Promise<ReadAnswer<contract.SaveRecordComparison>>;
}

export function createSaveRecordHistory(context: HistoryContext): SaveRecordHistory {
  const { past, roundRobin } = context;

  const seenAt = async (caller: Caller, address: Address, at: string | null, name: string) => {
    const { project, access, collection, moment } = await pastDataIfAny(context, caller, 'slots.read', address, at, name);
    requirePlayer(address);
    const { key: player } = address;
    const list = collection === undefined ? [] : await past.recordsAt(project, access.space, collection.id, player, moment.revision);
    const records = list.map(({ recordId, recordName, createdAt }): [string, Json] => {
      return [recordId, { recordName, createdAt: new Date(createdAt).toISOString() }];
    });
    return { project, records: objectFrom(records), side: { ...ofMoment(moment).at, records: records.length } };
  };

  return {
    async changes(caller, address, { at, limit, before }) {
      const read = await pastData(context, caller, 'slots.read', address, at);
      const { project, access, collection, moment } = read;
      requirePlayer(address);
      const place = { space: access.space, collection: collection.id, player: address.key };
      const found = await past.recordListSteps(project, place, lastOfPage(moment, before), limit);
      return pageOfChanges(context, read, found, limit, (step, publish, labels) => ({
        ...toldOf(step.event, read.caller, labels),
        ...shownStep(step),
        publish,
      }));
    },

    async compare(caller, address, from, to) {
      const [one, other] = [await seenAt(caller, address, from, 'from'), await seenAt(caller, address, to, 'to')];
      const { fields, more } = await roundRobin.run(other.project.id, () => differenceOf(one.records, other.records, () => true));
      const result = { ok: true as const, from: one.side, to: other.side, fields, ...(more === undefined ? {} : { more }) };
      return { position: other.side.revision, stale: false, result };
    },
  };
}

const ACTIONS = { 'record.created': 'created', 'record.renamed': 'renamed', 'record.deleted': 'deleted' } as const;

function shownStep({
  event,
  before,
  after,
}: RecordListStep): Pick<contract.SaveRecordHistory['changes'][number], 'action' | 'recordId' | 'fields'> {
  const { recordId } = event.data;
  const listed = (name: string | null): JsonObject => (name === null ? {} : objectFrom([[recordId, { recordName: name }]]));
  const known = before === undefined ? {} : { fields: differenceOf(listed(before), listed(after), () => true).fields };
  return { action: ACTIONS[event.type], recordId, ...known };
}

function requirePlayer({ key }: Address): void {
  if (!PLAYER_ID.test(key)) throw refusal('INVALID_KEY');
}
