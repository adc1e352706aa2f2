import { schedules } from '../../contract/routes/schedules.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** A promotion at a chosen time. */
export function scheduleHandlers(services: Services): Handlers<typeof schedules> {
  const { app } = services;
  return answering(services, schedules, {
    readPromotionSchedule: async ({ caller }) => managed(await app.schedules.read(caller)),
    schedulePromotion: async ({ caller, body }) => managed(await app.schedules.schedule(caller, body.at)),
    unschedulePromotion: async ({ caller, query }) => managed(await app.schedules.unschedule(caller, query.schedule)),
  });
}
