import type * as contract from '../../contract/answers.ts';
import { SCOPES } from '../../contract/credentials.ts';
import { manifestOf } from '../../domain/definition/pull/manifest.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { refusal } from '../../kernel/errors.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';

/** What tools ask about a project as a whole. */
export interface Manifest {
  /** Everything that a target holds, by name and hash. Needs `r` on every scope. */
  read(caller: Caller, target: PublishTarget): Promise<ManageAnswer<contract.Manifest>>;
  /** The outcome of a push that asked for a job. Throws 404 NOT_FOUND. */
  job(caller: Caller, jobId: string): Promise<ManageAnswer<contract.SyncJob>>;
}

export function createManifest(context: AppContext): Manifest {
  return {
    async read(caller, target) {
      const project = await projectOf(context, caller);
      const { authority, definitions, key } = accessAt(project, caller, target);
      requirePermissions(key, SCOPES, 'r');
      const { projectId, name } = authority;
      return {
        ...positioned(context, project, caller),
        result: { ok: true, manifestVersion: 1, project: { id: projectId, name }, ...manifestOf(definitions, target) },
      };
    },

    /** A push with a job is done when it is answered. The job is the revision that it reached, so it never changes. */
    async job(caller, jobId) {
      const project = await projectOf(context, caller);
      const { key } = accessAt(project, caller, 'live');
      requirePermissions(key, ['settings'], 'r');
      const revision = /^\d{1,15}$/.test(jobId) ? Number(jobId) : null;
      // Another node may have stored the push.
      if (revision !== null && revision > project.set.head) await project.refresh();
      if (revision === null || revision > project.set.head) throw refusal('NOT_FOUND', `There is no sync job ${jobId.slice(0, 40)}`);
      const result: contract.SyncJob = {
        ok: true,
        jobId,
        status: 'completed',
        completed: true,
        progress: 1,
        error: null,
        position: revision,
      };
      return { ...positioned(context, project, caller), result };
    },
  };
}
