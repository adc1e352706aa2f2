import { publishing } from '../../contract/routes/publishing.ts';
import type { Handlers } from '../handlers.ts';
import { answering } from '../request.ts';
import { managed, type Services } from './services.ts';

/** Pushes of whole projects, staging, promotion and rollback, and what tools ask about a project as a whole. */
export function publishingHandlers(services: Services): Handlers<typeof publishing> {
  const { manage, history, manifest } = services.app;
  return answering(services, publishing, {
    // The body decides which permissions a push needs.
    sync: async ({ caller, body, target, query }) => managed(await manage.sync(caller, body, target, query)),
    preflight: async ({ caller, body, target, query }) => managed(await manage.preflight(caller, body, target, query)),
    upgradeSource: async ({ caller, body }) => managed(await manage.upgradeSource(caller, body)),
    promote: async ({ caller, query: { dryRun, force, breakGlass } }) =>
      managed(await manage.promote(caller, { dryRun, force, breakGlass })),
    discard: async ({ caller, body, query: { dryRun } }) => managed(await manage.discard(caller, body, { dryRun })),

    async rollback({ caller, body, query: { dryRun, breakGlass, to } }) {
      return managed(await history.rollback(caller, { dryRun, breakGlass, to: body.to === undefined ? to : body.to }));
    },

    diff: async ({ caller }) => managed(await manage.diff(caller)),
    publishes: async ({ caller, query }) => managed(await history.publishes(caller, query)),
    manifest: async ({ caller, target }) => managed(await manifest.read(caller, target)),
    job: async ({ caller, params }) => managed(await manifest.job(caller, params.job)),
  });
}
