import type * as contract from '../../contract/answers.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { collectionModel } from '../../domain/definition/model/models.ts';
import { isThere } from '../../domain/document/packed.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { collectionSubject } from '../../domain/subjects.ts';
import { Refusal } from '../../kernel/errors.ts';
import { hashText } from '../../kernel/hash.ts';
import { accessAt, accessOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored, viewsReached } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import type { Project } from '../project/project.ts';
import { documentSubjects } from '../project/state-access.ts';
import { DocumentWrites } from '../storage/document-writes.ts';
import { wholeAnswer } from './answer-codec.ts';

/** Deletes the documents of a collection, also of one that is no longer defined. */
export interface Purge {
  /** Deletes some of them in one commit, and answers whether there may be more. `dryRun`: counts them. */
  documents(caller: Caller, collection: string, options: { readonly dryRun: boolean }): Promise<ManageAnswer<contract.Purged>>;
}

/** Documents of one commit. Where their ledgers make it too large, fewer are tried. */
const BATCH = 100;
const PAGE_BYTES = 256 * 1024;
const MAX_COUNTED = 1_000_000;
/** The name of a purge in the log and in ledgers. */
const CAUSE = 'documents.purge';
const SOURCE = 'purge';

export function createPurge(context: AppContext): Purge {
  return {
    async documents(caller, collection, { dryRun }) {
      const project = await projectOf(context, caller);
      requirePermissions(accessAt(project, caller, 'live').key, ['collections'], 'rw');
      // What another node wrote is purged as well.
      await project.refresh();
      await viewsReached(context, project, 'documents', project.set.collectionChangedAt(collectionSubject('live', collection)));
      if (dryRun) return counted(context, project, caller, collection);
      const page = await context.views.documentsAfter(project.id, collection, '', { rows: BATCH, bytes: PAGE_BYTES });
      return deleteSome(context, project, caller, { collection, keys: page.map(({ key }) => key) });
    },
  };
}

async function counted(context: AppContext, project: Project, caller: Caller, collection: string): Promise<ManageAnswer<contract.Purged>> {
  const documents = await context.views.documentCount(project.id, collection, MAX_COUNTED);
  const result = { ok: true, collection, deleted: 0, more: documents > 0, documents, dryRun: true } as const;
  return { ...positioned(context, project, caller), result };
}

interface Batch {
  readonly collection: string;
  readonly keys: readonly string[];
}

/** Deletes these documents. Of ledgers that are too large for one commit, fewer; a single one always fits. */
async function deleteSome(context: AppContext, project: Project, caller: Caller, batch: Batch): Promise<ManageAnswer<contract.Purged>> {
  const { keys, collection } = batch;
  try {
    return await deleteAll(context, project, caller, batch);
  } catch (error) {
    const isTooLarge = error instanceof Refusal && error.code === 'APPEND_TOO_LARGE';
    if (!isTooLarge || keys.length < 2) throw error;
    const { result, ...at } = await deleteSome(context, project, caller, { collection, keys: keys.slice(0, Math.ceil(keys.length / 4)) });
    return { ...at, result: { ...result, more: true } };
  }
}

async function deleteAll(
  context: AppContext,
  project: Project,
  caller: Caller,
  { collection: id, keys }: Batch,
): Promise<ManageAnswer<contract.Purged>> {
  const outcome = await execute(project, caller, CAUSE, (ctx, now) => {
    const access = accessOf(ctx, caller, 'live');
    requirePermissions(access.key, ['collections'], 'rw');
    const keyed = keyedBy(caller, 'live', context.limits.answers.managed);
    ctx.expect(keys.flatMap((key) => documentSubjects('live', id, key)));
    return idempotent({ ctx, now, keyed }, wholeAnswer<contract.Purged>(), () => {
      const writes = new DocumentWrites(ctx, access, now, context.limits.documentBytes);
      const collection = modelOf(access, id);
      const there = keys.filter((key) => isThere(writes.located(id, key).state));
      for (const key of there) writes.remove(collection, key, SOURCE);
      const answer: contract.Purged = { ok: true, collection: id, deleted: there.length, more: keys.length > 0 };
      return decided(answer, writes.events);
    });
  });
  return { ...stored(outcome), result: outcome.answer };
}

/** The collection as live has it, else as it is staged, else one without a schema: its documents are nothing but JSON. */
function modelOf({ definitions, state }: AccessContext, id: string): CollectionModel {
  const named = ({ id: own }: CollectionModel) => own === id;
  const known = definitions.collections.find(named) ?? effectiveDefinitions(state, 'next').collections.find(named);
  if (known !== undefined) return known;
  return collectionModel({ kind: 'collection', id, hash: hashText('{}'), value: {}, updatedAt: 0, live: null, staged: null });
}
