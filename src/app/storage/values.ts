import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { allows } from '../../domain/project/permissions.ts';
import { printOnce } from '../../kernel/json.ts';
import { accessFrom, requireRevision } from '../access.ts';
import type { ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';

export interface Values {
  read(caller: Caller, target: PublishTarget): Promise<ReadAnswer<contract.GameValues>>;
  readonly rateLimits: RateLimits;
}

/** Game values. They come from the definitions, so no view has to catch up. */
export function createValues(context: AppContext): Values {
  return {
    async read(caller, target) {
      const project = await projectOf(context, caller);
      const { definitions, key } = accessFrom(project.authority, project.definitions, caller, target);
      requireRevision(caller, 'read');
      const full = caller.isSecret && allows(key, 'collections', 'r');
      const values = full ? definitions.values.full : definitions.values.shared;
      // Printed once for all callers: every player asks at the start, and large tables take tens of milliseconds.
      return { ...positioned(context, project, caller), result: asTextOf<contract.GameValues>(`{"ok":true,${printOnce(values).slice(1)}`) };
    },

    rateLimits: createRateLimits(context),
  };
}
