import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import { plan, type ValidItem } from '../../domain/definition/push/plan-item.ts';
import { wholeDiagnostics } from '../../domain/definition/push/plan-single.ts';
import {
  EMPTY_SCAN,
  earlierFinding,
  isNewSchema,
  leftFinding,
  refusedFinding,
  schemaOfItem,
  withDocument,
} from '../../domain/definition/release/stored-data.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { DOCUMENTS_UNSEEN, type Finding, type StoredFindings } from '../../domain/finding.ts';
import type { SchemaModel } from '../../domain/model.ts';
import type { Personal } from '../../domain/personal/fields.ts';
import { withoutPersonal } from '../../domain/personal/unchecked.ts';
import { collectionSubject } from '../../domain/subjects.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { isDatabaseOutage } from '../../kernel/outage.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import type { Pushed } from './compile-ahead.ts';

/** What the collections of a push mean for the documents that are stored: a short look, because a push must not wait for all of them. */

/** Collections of one push that are looked at, and for how long. */
const MAX_COLLECTIONS = 100;
const MAX_MS = 2_000;
/** Documents that are counted of each, and looked at. */
const MAX_COUNTED = 1_000;
const LOOKED_AT = { rows: 200, bytes: 256 * 1024 };

/** What of a schema, by the id of its collection, documents are compared with for whoever asks. */
export type SeenSchema = (collection: string, schema: SchemaModel) => SchemaModel;

/** What is personal in a project; `null`: nothing. */
export type PersonalIn = (projectId: string) => Promise<Personal | null>;

/** All of it, but for personal fields where a person asks who is shown none. */
export async function seenSchemas(caller: Caller, personalIn: PersonalIn): Promise<SeenSchema> {
  if (caller.isMasked !== true) return (_, schema) => schema;
  const personal = await personalIn(caller.projectId);
  return (collection, schema) => withoutPersonal(schema, personal?.in(collection) ?? []);
}

/** The findings by id of the collection. Only a live collection that is not there yet, or whose schema changes, is looked at. */
export async function storedFindings(
  context: AppContext,
  project: Project,
  items: readonly Pushed[],
  target: PublishTarget,
  seen: SeenSchema,
): Promise<StoredFindings> {
  const { definitions } = project;
  const planned = items.flatMap(([item, kind], index) => (kind === 'collection' ? [plan(definitions, kind, item, target, index)] : []));
  const changed = planned.filter((each) => each.ok).filter((each) => isNewSchema(definitions, each.put.id, each.definition));
  const until = context.scheduler.monotonic() + MAX_MS;
  const found = new Map<string, readonly Finding[]>();
  for (const [index, item] of changed.entries()) {
    const isLate = index >= MAX_COLLECTIONS || context.scheduler.monotonic() > until;
    const finding = isLate ? DOCUMENTS_UNSEEN : await look(context, project, item, seen);
    if (finding !== null) found.set(item.put.id, [finding]);
  }
  return found;
}

async function look(context: AppContext, project: Project, item: ValidItem, seen: SeenSchema): Promise<Finding | null> {
  try {
    return await findingOf(context, project, item, seen);
  } catch (error) {
    if (isDatabaseOutage(error)) return DOCUMENTS_UNSEEN;
    throw error;
  }
}

async function findingOf(
  { views, limits }: AppContext,
  project: Project,
  { put, definition }: ValidItem,
  seenSchema: SeenSchema,
): Promise<Finding | null> {
  const changedAt = project.set.collectionChangedAt(collectionSubject('live', put.id));
  // Documents that players have just written count too.
  if (changedAt >= 0 && !(await views.caughtUp(project.id, changedAt, limits.viewWaitMs))) return DOCUMENTS_UNSEEN;
  const documents = await views.documentsAfter(project.id, put.id, '', LOOKED_AT);
  if (documents.length === 0) return null;
  if (!project.definitions.live.collection.has(put.id)) {
    return earlierFinding(put.id, await views.documentCount(project.id, put.id, MAX_COUNTED), MAX_COUNTED);
  }
  const schema = seenSchema(put.id, schemaOfItem(definition));
  let seen = EMPTY_SCAN;
  for (const { key, text } of documents) {
    const document = tryParseJson(text);
    if (document !== undefined && isObject(document)) seen = withDocument(seen, schema, key, document);
  }
  return refusedFinding(put.id, seen);
}

/** What is told of a live collection that is deleted: the documents that it leaves. Nothing where there are none, or it is not there. */
export async function documentsLeft(context: AppContext, caller: Caller, name: string): Promise<ReturnType<typeof wholeDiagnostics>> {
  const project = await projectOf(context, caller);
  const { key, state } = accessAt(project, caller, 'live');
  requirePermissions(key, ['collections'], 'rw');
  const id = effectiveDefinitions(state, 'live').collection(name)?.id;
  if (id === undefined) return {};
  try {
    await context.views.caughtUp(project.id, project.set.collectionChangedAt(collectionSubject('live', id)), context.limits.viewWaitMs);
    const count = await context.views.documentCount(project.id, id, MAX_COUNTED);
    return wholeDiagnostics('collection', count === 0 ? [] : [leftFinding(id, count, MAX_COUNTED)], id);
  } catch (error) {
    // A collection is deleted by the log alone.
    if (isDatabaseOutage(error)) return {};
    throw error;
  }
}
