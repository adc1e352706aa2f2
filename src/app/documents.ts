import type { CollectionModel } from '../domain/definition/model.ts';
import { readWriteBody } from '../domain/document/decide.ts';
import { fillDefaults } from '../domain/document/schema.ts';
import type { Space } from '../domain/events.ts';
import { documentSubject } from '../domain/subjects.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { printOnce } from '../kernel/json.ts';
import { directCollection, type Grounds, grounds, groundsOf, needsPlayer, playerOf, requireOwn } from './access.ts';
import type { Address, App, Caller, DocumentAnswer } from './app.ts';
import { type AppContext, decided, execute, positioned, projectOf, settingsOf } from './context.ts';
import { DocumentWrites } from './document-writes.ts';
import { readLedger } from './ledger.ts';
import { identify, readingScopes, requireSession } from './players.ts';
import type { Project } from './project.ts';
import { documentSubjects } from './state-access.ts';
import type { Version } from './working-set.ts';

/** Direct access to documents (runtime-storage 4). */
export function createDocuments(context: AppContext): App['documents'] {
  return {
    async read(caller, at) {
      const project = await projectOf(context, caller);
      const ground = grounds(project.authority, project.definitions, caller, at.target);
      const collection = directCollection(ground, caller, at.collection, at.key, 'read');
      if (needsPlayer(ground, caller)) await provenFor(context, project, caller, ground, collection, at);
      const answer = await readDocument(context, project, caller, ground, collection, at.key);
      if (!answer) throw refusal('NOT_FOUND', 'No document under this key');
      return answer;
    },

    async exists(caller, at) {
      const project = await projectOf(context, caller);
      const ground = grounds(project.authority, project.definitions, caller, at.target);
      const collection = directCollection(ground, caller, at.collection, at.key, 'read');
      if (needsPlayer(ground, caller)) await provenFor(context, project, caller, ground, collection, at);
      return (await readDocument(context, project, caller, ground, collection, at.key)) !== null;
    },

    async mayWrite(caller, at) {
      const project = await projectOf(context, caller);
      return admitted(context, project, caller, at, 'write');
    },

    async write(claimed, at, body, saveVersion) {
      const project = await projectOf(context, claimed);
      const caller = isUnproven(project, claimed) ? await admitted(context, project, claimed, at, 'write') : claimed;
      const read = readWriteBody(body);
      const outcome = await execute(project, caller, 'document.write', (view, now) => {
        const ground = groundsOf(view, caller, at.target);
        const collection = directCollection(ground, caller, at.collection, at.key, 'write');
        requireOwn(ground, caller, collection, at.key);
        requireSession(view, caller, now);
        const player = playerOf(caller, context.platformId);
        if (read instanceof Refusal) return read;
        view.expect(documentSubjects(ground.space, collection.id, at.key));
        const writes = new DocumentWrites(view, ground, now, context.limits.documentBytes);
        const how = { player, saveVersion: saveVersion ?? read.saveVersion, checkSchema: true, source: 'direct' };
        const state = writes.write(collection, at.key, read.body, how);
        return decided(state.version, writes.events);
      });
      return { version: outcome.answer, position: outcome.revision, stale: false };
    },

    async remove(claimed, at) {
      const project = await projectOf(context, claimed);
      const caller = isUnproven(project, claimed) ? await admitted(context, project, claimed, at, 'delete') : claimed;
      const outcome = await execute(project, caller, 'document.delete', (view, now) => {
        const ground = groundsOf(view, caller, at.target);
        const collection = directCollection(ground, caller, at.collection, at.key, 'delete');
        requireOwn(ground, caller, collection, at.key);
        requireSession(view, caller, now);
        const writes = new DocumentWrites(view, ground, now, context.limits.documentBytes);
        writes.remove(collection, at.key, 'direct');
        return decided(null, writes.events);
      });
      return { position: outcome.revision, stale: false };
    },

    ledger: (caller, at, query) => readLedger(context, caller, at, query),
  };
}

/** Whether the player has to be proven, and has not been. */
function isUnproven(project: Project, { isSecret, verified }: Caller): boolean {
  return !isSecret && verified === undefined && settingsOf(project).requirePlayerAuth;
}

/** The caller to write or delete as. Throws what the decision would throw for access. */
async function admitted(context: AppContext, project: Project, caller: Caller, at: Address, action: 'write' | 'delete'): Promise<Caller> {
  const ground = grounds(project.authority, project.definitions, caller, at.target);
  const collection = directCollection(ground, caller, at.collection, at.key, action);
  if (!needsPlayer(ground, caller)) return caller;
  const proven = await provenFor(context, project, caller, ground, collection, at);
  requireOwn(ground, proven, collection, at.key);
  return proven;
}

/** A host that asks for another player signs with the collection's name (security 3). */
export function provenFor(
  context: AppContext,
  project: Project,
  caller: Caller,
  { settings }: Grounds,
  collection: CollectionModel,
  at: Address,
): Promise<Caller> {
  return identify(context, project, caller, settings, { scopes: readingScopes(collection, at.collection) });
}

/** As of this node's head; `null` when there is none or it was deleted. */
export async function readDocument(
  context: AppContext,
  project: Project,
  caller: Caller,
  ground: Grounds,
  collection: CollectionModel,
  key: string,
): Promise<DocumentAnswer | null> {
  const version = await versionIn(project, ground.space, collection.id, key);
  const { state } = version;
  // That there is none is an answer, too.
  const at = positioned(context, project, caller);
  if (state === null || !('version' in state) || state.document === null) return null;
  return { ...at, text: servedText(version, collection, ground.settings.fillDefaults), version: state.version };
}

async function versionIn(project: Project, space: Space, collection: string, key: string): Promise<Version> {
  const subject = documentSubject(space, collection, key);
  const own = await project.read(subject);
  if (own.state !== null || space === 'live') return own;
  const live = documentSubject('live', collection, key);
  return project.read(live);
}

interface Served {
  readonly schema: CollectionModel['schema'];
  readonly fill: boolean;
  readonly text: string;
}

/** Printed once per version of the document and schema of its collection: reads then cost no printing at all. */
function servedText(version: Version, collection: CollectionModel, fill: boolean): string {
  const { schema } = collection;
  const memo = version.memo as Served | undefined;
  if (memo && memo.schema === schema && memo.fill === fill) return memo.text;
  const { state } = version;
  if (state === null || !('version' in state) || state.document === null) throw new Error('only a document can be served');
  const document = fill && schema.hasDefaults ? fillDefaults(schema, state.document) : state.document;
  const served: Served = { schema, fill, text: printOnce(document) };
  version.memo = served;
  return served.text;
}
