import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { namedPlayer } from '../../domain/access/credential.ts';
import { closedList, recordAccess } from '../../domain/access/data.ts';
import { collectionIn } from '../../domain/access/next.ts';
import { noSuch, outdated } from '../../domain/access/refusals.ts';
import { decideAppend, reprintedRecord } from '../../domain/document/append.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { collectionSubject, DEFINITIONS, documentSubject } from '../../domain/subjects.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { accepted, notFound, type Refusal, refusal } from '../../kernel/errors.ts';
import { instantOrDate } from '../../kernel/instant.ts';
import { isNumber, type Json, parseStored, printOnce, stringOrEmpty, toDouble } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import { pageLimit } from '../../kernel/page-limit.ts';
import { accessAt } from '../access.ts';
import type { Address, CollectionAddress, DocumentAnswer, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored, viewsReached } from '../context.ts';
import { type AnswerCodec, idempotent, keyedAppend } from '../idempotency.ts';
import type { Project } from '../project/project.ts';
import { documentIn, windowIn } from '../project/state-access.ts';
import { UniqueClaims, withUnique } from '../project/unique-claims.ts';
import { provenFor, provenForTarget } from '../security/players.ts';
import { type Admitted, admitAndStore, recheckAdmission, requireAllowed } from './admission.ts';
import { building, published } from './building.ts';
import { readDocument } from './documents.ts';

