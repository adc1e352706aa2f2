import type * as contract from '../../contract/answers.ts';
import { asTextOf, type TextOf } from '../../contract/values.ts';
import { visibleValues } from '../../domain/access/calls.ts';
import { outdated } from '../../domain/access/refusals.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { accepted } from '../../kernel/errors.ts';
import { type JsonObject, printOnce } from '../../kernel/json.ts';
import { accessAt } from '../access.ts';
import type { ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Project } from '../project/project.ts';
import { provenForTarget } from '../security/players.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';

export interface Values {
  read(caller: Caller, target: PublishTarget): Promise<ReadAnswer<contract.GameValues>>;
  readonly rateLimits: RateLimits;
}

/** Game values. They come from the definitions, so no view has to catch up. */
export function createValues(context: AppContext): Values {
  return {
    async read(claimed, target) {
      const project = await projectOf(context, claimed);
      const caller = await provenForTarget(context, project, claimed, target);
      const { values } = readableValues(project, caller, target);
      return { ...positioned(context, project, caller), result: valuesText(values) };
    },

    rateLimits: createRateLimits(context),
  };
}

/** The text is made once for all callers: every player asks at the start, and large tables take tens of milliseconds to print. */
export function valuesText(values: JsonObject): TextOf<contract.GameValues> {
  return asTextOf(`{"ok":true,${printOnce(values).slice(1)}`);
}

/** The values that the caller may see: all of them with a secret key that may read collections, else what players may see. */
export function readableValues(project: Project, caller: Caller, target: PublishTarget) {
  const access = accessAt(project, caller, target);
  accepted(outdated(caller, 'read'));
  return visibleValues(access, caller);
}
