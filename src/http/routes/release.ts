import { release } from '../../contract/routes/release.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** What becomes of what is staged: promotion, discard, rollback, and the history of publishes. */
export function releaseHandlers(services: Services): Handlers<typeof release> {
  const { manage, history } = services.app;
  return answering(services, release, {
    promote: async ({ caller, query: { dryRun, force, breakGlass } }) =>
      managed(await manage.promote(caller, { dryRun, force, breakGlass })),
    discard: async ({ caller, body, query: { dryRun } }) => managed(await manage.discard(caller, body, { dryRun })),

    async rollback({ caller, body, query: { dryRun, breakGlass, to } }) {
      return managed(await history.rollback(caller, { dryRun, breakGlass, to: body.to === undefined ? to : body.to }));
    },

    diff: async ({ caller }) => managed(await manage.diff(caller)),
    publishes: async ({ caller, query }) => managed(await history.publishes(caller, query)),
  });
}
