import { isStaged } from '../../domain/definition/effective.ts';
import { decidePromote } from '../../domain/definition/promote.ts';
import { type Decision as Publish, reply } from '../../domain/definition/publish.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { SCOPES } from '../../domain/project/permissions.ts';
import { revisionInitBody } from '../../domain/revision/init.ts';
import { decidePackageSync, packageBody, syncedPackage } from '../../domain/revision/package.ts';
import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { type Grounds, grounds, requirePermission } from '../access.ts';
import type { App } from '../app.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { publishWhole } from './manage.ts';

/** The game's package and revisions (management 14 and 15). */
export function createGamePackage(context: AppContext): App['gamePackage'] {
  return {
    sync: (caller, body) => publishWhole(context, caller, 'package.sync', 'live', SCOPES, (ground, now) => decideSync(ground, body, now)),

    async read(caller) {
      const project = await projectOf(context, caller);
      const { authority, key } = grounds(project.authority, project.definitions, caller, 'live');
      for (const scope of SCOPES) requirePermission(key, scope, 'r');
      const gamePackage = authority.gamePackage === null ? null : packageBody(authority.gamePackage);
      return { ...positioned(context, project, caller), status: 200, body: { ok: true, gamePackage } };
    },

    async init(caller, revision) {
      const project = await projectOf(context, caller);
      const { authority } = grounds(project.authority, project.definitions, caller, 'live');
      return { ...positioned(context, project, caller), status: 200, body: revisionInitBody(authority.gamePackage, revision) };
    },
  };
}

/** Another revision takes what was staged for it live, in the same commit (decision 8). */
function decideSync({ authority, state }: Grounds, body: Json, now: number): Publish | Refusal {
  const sync = decidePackageSync(authority.gamePackage, body);
  if (sync instanceof Refusal) return sync;
  const { changes, previousRevisionId, revisionChanged } = sync;
  const promotes = revisionChanged && isStaged(state.next);
  const promotion = promotes ? decidePromote(state, { dryRun: false }) : null;
  const counts = promotion?.answer.body['promoted'];
  const count = (kind: string) => (isObject(counts) ? (member(counts, kind) ?? 0) : 0);
  const synced: DomainEvent = { type: 'package.synced', data: { changes } };
  const answer: JsonObject = {
    gamePackage: packageBody(syncedPackage(authority.gamePackage, changes, now)),
    previousRevisionId,
    revisionChanged,
    promotedRevisionOverrides: { endpointCount: count('endpoints'), collectionCount: count('collections'), promoted: promotes },
  };
  return { events: [synced, ...(promotion?.events ?? [])], answer: reply(answer) };
}
