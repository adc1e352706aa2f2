import type * as contract from '../../contract/answers.ts';
import { STAGED_READ } from '../../contract/credentials.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import { decidePromote } from '../../domain/definition/release/promote.ts';
import { schedulePromotion, unschedulePromotion } from '../../domain/definition/release/schedule.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { STAGED_SCOPES } from '../../domain/project/permissions.ts';
import type { ReleaseState, ScheduledPromotion } from '../../domain/states.ts';
import { RELEASE } from '../../domain/subjects.ts';
import { accepted } from '../../kernel/errors.ts';
import { accessAt, accessOf, actorOf, requireNeed, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import { wholeAnswer } from './answer-codec.ts';
import { onBase } from './base.ts';
import { newApprovalId } from './publish-whole.ts';
import { releaseAfter, shownSchedule } from './shown-release.ts';

/** A promotion at a chosen time. The job `promotion.watch` makes it live. */
export interface Schedules {
  read(caller: Caller): Promise<ManageAnswer<contract.ScheduleShown>>;
  /** `at`: an ISO time with its zone. Throws 400 VALIDATION_FAILED, and 409 PROMOTION_PHASE or PUBLISH_CONFLICT. */
  schedule(caller: Caller, at: string): Promise<ManageAnswer<contract.ScheduleShown>>;
  /** `meant`: the id of the one that was looked at; `null`: whichever waits. Throws 409 PROMOTION_PHASE. */
  unschedule(caller: Caller, meant: string | null): Promise<ManageAnswer<contract.ScheduleShown>>;
}

export function createSchedules(context: AppContext): Schedules {
  return {
    async read(caller) {
      const project = await projectOf(context, caller);
      requireNeed(accessAt(project, caller, 'live').key, STAGED_READ.needs);
      // Another node may just have dealt with it.
      await project.refresh();
      const schedule = (await project.read(RELEASE)).state?.schedule ?? null;
      await context.people.know(actorsIn(schedule));
      return {
        ...positioned(context, project, caller),
        result: { ok: true, schedule: schedule && shownSchedule(context, project, schedule) },
      };
    },

    schedule(caller, at) {
      const asked = { id: newApprovalId(), at: Date.parse(at), said: caller };
      return change(context, caller, 'promotion.schedule', (release, { state }, now) =>
        accepted(schedulePromotion(release, state, decidePromote(state, { dryRun: false }).events, asked, now)),
      );
    },

    unschedule: (caller, meant) =>
      change(context, caller, 'promotion.unschedule', (release) => accepted(unschedulePromotion(release, meant, caller))),
  };
}

async function change(
  context: AppContext,
  caller: Caller,
  cause: string,
  decide: (release: ReleaseState | null, access: AccessContext, now: number) => DomainEvent,
): Promise<ManageAnswer<contract.ScheduleShown>> {
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, STAGED_SCOPES, 'rw');
  const actor = actorOf(caller);
  await context.people.know([actor, ...actorsIn((await project.read(RELEASE)).state?.schedule ?? null)]);
  return onBase(context, project, caller, async (guard) => {
    const outcome = await execute<contract.ScheduleShown>(project, caller, cause, (ctx, now) => {
      const access = accessOf(ctx, caller, 'live');
      requirePermissions(access.key, STAGED_SCOPES, 'rw');
      const keyed = keyedBy(caller, 'live', context.limits.answers.managed);
      return idempotent({ ctx, now, keyed }, wholeAnswer<contract.ScheduleShown>(), () => {
        const release = ctx.read(RELEASE);
        const { events, answer } = guard(access.state, () => {
          const made = [decide(release, access, now)];
          const { schedule = null } = releaseAfter(release, made, { cause, actor, now });
          return { events: made, answer: { ok: true as const, schedule: schedule && shownSchedule(context, project, schedule) } };
        });
        return decided(answer, events);
      });
    });
    return { ...stored(outcome), result: outcome.answer };
  });
}

function actorsIn(schedule: ScheduledPromotion | null) {
  return schedule === null ? [] : [schedule.scheduled.by, ...(schedule.ended === null ? [] : [schedule.ended.by])];
}