export interface Records {
  /** `readRequest` is called once access is granted: a body that may not be appended is never read. */
  append(caller: Caller, at: CollectionAddress, readRequest: () => Awaitable<Json>): Promise<ReadAnswer<contract.Appended>>;
  list(
    caller: Caller,
    at: CollectionAddress,
    query: { readonly limit: string | null; readonly after: string | null },
  ): Promise<ReadAnswer<contract.GlobalRecords>>;
  get(caller: Caller, at: Address): Promise<DocumentAnswer<contract.GlobalRecord>>;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
const ONLY_GLOBAL =
  'Only records of a global collection (`collectionType: global`) are listed. Documents of players are read one by one, or together by a query';
const LIST_BUILDING = 'This list is being made out of the documents that are there; try again shortly';

/** Records of global collections. Any valid key may list and read them, because they are shared data. */
export function createRecords(context: AppContext): Records {
  return {
    append: (claimed, at, readRequest) =>
      admitAndStore(context, claimed, 'record.append', at, readRequest, (admitted, body) => append(context, admitted, body)),

    async list(claimed, at, query) {
      const project = await projectOf(context, claimed);
      const caller = await provenForTarget(context, project, claimed, at.target);
      const access = accessAt(project, caller, at.target);
      const { space, settings } = access;
      accepted(outdated(caller, 'read'));
      const collection = collectionIn(access, at.collection);
      if (collection === undefined) throw noSuch('collection', at.collection, at.target);
      accepted(closedList(collection, caller));
      if (collection.type !== 'global') throw refusal('COLLECTION_TYPE_MISMATCH', ONLY_GLOBAL);
      const changedAt = Math.max(
        // A publish can make a collection global.
        project.set.residentChangedAt(DEFINITIONS),
        project.set.collectionChangedAt(collectionSubject('live', collection.id)),
        project.set.collectionChangedAt(collectionSubject(space, collection.id)),
      );
      const isReached = await viewsReached(context, project, 'records', changedAt);
      const request = {
        limit: pageLimit(query.limit, DEFAULT_LIMIT, MAX_LIMIT),
        before: cursorOf(query.after),
        bytes: context.limits.answerBytes,
      };
      const read = () => context.views.records(project.id, space, collection.id, request);
      const page = await published(context, project, read, ({ listed }) => listed);
      const reached = isReached || page.revision >= changedAt;
      if (page.building !== null) throw building(page.building, LIST_BUILDING);
      const fills = settings.fillDefaults && collection.schema.hasDefaults;
      const texts = fills ? await filledTexts(context, project, collection, page.records) : page.records;
      const result = asTextOf<contract.GlobalRecords>(`{"ok":true,"records":[${texts.join(',')}],"cursor":${nextCursor(page.last)}}`);
      return { ...positioned(context, project, caller, reached), result };
    },

    async get(claimed, at) {
      const project = await projectOf(context, claimed);
      const caller = await provenForTarget(context, project, claimed, at.target);
      const access = accessAt(project, caller, at.target);
      accepted(outdated(caller, 'read'));
      const collection = collectionIn(access, at.collection);
      if (collection?.type !== 'global' || !DOCUMENT_KEY.test(at.key)) throw noSuchRecord();
      const answer = await readDocument(context, project, caller, access, collection, at.key);
      if (!answer) throw noSuchRecord();
      await requireReadable(context, project, caller, access, collection, answer.text);
      // Everything in a global collection was appended to it.
      return { ...answer, text: asTextOf<contract.GlobalRecord>(answer.text) };
    },
  };
}

async function append(context: AppContext, admitted: Admitted<CollectionAddress>, body: Json): Promise<ReadAnswer<contract.Appended>> {
  const { project, caller } = admitted;
  const writerId = writerOf(caller);
  const recordId = randomBytes(16).toString('hex');
  const outcome = await execute(project, caller, 'record.append', (ctx, now) => {
    const { access, collection } = recheckAdmission(ctx, now, admitted);
    const { space } = access;
    const keyed = keyedAppend(caller, { space, collection: collection.id, writerId }, context.limits.answers.game, body);
    return idempotent({ ctx, now, keyed }, recordCodec(body, writerId), () => {
      const windowOf = (counter: string) => windowIn(ctx, space, counter);
      const maxBytes = context.limits.documentBytes;
      const { fillDefaults: fills } = access.settings;
      const input = { collection, space, body, recordId, writerId, now, maxBytes, checkSchema: true, fillDefaults: fills, windowOf };
      const decision = accepted(decideAppend(input));
      // Read like every subject that is changed. An id of 128 random bits cannot exist yet.
      ctx.assumeAbsent(documentSubject(space, collection.id, recordId));
      const claims = new UniqueClaims(ctx, access, (id, key) => documentIn(ctx, space, id, key));
      const events = withUnique(decision.events, claims.change(collection, recordId, null, decision.read));
      return decided({ recordId, timestamp: now, text: decision.text }, events);
    });
  });
  return { ...stored(outcome), result: asTextOf<contract.Appended>(`{"ok":true,"record":${outcome.answer.text}}`) };
}

/** Who a record belongs to. */
export function writerOf(caller: Caller): string {
  return namedPlayer(caller) ?? 'anonymous';
}

function noSuchRecord(): Refusal {
  return notFound('record', 'No record with this id');
}

/** Throws the refusal of a record that the caller may not read; proves the player if that is needed. */
async function requireReadable(
  context: AppContext,
  project: Project,
  caller: Caller,
  access: AccessContext,
  collection: CollectionModel,
  text: string,
): Promise<void> {
  const ask = (who: Caller) => recordAccess(access, who, collection, () => parseStored(text)['_writerId']);
  const { isUnproven } = accepted(ask(caller));
  if (isUnproven) requireAllowed(ask(await provenFor(context, project, caller, access, collection, collection.id)));
}

interface KeptRecord {
  readonly recordId: string;
  readonly timestamp: number;
  readonly text: string;
}

/** What is kept of an append. The body has the rest, and a repeated request brings it again. */
function recordCodec(body: Json, writerId: string): AnswerCodec<KeptRecord> {
  return {
    encode: ({ recordId, timestamp }) => ({ recordId, timestamp }),
    decode(kept) {
      const { recordId: id, timestamp: time } = objectOf(kept);
      const made = { recordId: stringOrEmpty(id), timestamp: isNumber(time) ? toDouble(time) : 0 };
      return { ...made, text: reprintedRecord(body, { ...made, writerId }) };
    },
  };
}

async function filledTexts(
  { roundRobin }: AppContext,
  project: Project,
  collection: CollectionModel,
  texts: readonly string[],
): Promise<readonly string[]> {
  const pause = roundRobin.pauses(project.id);
  const filled: string[] = [];
  for (const text of texts) {
    const turn = pause();
    if (turn !== null) await turn;
    filled.push(filledText(collection, text));
  }
  return filled;
}

/** A record of a list as its own route would answer it. */
function filledText({ schema }: CollectionModel, text: string): string {
  const record = parseStored(text);
  const filled = fillDefaults(schema, record);
  return filled === record ? text : printOnce(filled);
}

/**
 * Where a page of records begins: unix ms, `<ms>.<sequence>` (which we return if the border is ambiguous) or an ISO time with a zone. Every
 * time that a record may carry is accepted; anything else is 400 INVALID_REQUEST.
 */
function cursorOf(text: string | null): { readonly timestamp: number; readonly sequence: number | null } | null {
  if (text === null) return null;
  const parts = /^(-?\d{1,16})(?:\.(\d{1,15}))?$/.exec(text);
  const timestamp = Number(parts?.[1]);
  if (Number.isSafeInteger(timestamp)) return { timestamp, sequence: parts?.[2] === undefined ? null : Number(parts[2]) };
  const time = instantOrDate(text);
  if (time === null) throw invalidCursor('after');
  return { timestamp: Math.floor(time), sequence: null };
}

/** JSON text of the cursor: a number, which is what clients expect, unless records of one millisecond lie on both sides of the border. */
function nextCursor(last: { readonly timestamp: number; readonly sequence: number; readonly ambiguous: boolean } | null): string {
  if (!last) return 'null';
  return last.ambiguous ? `"${last.timestamp}.${last.sequence}"` : String(last.timestamp);
}
