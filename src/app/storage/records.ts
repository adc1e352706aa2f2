import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import type { CollectionModel } from '../../domain/definition/model.ts';
import { objectOf } from '../../domain/definition/read.ts';
import { decideAppend, reprintedRecord } from '../../domain/document/append.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import { collectionSubject, DEFINITIONS, documentSubject } from '../../domain/subjects.ts';
import type { Awaitable } from '../../kernel/awaitable.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import { isNumber, type Json, parseStored, printOnce, toDouble } from '../../kernel/json.ts';
import { wrongMark } from '../../kernel/page-mark.ts';
import {
  type AccessContext,
  accessFrom,
  needsPlayer,
  noSuch,
  ownerOf,
  requirePermission,
  requireRevision,
  requireVerifiedPlayer,
} from '../access.ts';
import type { Address, CollectionAddress, DocumentAnswer, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored, viewsReached } from '../context.ts';
import { type AnswerCodec, idempotent, keyedAppend } from '../idempotency.ts';
import type { Project } from '../project/project.ts';
import { documentIn, windowIn } from '../project/state-access.ts';
import { UniqueClaims, withUnique } from '../project/unique-claims.ts';
import { provenOnce } from '../security/players.ts';
import { type AdmissionRules, type Admitted, admitAndStore, recheckAdmission } from './admission.ts';
import { building } from './building.ts';
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
const LIST_BUILDING = 'This list is being made out of the documents that are there; try again shortly';

