import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import { namedPlayer, playerOf } from '../../domain/access/credential.ts';
import { CAUSE } from '../../domain/correction/causes.ts';
import { readCorrection } from '../../domain/document/correction.ts';
import { readWriteBody } from '../../domain/document/decide.ts';
import { isThere, storedText } from '../../domain/document/packed.ts';
import { fillDefaults } from '../../domain/document/schema.ts';
import type { Space } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { slotOf } from '../../domain/record/slot.ts';
import type { DocumentState } from '../../domain/states.ts';
import { documentSubject, idempotencySubject, type Subject } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { accepted, notFound, Refusal } from '../../kernel/errors.ts';
import { isNumber, type Json, printOnce, toDouble } from '../../kernel/json.ts';
import { requirePermissions } from '../access.ts';
import type { Address, DocumentAnswer, Positioned, ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, stored } from '../context.ts';
import { type AnswerCodec, idempotent, type KeyedRequest, keyedBy, NO_ANSWER } from '../idempotency.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects, recordListSubjects } from '../project/state-access.ts';
import type { Memo, Version } from '../project/version.ts';
import { type Admitted, admit, admitAndStore, admitRead, recheckAdmission } from './admission.ts';
import { DocumentWrites } from './document-writes.ts';
import { type LedgerQuery, readLedger } from './ledger.ts';

export interface Documents {
  /** Waits for nothing if the document is in memory. */
  read(caller: Caller, at: Address): Awaitable<DocumentAnswer>;
  exists(caller: Caller, at: Address): Promise<boolean>;
  /** `readRequest` is called once access is granted: a body that may not be written is never read. */
  write(caller: Caller, at: Address, readRequest: () => Awaitable<WriteRequest>): Awaitable<WriteAnswer>;
  /** `readVersion`: the save version that the caller has seen; called when access is granted. */
  remove(caller: Caller, at: Address, readVersion: () => number | null): Promise<Positioned>;
  /** The body of a ledger answer, without `ok`. */
  ledger(caller: Caller, at: Address, query: LedgerQuery): Promise<ReadAnswer<contract.Ledger>>;
}

interface WriteRequest {
  /** The parsed request body: any JSON value. */
  readonly body: Json;
  /** The version that the writer has seen, if something other than the body says it. */
  readonly saveVersion: number | null;
}

interface WriteAnswer extends Positioned {
  readonly version: number;
}

/** Direct access to documents. */
export function createDocuments(context: AppContext): Documents {
  return {
    read: (caller, at) =>
      andThen(documentAt(context, caller, at), (answer) => {
        if (!answer) throw notFound('document', 'No document under this key');
        return answer;
      }),

    exists: async (caller, at) => (await documentAt(context, caller, at)) !== null,

    write: (claimed, at, readRequest) =>
      admitAndStore(context, claimed, 'document.write', at, readRequest, (admitted, write) => store(context, admitted, write)),

    async remove(claimed, at, readVersion) {
      const admitted = await admit(context, claimed, 'document.delete', at);
      const saveVersion = readVersion();
      const outcome = await execute(admitted.project, admitted.caller, 'document.delete', (ctx, now) => {
        const { access, collection } = recheckAdmission(ctx, now, admitted);
        const keyed = keyedBy(admitted.caller, access.space, context.limits.answers.game);
        return idempotent({ ctx, now, keyed }, NO_ANSWER, () => {
          const writes = new DocumentWrites(ctx, access, now, context.limits.documentBytes);
          writes.remove(collection, at.key, 'direct', saveVersion);
          return decided(null, writes.events);
        });
      });
      return stored(outcome);
    },

    ledger: (caller, at, query) => readLedger(context, caller, at, query),
  };
}

/** The document that the caller may read; `null` if there is none. */
function documentAt(context: AppContext, caller: Caller, at: Address): Awaitable<DocumentAnswer | null> {
  return andThen(admitRead(context, caller, 'document.read', at), ({ project, access, collection }) =>
    readDocument(context, project, caller, access, collection, at.key),
  );
}

