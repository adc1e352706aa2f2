import type { DocumentCorrected } from '../../contract/answers.ts';
import { CAUSE } from '../../domain/correction/causes.ts';
import { differences } from '../../domain/correction/differences.ts';
import { readWriteBody, type WriteBody } from '../../domain/document/decide.ts';
import { playerOfKey } from '../../domain/document/key.ts';
import { CORRECTION } from '../../domain/document/sources.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { accepted } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { requirePermissions } from '../access.ts';
import type { Address, ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import { wholeAnswer } from '../management/answer-codec.ts';
import { documentSubjects } from '../project/state-access.ts';
import { admit, recheckAdmission } from '../storage/admission.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { namingCommit, type Why } from './answering.ts';
import { coinsOf, MAX_LINES } from './correcting.ts';

/** What one document is to become. */
type Wanted = { readonly ops: readonly JsonObject[] } | { readonly document: JsonObject } | { readonly deleted: true };

export type Changing = Wanted &
  Why & {
    /** That was seen; 0: there must be no document. */
    readonly version?: number | undefined;
    readonly dryRun: boolean;
  };

/** Changes, makes or deletes one document as a correction, in one commit that says why. */
export async function change(
  context: AppContext,
  caller: Caller,
  at: Address,
  request: Changing,
): Promise<ManageAnswer<DocumentCorrected>> {
  const admitted = await admit(context, caller, 'deleted' in request ? 'document.delete' : 'document.write', at);
  const { reason, ticket, dryRun } = request;
  const { documentBytes, answers } = context.limits;
  const outcome = await execute(admitted.project, admitted.caller, CAUSE.correct, (ctx, now) => {
    const { access, collection } = recheckAdmission(ctx, now, admitted);
    requirePermissions(access.key, ['correction'], 'rw');
    requirePermissions(access.key, ['collections'], 'x');
    ctx.expect(documentSubjects(access.space, collection.id, at.key));
    return idempotent({ ctx, now, keyed: keyedBy(caller, access.space, answers.managed) }, wholeAnswer<DocumentCorrected>(), () => {
      const writes = new DocumentWrites(ctx, access, now, documentBytes);
      const report = changed(writes, collection, at.key, request);
      const answer: DocumentCorrected = { ok: true, ...(dryRun ? { dryRun } : {}), revision: null, ...report };
      const made: DomainEvent = { type: 'correction.made', data: { reason, ...(ticket === undefined ? {} : { ticket }) } };
      return decided(answer, dryRun || report.documents.length === 0 ? [] : [...writes.events, made]);
    });
  });
  return namingCommit(outcome, dryRun);
}

/** Does it, and tells what became of the document. */
function changed(writes: DocumentWrites, collection: CollectionModel, key: string, request: Changing) {
  const { reason, version: saveVersion = null } = request;
  const present = () => writes.located(collection.id, key).state?.document ?? null;
  const before = present();
  let version: number | null = null;
  if ('deleted' in request) writes.remove(collection, key, CORRECTION, saveVersion, reason);
  else {
    const how = {
      player: playerOfKey(key),
      saveVersion,
      strictSaveVersion: false,
      checkSchema: true,
      isCorrection: true,
      source: CORRECTION,
    };
    ({ version } = writes.write(collection, key, bodyOf(request), { ...how, reason }));
  }
  const changes = [...differences(before, present())];
  return {
    documents: changes.length === 0 ? [] : [{ collection: collection.id, key, version, changes: changes.slice(0, MAX_LINES) }],
    slots: [],
    coins: coinsOf(writes.events),
    left: [],
    shortfalls: [],
    more: Math.max(changes.length - MAX_LINES, 0),
  };
}

function bodyOf(request: Exclude<Changing, { readonly deleted: true }>): WriteBody {
  if ('document' in request) return { kind: 'replace', document: request.document };
  const { ops, reason } = request;
  const told: Json = ops.map((operation) => ({ ...operation, source: CORRECTION, reason }));
  return accepted(readWriteBody({ ops: told })).body;
}