/** Records of global collections. Any valid key may list and read them, because they are shared data. */
export function createRecords(context: AppContext): Records {
  return {
    append: (claimed, at, readRequest) =>
      admitAndStore(context, claimed, at, APPEND, readRequest, (admitted, body) => append(context, admitted, body)),

    async list(caller, at, query) {
      const project = await projectOf(context, caller);
      const { definitions, space, settings } = accessFrom(project.authority, project.definitions, caller, at.target);
      requireRevision(caller, 'read');
      const collection = definitions.collection(at.collection);
      // A list shows what everybody wrote.
      if (collection && isKeptFrom(collection, caller)) throw refusal('ENDPOINT_ONLY');
      if (collection?.type !== 'global')
        return { ...positioned(context, project, caller), result: { ok: true, records: [], cursor: null } };
      const changedAt = Math.max(
        // A publish can make a collection global. It lists nothing until the views show that.
        project.set.residentChangedAt(DEFINITIONS),
        project.set.collectionChangedAt(collectionSubject('live', collection.id)),
        project.set.collectionChangedAt(collectionSubject(space, collection.id)),
      );
      const reached = await viewsReached(context, project, 'records', changedAt);
      const page = await context.views.records(project.id, space, collection.id, {
        limit: limitOf(query.limit),
        before: cursorOf(query.after),
        bytes: context.limits.answerBytes,
      });
      if (page.building !== null) throw building(page.building, LIST_BUILDING);
      const fills = settings.fillDefaults && collection.schema.hasDefaults;
      const texts = fills ? page.records.map((text) => filledText(collection, text)) : page.records;
      const result = asTextOf<contract.GlobalRecords>(`{"ok":true,"records":[${texts.join(',')}],"cursor":${nextCursor(page.last)}}`);
      return { ...positioned(context, project, caller, reached), result };
    },

    async get(caller, at) {
      const project = await projectOf(context, caller);
      const access = accessFrom(project.authority, project.definitions, caller, at.target);
      requireRevision(caller, 'read');
      const collection = access.definitions.collection(at.collection);
      const answer =
        collection?.type === 'global' && DOCUMENT_KEY.test(at.key)
          ? await readDocument(context, project, caller, access, collection, at.key)
          : null;
      if (!answer) throw refusal('NOT_FOUND', 'No record with this id');
      if (collection && isKeptFrom(collection, caller)) await requireWriter(context, project, caller, access, collection, answer.text);
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
    return idempotent({ ctx, now, keyed }, keepsRecord(body, writerId), () => {
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
export function writerOf({ verified, onBehalfOf, platformId }: Caller): string {
  return verified ?? onBehalfOf ?? platformId ?? 'anonymous';
}

/** Whether the collection's `access` keeps this caller from reading. `accessMode` does not apply to records. */
function isKeptFrom({ access }: CollectionModel, { isSecret }: Caller): boolean {
  return access.stated && access.read !== 'public' && !isSecret;
}

/** A record belongs to its writer. Throws 403 for another player's record. */
async function requireWriter(
  context: AppContext,
  project: Project,
  caller: Caller,
  access: AccessContext,
  collection: CollectionModel,
  text: string,
): Promise<void> {
  if (collection.access.read === 'endpoints') throw refusal('ENDPOINT_ONLY');
  const reader = await provenOnce(context, project, caller, access, collection, collection.id);
  if (parseStored(text)['_writerId'] !== ownerOf(access, reader)) throw refusal('FORBIDDEN', 'This belongs to another player');
}

const APPEND: AdmissionRules<CollectionAddress> = {
  collection: (access, caller, at) => appendable(access, caller, at.collection),
  /** A public key may append only if the collection says so (`publicAppend`). Where owners write, it needs a player. */
  requirePlayer(access, caller, collection) {
    if (needsPlayer(access, caller)) requireVerifiedPlayer(caller);
    if (collection.access.write === 'owner' && !caller.isSecret) ownerOf(access, caller);
  },
};

function appendable({ definitions, key, target }: AccessContext, caller: Caller, collectionId: string): CollectionModel {
  if (caller.isSecret) requirePermission(key, 'collections', 'x');
  const collection = definitions.collection(collectionId);
  if (!caller.isSecret && !(collection && collection.access.write !== 'endpoints' && collection.publicAppend))
    throw refusal(
      'FORBIDDEN',
      'Appending needs a secret key, or `access: {write: public}` (or owner) and `publicAppend: true` in the definition',
    );
  if (!collection) throw noSuch('collection', collectionId, target);
  // Deciding an append checks it too. Here it comes before the body is read.
  if (collection.type !== 'global') throw refusal('COLLECTION_TYPE_MISMATCH');
  requireRevision(caller, 'write');
  return collection;
}

interface MadeRecord {
  readonly recordId: string;
  readonly timestamp: number;
  readonly text: string;
}

/** What is kept of an append. The body has the rest, and a repeated request brings it again. */
function keepsRecord(body: Json, writerId: string): AnswerCodec<MadeRecord> {
  return {
    encode: ({ recordId, timestamp }) => ({ recordId, timestamp }),
    decode(kept) {
      const { recordId: id, timestamp: time } = objectOf(kept);
      const made = { recordId: typeof id === 'string' ? id : '', timestamp: isNumber(time) ? toDouble(time) : 0 };
      return { ...made, text: reprintedRecord(body, { ...made, writerId }) };
    },
  };
}

/** A record of a list as its own route would answer it. */
function filledText({ schema }: CollectionModel, text: string): string {
  const record = parseStored(text);
  const filled = fillDefaults(schema, record);
  return filled === record ? text : printOnce(filled);
}

function limitOf(text: string | null): number {
  const limit = text === null || !/^-?\d{1,9}$/.test(text) ? DEFAULT_LIMIT : Number(text);
  return Math.min(Math.max(limit, 1), MAX_LIMIT);
}

/**
 * Where a page of records begins: unix ms, `<ms>.<sequence>` (which we return if the border is ambiguous) or ISO text. Every time that a record
 * may carry is accepted; anything else is 400 INVALID_REQUEST.
 */
function cursorOf(text: string | null): { readonly timestamp: number; readonly sequence: number | null } | null {
  if (text === null) return null;
  const parts = /^(-?\d{1,16})(?:\.(\d{1,15}))?$/.exec(text);
  const timestamp = Number(parts?.[1]);
  if (Number.isSafeInteger(timestamp)) return { timestamp, sequence: parts?.[2] === undefined ? null : Number(parts[2]) };
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw wrongMark('after');
  return { timestamp: time, sequence: null };
}

/** JSON text of the cursor: a number, which is what clients expect, unless records of one millisecond lie on both sides of the border. */
function nextCursor(last: { readonly timestamp: number; readonly sequence: number; readonly ambiguous: boolean } | null): string {
  if (!last) return 'null';
  return last.ambiguous ? `"${last.timestamp}.${last.sequence}"` : String(last.timestamp);
}