function store(context: AppContext, admitted: Admitted<Address>, { body, saveVersion }: WriteRequest): Promise<WriteAnswer> {
  const { project, caller, at } = admitted;
  const read = readWriteBody(body);
  const correction = read instanceof Refusal ? read : readCorrection(read.body, caller.isSecret);
  const outcome = execute(project, caller, correction === true ? CAUSE.correct : 'document.write', (ctx, now) => {
    const { access, collection } = recheckAdmission(ctx, now, admitted);
    // A dedicated server may name any player, also bots.
    const player = caller.isSecret ? (namedPlayer(caller) ?? 'anonymous') : accepted(playerOf(caller, context.platformId));
    const request = accepted(read);
    const isCorrection = accepted(correction);
    if (isCorrection) requirePermissions(access.key, ['correction'], 'rw');
    const keyed = keyedBy(caller, access.space, context.limits.answers.game);
    ctx.expect(subjectsOfWrite(access.space, collection, at.key, keyed));
    return idempotent({ ctx, now, keyed }, VERSION_CODEC, () => {
      const writes = new DocumentWrites(ctx, access, now, context.limits.documentBytes);
      const { strictSaveVersion } = access.settings;
      const seen = saveVersion ?? request.saveVersion;
      const how = { player, saveVersion: seen, strictSaveVersion, checkSchema: true, source: 'direct', isCorrection };
      const state = writes.write(collection, at.key, request.body, how);
      return decided(state.version, writes.events);
    });
  });
  return outcome.then(({ answer, revision, replayed }) => ({ version: answer, position: revision, stale: false, replayed }));
}

const VERSION_CODEC: AnswerCodec<number> = { encode: (version) => version, decode: (kept) => (isNumber(kept) ? toDouble(kept) : 0) };

/** Subjects that a write reads, to load them in one round trip. */
function subjectsOfWrite(space: Space, collection: CollectionModel, key: string, keyed: KeyedRequest | null): readonly Subject[] {
  const own = documentSubjects(space, collection.id, key);
  const document = keyed === null ? own : [idempotencySubject(keyed.claim), ...own];
  const slot = slotOf(collection, key);
  return slot === null ? document : [...document, ...recordListSubjects(space, collection.id, slot.player)];
}

/** The document at this node's head; `null` if there is none or it was deleted. */
export function readDocument(
  context: AppContext,
  project: Project,
  caller: Pick<Caller, 'position'>,
  access: SharedAccess,
  collection: CollectionModel,
  key: string,
): Awaitable<DocumentAnswer | null> {
  return andThen(versionIn(project, access.space, collection.id, key), ({ subject, version }) => {
    const { state } = version;
    const at = positioned(context, project, caller);
    if (state === null || !('version' in state) || !isThere(state)) return null;
    const text = asTextOf<contract.Document>(servedText(project, subject, version, collection, access.settings.fillDefaults));
    return { position: at.position, stale: at.stale, text, version: state.version };
  });
}

/** A document's version as readers of the space see it. */
export function versionIn(
  project: Project,
  space: Space,
  collection: string,
  key: string,
): Awaitable<{ readonly subject: Subject; readonly version: Version }> {
  const own = documentSubject(space, collection, key);
  return andThen(project.read(own), (version) => {
    if (version.state !== null || space === 'live') return { subject: own, version };
    const live = documentSubject('live', collection, key);
    return andThen(project.read(live), (under) => ({ subject: live, version: under }));
  });
}

interface Served extends Memo {
  readonly schema: CollectionModel['schema'];
}

/** The served text. It is made once per version of the document and schema of its collection, so reads print nothing. */
function servedText(project: Project, subject: Subject, version: Version, { schema }: CollectionModel, fill: boolean): string {
  const { state } = version;
  if (state === null || !('version' in state) || !isThere(state)) throw new Error('only a document can be served');
  if (!fill || !schema.hasDefaults) return storedText(state);
  const memo = version.memo as Served | undefined;
  if (memo?.schema === schema) return memo.text;
  const served: Served = { schema, text: filledText(schema, state) };
  project.set.keepMemo(subject, version, served);
  return served.text;
}

function filledText(schema: CollectionModel['schema'], state: DocumentState): string {
  const { document } = state;
  if (document === null) throw new Error('a deleted document is not served');
  const filled = fillDefaults(schema, document);
  return filled === document ? storedText(state) : printOnce(filled);
}
